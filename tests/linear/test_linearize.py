"""Linear models: closed forms, finite differences, published frequencies, and what modes say about blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import control
import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from arms.one_link import DCMotor, G, cantilever, joint_arm
from flexblocks.errors import ComputationError, FlexblocksError, FlexblocksWarning, NameUnknownError, ParameterError
from flexblocks.interfaces.block_variables import Variable
from flexblocks.interfaces.frame import Frame
from flexblocks.interfaces.local import Local
from flexblocks.interfaces.physics import Physics
from flexblocks.linear.eigenmodes import general
from oracles.published import reference

PAPER = reference("subudhi_morris_2002")
FREQUENCIES = PAPER["frequencies_rad_s_at_theta2_0"]
CARRIED = PAPER["rotor_spin_including_mount_theta2_0_converged"]

LINK = fb.RigidLink("link", length=0.5, mass=0.1)
BOB = fb.Payload("bob", mass=0.2, inertia=0.005)
MOMENT = 0.1 * 0.25 + 0.2 * 0.5
INERTIA = 0.1 * 0.5**2 / 3 + 0.2 * 0.5**2 + 0.005  # of link and bob about the hinge [kg m2]
TIP = fb.Payload("payload", mass=0.1, inertia=0.005)


def beam(modes: int = 2, tip: str = "auto", **values: float) -> fb.FlexibleBeam:
    parameters = {"length": 0.5, "linear_density": 0.2, "flexural_rigidity": 1.0} | values
    return fb.FlexibleBeam("link", **parameters, discretization=fb.AssumedModes(modes, tip=tip))


def spring_arm(
    stiffness: float, link: fb.Block = LINK, payload: fb.Payload | None = None, damping: float = 0.0
) -> fb.Model:
    """A link on a hinge that a spring holds to the ground; no gravity."""
    model = joint_arm(beam=link, payload=payload, gravity=0.0)
    spring = model.add(fb.TorsionalSpring("spring", stiffness=stiffness, damping=damping))
    lock = model.add(fb.Fixed("lock"))
    model.connect(lock.flange_b, spring.flange_a)
    model.connect(spring.flange_b, "joint.axis")
    return model


# --- closed forms ---


def test_pendulum_hanging() -> None:
    lin = fb.linearize(fb.assemble(joint_arm(beam=LINK, payload=BOB, start=-1.0)))
    rate = MOMENT * G / INERTIA
    np.testing.assert_allclose(lin.A, [[0, 1], [-rate, 0]], rtol=1e-13, atol=1e-14)
    (mode,) = lin.modes()
    assert mode.frequency == pytest.approx(np.sqrt(rate), rel=1e-13)
    assert mode.damping_ratio == 0
    assert mode.energy == "kinetic"
    bob = (0.2 * 0.5**2 + 0.005) / INERTIA
    assert mode.participation == pytest.approx({"bob": bob, "link": 1 - bob})


def test_pendulum_standing_is_unstable() -> None:
    dae = fb.assemble(joint_arm(beam=LINK, payload=BOB))
    grows, decays = fb.linearize(dae, fb.equilibrium(dae, x={"joint.angle": np.pi / 2})).modes()
    rate = np.sqrt(MOMENT * G / INERTIA)
    assert grows.eigenvalue == pytest.approx(rate, rel=1e-12)
    assert decays.eigenvalue == pytest.approx(-rate, rel=1e-12)
    assert (grows.damping_ratio, decays.damping_ratio) == (-1, 1)
    assert str(grows).startswith(f"unstable, grows by e in {1 / rate:.4g} s: ")


def test_link_on_a_spring_that_is_held() -> None:
    lin = fb.linearize(fb.assemble(spring_arm(3.0)))
    (mode,) = lin.modes()
    assert mode.frequency == pytest.approx(np.sqrt(3.0 / (0.1 * 0.25 / 3)), rel=1e-13)
    assert mode.participation == {"spring": 1.0}
    assert mode.energy == "strain"
    assert str(lin.modes()) == f"mode 1, {mode.frequency:.4g} rad/s, 0 %: 100 % spring"


@pytest.mark.parametrize("damping", [0.01, 0.2, 0.7])
def test_damper_of_a_spring(damping: float) -> None:
    inertia = 0.1 * 0.25 / 3
    modes = fb.linearize(fb.assemble(spring_arm(3.0, damping=damping))).modes()
    roots = np.roots([inertia, damping, 3.0]).astype(complex)
    expected = sorted(roots[roots.imag >= 0], key=abs)
    np.testing.assert_allclose(modes.eigenvalue, expected, rtol=1e-12)
    np.testing.assert_allclose(modes.damping_ratio, -np.real(expected) / np.abs(expected), rtol=1e-12)


@pytest.mark.parametrize("ratio", [0.0, 0.005, 0.3])
def test_damping_ratio_of_a_clamped_beam(ratio: float) -> None:
    modes = fb.linearize(fb.assemble(cantilever(beam(4, damping_ratio=ratio), TIP))).modes()
    np.testing.assert_allclose(modes.damping_ratio, ratio, rtol=1e-10, atol=1e-15)
    assert all(mode.participation == {"link": 1.0} for mode in modes)


def test_frequencies_of_a_cantilever() -> None:
    b = np.array([1.875104068711961, 4.694091132974174, 7.854757438237613])  # roots of cos b cosh b = -1
    modes = fb.linearize(fb.assemble(cantilever(beam(3, "free")))).modes()
    np.testing.assert_allclose(modes.frequency, b**2 * np.sqrt(1.0 / (0.2 * 0.5**4)), rtol=1e-12)


def test_friction_alone_gives_a_mode_at_zero_and_one_that_decays() -> None:
    lin = fb.linearize(fb.assemble(joint_arm(beam=LINK, gravity=0.0, damping=0.05)))
    rigid, decays = lin.modes()
    assert rigid.eigenvalue == 0
    assert decays.eigenvalue == pytest.approx(-0.05 / (0.1 * 0.25 / 3), rel=1e-12)
    assert str(decays).startswith("decays by e in")


def test_motor_with_inductance() -> None:
    """L s (J s^2) + ... : eigenvalues 0 and the roots of J L s^2 + J R s + k^2."""
    lin = fb.linearize(fb.assemble(joint_arm(beam=LINK, gravity=0.0, drive=(DCMotor("motor"),))))
    assert lin.states == ("joint.angle", "der(joint.angle)", "motor.current")
    inertia = 0.1 * 0.25 / 3
    found = np.sort_complex(np.linalg.eigvals(lin.A))
    expected = np.sort_complex(np.r_[0, np.roots([inertia * 0.01, inertia * 2.0, 0.5**2])])
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-9)
    rigid, *rest = lin.modes()
    assert rigid.eigenvalue == 0
    assert len(rest) == 2
    assert all(sum(mode.participation.values()) == pytest.approx(1) for mode in lin.modes())


def test_a_state_that_moves_nothing_is_its_own_mode() -> None:
    """The free motor's current obeys L i' = -R i; with a tiny torque constant no coordinate takes part."""
    lin = fb.linearize(fb.assemble(joint_arm(beam=LINK, drive=(DCMotor("motor", constant=1e-30),), start=-1.5)))
    mode = max(lin.modes(), key=lambda mode: mode.frequency)
    assert mode.eigenvalue == pytest.approx(-200.0, rel=1e-9)
    assert (mode.energy, mode.participation) == ("state", {"motor": 1.0})


# --- published frequencies ---


@pytest.mark.parametrize(
    ("arm", "expected", "tolerance"),
    [
        ({"shapes": "clamped-free"}, FREQUENCIES["two clamped-free modes"], 3.5e-5),
        ({"shapes": "as-printed"}, FREQUENCIES["two clamped-mass modes, eqs 47-48 as printed"], 3.5e-5),
        ({"modes": 6}, FREQUENCIES["converged (9 functions a link)"][:3], 1e-4),
        ({"modes": 6, "joints": "rigid"}, FREQUENCIES["converged, rigid joints"][:3], 1e-4),
        ({"modes": 6, "rotor_mount": "carried"}, CARRIED[:3], 1e-4),
    ],
    ids=["clamped-free", "as printed", "converged", "rigid joints", "carried rotors"],
)
def test_frequencies_of_subudhi_and_morris(arm: dict, expected: list[float], tolerance: float) -> None:
    """Two modes: all frequencies, to the five digits of the reference. Six modes: the first three as converged."""
    modes = fb.linearize(subudhi_morris(**arm)).modes()
    np.testing.assert_array_equal(modes.frequency[:2], 0)
    assert np.isnan(modes.damping_ratio[:2]).all()
    np.testing.assert_array_equal(modes.damping_ratio[2:], 0)
    np.testing.assert_allclose(modes.frequency[2 : 2 + len(expected)], expected, rtol=tolerance)


def test_frequencies_converge_from_above_as_modes_are_added() -> None:
    converged = np.array(FREQUENCIES["converged (9 functions a link)"][:3])
    errors = []
    for modes in (2, 3, 4, 6):
        dae = subudhi_morris(modes=modes)
        errors.append(fb.linearize(dae).modes().frequency[2:5] / converged - 1)
    assert np.all(np.array(errors) > -1e-8)
    assert np.all(np.diff(errors, axis=0) < 0)
    assert np.all(errors[-1] < 1e-4)


# --- modes: rigid bodies, shares ---


def test_rigid_motions_are_exact_whichever_way_they_are_found() -> None:
    """A has a double eigenvalue 0 for each joint; plain eigenvalues of it are off by the root of rounding."""
    lin = fb.linearize(subudhi_morris(modes=4))
    modes, plain = lin.modes(), general(lin.A)
    assert len(modes) == len(lin.states) // 2
    assert sum(mode.eigenvalue == 0 for mode in plain) == 2
    np.testing.assert_allclose(np.sort(np.abs([mode.eigenvalue for mode in plain])), modes.frequency, rtol=1e-9)
    assert np.min(np.abs(np.linalg.eigvals(lin.A))) < 1e-4


def test_shapes_solve_the_equations_and_carry_unit_mass() -> None:
    lin = fb.linearize(fb.assemble(joint_arm(beam=beam(3, damping_ratio=0.02), payload=TIP, damping=0.01, start=-1.4)))
    modes, structure = lin.modes(), lin.structure
    for mode in modes:
        s, phi = mode.eigenvalue, mode.shape
        left = (structure.mass * s**2 + structure.damping * s + structure.stiffness) @ phi
        assert np.linalg.norm(left) < 1e-9 * abs(s) ** 2 * np.linalg.norm(structure.mass @ phi)
        assert phi.conj() @ structure.mass @ phi == pytest.approx(1)
    assert modes.shapes.shape == (4, len(modes))


def test_block_matrices_add_up_to_the_whole() -> None:
    lin = fb.linearize(subudhi_morris(rotor_mount="carried"))
    structure = lin.structure
    np.testing.assert_allclose(sum(structure.kinetic.values()), structure.mass, atol=1e-15)
    np.testing.assert_allclose(sum(structure.stored.values()), structure.stiffness, atol=1e-11)
    assert set(structure.kinetic) == {"rotor1", "rotor2", "link1", "link2", "payload"}
    assert set(structure.stored) == {"spring1", "spring2", "link1", "link2"}


def test_a_soft_spring_takes_the_strain_of_a_stiff_link() -> None:
    modes = fb.linearize(fb.assemble(spring_arm(0.01, beam(2, "free", flexural_rigidity=1e3), TIP))).modes()
    assert modes[0].participation["spring"] > 0.9999
    assert modes[1].participation["link"] > 0.99
    for mode in modes:
        assert sum(mode.participation.values()) == pytest.approx(1, abs=1e-12)


def test_shares_are_those_of_springs_in_series() -> None:
    """Massless beam and joint spring bend one after the other: energy in proportion to compliance, 1/k to l/(3 EI)."""
    link = beam(8, "free", linear_density=1e-3)
    modes = fb.linearize(fb.assemble(spring_arm(3.0, link, fb.Payload("tip", mass=1.0)))).modes()
    spring, bending = 0.5**2 / 3.0, 0.5**3 / 3
    assert modes[0].participation["spring"] == pytest.approx(spring / (spring + bending), rel=1e-3)
    assert modes[0].frequency == pytest.approx(1 / np.sqrt(spring + bending), rel=1e-3)


def test_table_of_modes() -> None:
    modes = fb.linearize(subudhi_morris()).modes()
    table = modes.to_pandas()
    assert list(table.index) == list(range(1, 9))
    assert table.loc[3, "frequency"] == modes[2].frequency
    np.testing.assert_allclose(table[list(modes.blocks)].sum(axis=1), 1)
    assert str(modes).splitlines()[0].startswith("mode 1, rigid body: ")
    assert str(modes).splitlines()[2].startswith("mode 3, 13.58 rad/s, 0 %: ")


# --- derivatives against finite differences ---


def test_small_response_is_that_of_the_nonlinear_simulation() -> None:
    dae = subudhi_morris()
    lin = fb.linearize(dae, outputs=("payload.y", "link1.tip_deflection_y", "rotor2.angle"))
    t = np.linspace(0.0, 0.6, 61)
    small = 1e-5
    torque = small * np.sin(8 * t) ** 2
    linear = control.forced_response(lin.to_control(), t, np.vstack([torque, 0 * t])).outputs
    true = fb.simulate(dae, t, u={"motor1.torque": lambda s: small * np.sin(8 * s) ** 2}, rtol=1e-10, atol=1e-14)
    for row, name in zip(linear, lin.outputs, strict=True):
        # The linear response interpolates its input linearly, hence the tolerance.
        np.testing.assert_allclose(row, true[name], atol=5e-3 * np.max(np.abs(row)))


# --- what the user gives and gets ---


def test_names_units_and_chosen_outputs() -> None:
    dae = subudhi_morris()
    lin = fb.linearize(dae)
    assert (lin.states, lin.inputs, lin.outputs) == (dae.x.names, dae.u.names, dae.y.names)
    assert (lin.state_units, lin.input_units, lin.output_units) == (dae.x.units, dae.u.units, dae.y.units)
    chosen = fb.linearize(dae, outputs=("payload.y", "der(joint2.angle)"))
    assert (chosen.outputs, chosen.output_units) == (("payload.y", "der(joint2.angle)"), ("m", "rad/s"))
    np.testing.assert_array_equal(chosen.C[0], lin.C[lin.outputs.index("payload.y")])
    np.testing.assert_array_equal(chosen.C[1], np.eye(16)[dae.x.index("der(joint2.angle)")])
    np.testing.assert_array_equal(fb.linearize(dae, outputs="payload.y").C, chosen.C[:1])


def test_a_point_can_be_given_in_three_ways() -> None:
    dae = fb.assemble(joint_arm(beam=LINK, payload=BOB, drive=(fb.TorqueSource("motor"),)), symbolic=("bob.mass",))
    op = fb.equilibrium(dae, x={"joint.angle": 0.4}, p={"bob.mass": 0.5})
    flat = {"joint.angle": 0.4, "motor.torque": op["motor.torque"], "bob.mass": 0.5}
    groups = {"x": {"joint.angle": 0.4}, "u": op.u, "p": {"bob.mass": 0.5}}
    lin = fb.linearize(dae, op)
    for at in (flat, groups):
        other = fb.linearize(dae, at)
        np.testing.assert_array_equal(other.A, lin.A)
        assert other.operating_point.as_dict() == op.as_dict()


def test_a_point_that_is_no_equilibrium_is_warned_of_with_its_size() -> None:
    dae = fb.assemble(joint_arm(beam=LINK, payload=BOB, drive=(fb.TorqueSource("motor"),)))
    with pytest.warns(FlexblocksWarning, match=rf"{MOMENT * G:.3g} N m unbalanced at 'joint\.angle'"):
        lin = fb.linearize(dae, {"joint.angle": 0.0})
    assert lin.operating_point.residual == pytest.approx([MOMENT * G])
    with pytest.warns(FlexblocksWarning, match=r"joint\.angle moving"):
        fb.linearize(dae, {"joint.angle": -np.pi / 2, "der(joint.angle)": 0.1})


def test_to_control() -> None:
    lin = fb.linearize(subudhi_morris(), outputs=("payload.x", "link1.bending_y[1]"))
    ss = lin.to_control()
    assert isinstance(ss, control.StateSpace)
    assert ss.input_labels == ["motor1_torque", "motor2_torque"]
    assert ss.output_labels == ["payload_x", "link1_bending_y[1]"]
    assert ss.state_labels == list(lin.states)
    assert lin.control_names["payload.x"] == "payload_x"
    for matrix in "ABCD":
        np.testing.assert_array_equal(getattr(ss, matrix), getattr(lin, matrix))
    assert ss[lin.control_names["payload.x"], lin.control_names["motor1.torque"]].ninputs == 1


def test_names_that_python_control_would_confuse_are_refused() -> None:
    model = joint_arm(beam=LINK, drive=(fb.TorqueSource("a_b"),))

    @dataclass(frozen=True)
    class Twin(fb.TorqueSource):
        effort = ("b_torque", "N m")

    model.connect(model.add(Twin("a")).flange_b, "joint.axis")
    with pytest.raises(ComputationError, match=r"'a_b\.torque' and 'a\.b_torque' would both be 'a_b_torque'"):
        fb.linearize(fb.assemble(model)).to_control()


@dataclass(frozen=True)
class Undetermined(DCMotor):
    """An algebraic variable whose equation does not contain it."""

    def algebraics(self) -> tuple[Variable, ...]:
        return (Variable("force", "N m"),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        known: Mapping[str, ca.SX] = super().physics(frame, local).derivatives
        return Physics(derivatives=known, residuals=(local["angle"] - 0.3,))


def test_algebraic_equations_of_higher_index_are_refused() -> None:
    dae = fb.assemble(joint_arm(beam=LINK, gravity=0.0, drive=(Undetermined("drive"),)))
    with pytest.raises(ComputationError, match=r"do not determine drive\.force.*index above 1"):
        fb.linearize(dae, fb.equilibrium(dae))


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        (
            {"at": {"joint.angel": 0.0}},
            NameUnknownError,
            r"at: there is no 'joint\.angel'.*Did you mean joint",
        ),
        ({"at": 3.0}, ParameterError, "must be an OperatingPoint or a dict"),
        ({"at": {"x": [0.0]}}, ParameterError, "an array of 1 numbers; must have 2"),
        ({"outputs": ("bob.w",)}, NameUnknownError, r"no output or state 'bob\.w'.*Did you mean bob"),
        ({"outputs": ("bob.x", "bob.x")}, ParameterError, r"bob\.x named twice"),
    ],
)
def test_bad_input(given: dict, kind: type[FlexblocksError], words: str) -> None:
    dae = fb.assemble(joint_arm(beam=LINK, payload=BOB, drive=(fb.TorqueSource("motor"),)))
    with pytest.raises(kind, match=words):
        fb.linearize(dae, **given)


def test_a_point_of_another_arm_is_refused() -> None:
    other = fb.equilibrium(subudhi_morris())
    with pytest.raises(ParameterError, match="operating point of another DAE"):
        fb.linearize(fb.assemble(joint_arm(beam=LINK)), other)
