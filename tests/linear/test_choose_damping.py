"""Damping chosen for the modes of the assembled arm, against closed forms and the poles of the arm itself."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from arms.linkages import FLEXIBLE
from flexblocks import models
from flexblocks.errors import ComputationError, ModelError, ModelWarning, ParameterError

# First root of tan b = tanh b (pinned-free), of cos b cosh b = -1 (clamped-free).
HINGED, CLAMPED = 3.9266023120479, 1.8751040687120
BEAM = {"length": 2.0, "linear_density": 3.0, "flexural_rigidity": 50.0}


def hinged(length: float = 2.0, **options) -> fb.Model:
    model = fb.Model("hinged")
    joint = model.add(fb.Revolute("joint"))
    link = model.add(
        fb.FlexibleBeam("link", **BEAM | {"length": length}, discretization=fb.FiniteElements(6), **options)
    )
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    return model


def poles(dae: fb.DAE, x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the poles by differences of the equations, without the room `linear`."""
    f = lambda x: dae.forward_dynamics(x, u, []).full().ravel()  # noqa: E731
    h = 1e-6
    A = np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))]).T
    return np.linalg.eigvals(A)


@pytest.mark.parametrize(("locked", "root"), [(None, HINGED), ({"joint.angle": 0.4}, CLAMPED)], ids=["free", "brakes"])
@pytest.mark.parametrize("length", [0.02, 40.0])
def test_the_damping_time_of_one_beam_is_twice_the_ratio_over_the_frequency(locked, root, length) -> None:
    omega = (root / length) ** 2 * np.sqrt(BEAM["flexural_rigidity"] / BEAM["linear_density"])
    choice = fb.choose_damping(hinged(length), 0.02, locked=locked, by="damping_time", elsewhere=())
    assert choice.values["link.damping_time"] == pytest.approx(2 * 0.02 / omega, rel=2e-4)  # of six elements


def test_modes_of_the_arm_have_the_ratio_and_those_of_the_clamped_beam_do_not() -> None:
    with pytest.warns(ModelWarning, match="choose_damping"):
        fb.assemble(hinged(damping_ratio=0.01))
    choice = fb.choose_damping(hinged(damping_ratio=0.3), 0.01)
    assert choice.values["link.damping_ratio"] < 0.004
    assert choice.model["link"].damping_ratio == choice.values["link.damping_ratio"]
    (index,) = choice.chosen
    assert choice.modes[index].damping_ratio == pytest.approx(0.01, rel=1e-9)
    # A joint without anything else: what it turns by makes no difference.
    (other,) = choice.elsewhere
    assert other.posture == {"joint.angle": np.pi / 2}
    np.testing.assert_allclose(other.modes.damping_ratio[1:], choice.modes.damping_ratio[1:], rtol=1e-6)


@pytest.mark.parametrize(("by", "ratio"), [("damping_ratio", 0.2), ("damping_time", 0.005)])
def test_two_links_at_a_posture(by: str, ratio: float) -> None:
    model, at = models.subudhi_morris_2002(), {"joint1.angle": 0.0, "joint2.angle": 0.5}
    choice = fb.choose_damping(model, ratio, at=at, by=by, elsewhere=[{"joint2.angle": 1.5}])
    assert len(choice.chosen) == 2
    dae = fb.assemble(choice.model)
    for posture, modes in ((at, choice.modes), (at | {"joint2.angle": 1.5}, choice.elsewhere[0].modes)):
        point = fb.equilibrium(dae, posture)
        found = poles(dae, point.x, point.u)
        for mode in modes[:6]:
            if mode.eigenvalue.imag > 0:
                assert np.min(np.abs(found - mode.eigenvalue)) < 1e-5 * mode.frequency
    np.testing.assert_allclose(choice.modes.damping_ratio[list(choice.chosen)], ratio, rtol=1e-8)


def test_other_dampers_count() -> None:
    model = models.subudhi_morris_2002()
    stiff = {"joint1.angle": 0.0, "joint2.angle": 0.5}
    with pytest.warns(ModelWarning, match=r"have 1 % have .* %; no damping >= 0 of link1, link2"):
        choice = fb.choose_damping(model, 0.01, locked=stiff, by="damping_time", modes=3, elsewhere=())
    ratios = choice.modes.damping_ratio[list(choice.chosen)]
    # Least squares: no other damping time of link1 is better.
    slope = ratios / choice.values["link1.damping_time"]
    assert choice.values["link2.damping_time"] == 0
    assert slope @ (0.01 - ratios) == pytest.approx(0.0, abs=1e-3 * (slope @ ratios))
    assert "link2.damping_time = 0" in str(choice)


def test_each_beam_has_a_mode_of_its_own() -> None:
    """The two slowest modes are those of the soft beam in its two planes, and say nothing about the stiff one."""
    soft = fb.FlexibleBeam("soft", 1.0, 0.2, 1.0, fb.AssumedModes(1, tip="free"), "yz", flexural_rigidity_z=1.5)
    stiff = fb.FlexibleBeam("stiff", 0.5, 0.2, 100.0, fb.AssumedModes(1, tip="free"))
    choice = fb.choose_damping(chain(soft, stiff, gravity=(0.0, 0.0, 0.0)), 0.01, elsewhere=())
    assert choice.chosen == (0, 2)
    assert [max(choice.modes[i].strain, key=choice.modes[i].strain.get) for i in choice.chosen] == ["soft", "stiff"]
    dae = fb.assemble(choice.model)
    found = poles(dae, np.zeros(6), [])
    for i in choice.chosen:
        pole = found[np.argmin(np.abs(found - choice.modes[i].eigenvalue))]
        assert -pole.real / abs(pole) == pytest.approx(0.01, rel=1e-5)


def test_a_named_beam_has_a_mode_that_bends_it_more_than_any_other() -> None:
    """The slowest of all bends the soft beam, and is not what the damping of the stiff one is chosen by."""
    soft = fb.FlexibleBeam("soft", 1.0, 0.2, 1.0, fb.AssumedModes(1, tip="free"))
    stiff = fb.FlexibleBeam("stiff", 0.5, 0.2, 30.0, fb.AssumedModes(1, tip="free"))
    choice = fb.choose_damping(chain(soft, stiff, gravity=(0.0, 0.0, 0.0)), 0.01, beams="stiff", elsewhere=())
    (chosen,) = choice.chosen
    assert choice.modes[chosen].strain["stiff"] > choice.modes[chosen].strain["soft"]
    assert choice.modes[chosen].damping_ratio == pytest.approx(0.01, rel=1e-9)


@pytest.mark.slow
def test_a_closed_loop() -> None:
    choice = fb.choose_damping(FLEXIBLE.model(), 0.02, at={"crank_joint.angle": 1.0}, modes=1)
    assert [dict(other.posture) for other in choice.elsewhere] == [{"crank_joint.angle": 1.0 + np.pi / 2}]
    assert choice.elsewhere[0].modes is not None
    dae = fb.assemble(choice.model)
    modes = fb.linearize(dae, fb.equilibrium(dae, {"crank_joint.angle": 1.0})).modes()
    (slowest,) = (modes[i] for i in choice.chosen)
    assert slowest.strain["coupler"] > 0.1
    assert slowest.damping_ratio == pytest.approx(0.02, rel=1e-9)


def test_modes_of_a_tiny_damped_beam_are_those_of_a_long_one() -> None:
    # With time in units of a period nothing has changed, but stiffness is 1e8 times as large in 1/s2.
    ratios = []
    for length in (2.0, 0.02):
        modes = fb.linearize(fb.assemble(hinged(length, damping_time=2.5e-3 * (length / 2.0) ** 2))).modes()
        assert modes[0].eigenvalue == 0
        ratios.append(modes.damping_ratio[1:])
    np.testing.assert_allclose(ratios[1], ratios[0], rtol=1e-6)


def test_refusals() -> None:
    model = hinged()
    for bad, error, words in (
        ({"ratio": 0.0}, ParameterError, "ratio = 0.0; must be a number > 0 and < 1"),
        ({"by": "damping_tim"}, ParameterError, "Did you mean damping_time"),
        ({"beams": "lnk"}, ModelError, "Did you mean link"),
        ({"beams": ()}, ParameterError, "name one at least"),
        ({"modes": 99}, ParameterError, "must be a whole number from 1 to 12"),
        ({"ratio": 0.999}, ComputationError, "choose a lower ratio"),
    ):
        with pytest.raises(error, match=words):
            fb.choose_damping(model, **bad)
