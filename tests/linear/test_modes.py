"""What modes say about blocks: who deforms how, where the energy is, and which are out of reach."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from arms.linkages import FourBar
from arms.one_link import joint_arm
from flexblocks.errors import ParameterError

TIP = fb.Payload("tip", mass=0.3, inertia=((2e-3, 0, 0), (0, 2e-3, 0), (0, 0, 2e-3)))


def cantilever(**beam) -> fb.LinearModel:
    model = fb.Model("cantilever")
    link = model.add(fb.FlexibleBeam("link", 0.5, 0.2, 3.0, **beam))
    model.connect(model.add(fb.Ground("ground")).frame_b, link.frame_a)
    model.connect(link.frame_b, model.add(TIP).frame_a)
    return fb.linearize(fb.assemble(model))


@pytest.mark.parametrize(
    "mesh", [fb.AssumedModes(2, tip="free"), fb.FiniteElements(2), fb.RigidSegments(3), fb.StrainModes(3)]
)
def test_a_beam_that_bends_is_said_to_bend(mesh) -> None:
    modes = fb.linearize(subudhi_morris()).modes()
    assert str(modes).splitlines()[2] == "mode 3, 13.58 rad/s, 0 %: 76 % link1 bending, 21 % link2 bending, 2 % spring1"
    for mode in cantilever(discretization=mesh).modes():
        assert mode.shares == "100 % link bending"
        assert mode.participation == {"link": 1.0}


def test_bending_and_torsion_are_told_apart() -> None:
    """The tip's inertia on the torsional stiffness of the beam is one mode, away from the others."""
    lin = cantilever(
        discretization=fb.FiniteElements(2), torsion=True, torsional_rigidity=0.5, polar_inertia=1e-6, bending="yz"
    )
    words = [mode.shares for mode in lin.modes()]
    assert set(words) == {"100 % link bending", "100 % link torsion"}
    (first, *_) = [mode for mode in lin.modes() if "torsion" in mode.shares]
    assert first.frequency == pytest.approx(np.sqrt(0.5 / 0.5 / (2e-3 + 1e-6 * 0.5 / 3)), rel=1e-3)


def test_shares_of_a_beam_add_up_where_bending_and_torsion_couple() -> None:
    """A tip whose mass stands beside the beam's axis twists it as it bends it."""
    model = fb.Model("crooked")
    twisting = {"torsion": True, "torsional_rigidity": 0.5, "polar_inertia": 1e-6, "bending": "z"}
    link = model.add(fb.FlexibleBeam("link", 0.5, 0.2, 3.0, discretization=fb.FiniteElements(2), **twisting))
    model.connect(model.add(fb.Ground("ground")).frame_b, link.frame_a)
    tip = fb.Payload("tip", mass=0.3, inertia=TIP.inertia, center=(0.0, 0.1, 0.0))
    model.connect(link.frame_b, model.add(tip).frame_a)
    lin = fb.linearize(fb.assemble(model))
    first = lin.modes()[0]
    assert min(first.deformation["link bending"], first.deformation["link torsion"]) > 0.05
    for mode in lin.modes():
        assert sum(mode.deformation.values()) == pytest.approx(1)
        assert mode.participation == {"link": pytest.approx(1.0)}
        torsion = [i for i, name in enumerate(lin.structure.coordinates) if "torsion" in name]
        phi, K = mode.shape[torsion], lin.structure.stored["link"][np.ix_(torsion, torsion)]
        expected = np.real(phi.conj() @ K @ phi) / mode.frequency**2
        assert mode.deformation["link torsion"] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_strain_and_kinetic_energy_are_half_of_the_whole_each() -> None:
    """In a mode that swings freely both are equal on average; in a rigid-body motion there is no strain."""
    modes = fb.linearize(subudhi_morris()).modes()
    assert sorted(mode.eigenvalue == 0 for mode in modes) == [False] * 6 + [True] * 2
    for mode in modes:
        for group in (mode.kinetic, mode.total, mode.participation, mode.deformation):
            assert sum(group.values()) == pytest.approx(1)
        if mode.eigenvalue == 0:
            assert mode.strain == {}
            assert mode.total == pytest.approx(mode.kinetic)
        else:
            assert sum(mode.strain.values()) == pytest.approx(1)
            for block, share in mode.total.items():
                both = (mode.strain.get(block, 0.0) + mode.kinetic.get(block, 0.0)) / 2
                assert share == pytest.approx(both, rel=1e-6, abs=1e-9)


def test_kinetic_shares_of_two_masses() -> None:
    """Rotors J1 and J2 on a spring swing against each other: their energies are as 1/J1 to 1/J2."""
    model = fb.Model("two masses")
    model.add(fb.Ground("ground"))
    a, b = model.add(fb.Rotor("a", inertia=0.1)), model.add(fb.Rotor("b", inertia=0.3))
    spring = model.add(fb.TorsionalSpring("spring", stiffness=20.0, damping=0.01))
    model.connect(a.flange_b, spring.flange_a)
    model.connect(spring.flange_b, b.flange_a)
    swings = fb.linearize(fb.assemble(model)).modes()[-1]
    assert swings.kinetic == pytest.approx({"a": 0.75, "b": 0.25})
    assert swings.strain == pytest.approx({"spring": 1.0})
    assert swings.total == pytest.approx({"spring": 0.5, "a": 0.375, "b": 0.125}, rel=1e-3)


def test_tables_of_all_kinds_of_shares() -> None:
    modes = fb.linearize(subudhi_morris()).modes()
    for share in ("participation", "deformation", "kinetic", "total"):
        table = modes.to_pandas(share)
        np.testing.assert_allclose(table.drop(columns=list(table.columns[:4])).sum(axis=1), 1)
    assert "link2 bending" in modes.to_pandas("deformation")
    assert modes.to_pandas("strain").loc[1, "link1"] == 0
    with pytest.raises(ParameterError, match=r"share = 'kinetics'\. Did you mean kinetic\? Must be one of"):
        modes.to_pandas("kinetics")


def test_a_coupler_in_a_loop_bends() -> None:
    modes = fb.linearize(fb.assemble(FourBar(rigidity=0.5, gravity=0.0).model())).modes()
    assert [mode.shares for mode in modes][1:] == ["100 % coupler bending"] * 2


def test_the_report_names_modes_as_the_list_of_modes_does() -> None:
    lin = fb.linearize(subudhi_morris(), outputs=("payload.x", "payload.y"))
    modes, report = lin.modes(), lin.report()
    assert [mode.name for mode in report.modes] == [f"mode {i}, {modes[i - 1].motion}" for i in range(3, 9)]
    assert str(report).splitlines()[2].startswith("mode 3, 13.58 rad/s, 0 %: moved by motor1.torque")


def test_the_report_names_what_is_hidden() -> None:
    """The speed of a load does not show where it is; a motor on one of two free links does not move the other."""
    model = fb.Model("two links", gravity=(0.0, 0.0, 0.0))
    ground = model.add(fb.Ground("ground"))
    for name in ("driven", "idle"):
        joint, link = model.add(fb.Revolute(name)), model.add(fb.RigidLink(f"{name}_link", 0.5, 0.1))
        model.connect(ground.frame_b, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "driven.axis")
    report = fb.linearize(fb.assemble(model), outputs=("driven.angle", "der(idle.angle)")).report()
    assert (report.rigid, report.rigid_controllable, report.rigid_observable) == (4, 2, 3)
    assert report.rigid_unmoved == ("idle.angle", "der(idle.angle)")
    assert report.rigid_unseen == ("idle.angle",)
    assert "no input moves a motion of idle.angle, der(idle.angle); no output shows a motion of idle.angle" in str(
        report
    )
    lin = fb.linearize(fb.assemble(joint_arm(beam=fb.RigidLink("link", 0.5, 0.1), gravity=0.0)))
    assert lin.report().rigid_unmoved == ("joint.angle", "der(joint.angle)")
