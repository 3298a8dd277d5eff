"""Linear models beside the nonlinear equations: the check finds what is wrong, amplitudes are those of closed forms."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.optimize import brentq

import flexblocks as fb
from arms.library import subudhi_morris
from arms.linkages import FourBar
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from flexblocks import models
from flexblocks.errors import ComputationError, FlexblocksWarning, ParameterError
from flexblocks.linear.verification.differences import finite_differences

LINK = fb.RigidLink("link", length=0.5, mass=0.1)


@pytest.fixture(scope="module")
def arm() -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))


@pytest.fixture(scope="module")
def lin(arm: fb.DAE) -> fb.LinearModel:
    return fb.linearize(arm, fb.equilibrium(arm, x={"joint2.angle": 0.7}, p={"payload.mass": 0.13}))


# --- finite differences ---


def test_finite_differences_know_how_exact_they_are() -> None:
    def function(points: np.ndarray) -> np.ndarray:
        x, y = points
        return np.array([np.exp(3 * x) * np.cos(y), 1e6 + x * y**3, np.sqrt(np.where(x > 0, x, np.nan))])

    start = np.array([0.05, 0.7])
    found, error = finite_differences(function, start, np.array([0.5, 0.5]))  # the root has no value at the first steps
    x, y = start
    exact = np.array(
        [
            [3 * np.exp(3 * x) * np.cos(y), -np.exp(3 * x) * np.sin(y)],
            [y**3, 3 * x * y**2],
            [0.5 / np.sqrt(x), 0.0],
        ]
    )
    assert np.all(np.abs(found - exact) <= 10 * error + 1e-15)
    assert np.all(error[0] < 1e-11)
    assert np.all((error[1] > 1e-10) & (error[1] < 1e-6))  # a large constant costs digits, and that is reported
    assert np.all(error[2] < 1e-7)


# --- the check ---


@pytest.mark.parametrize("form", ["minimal", "descriptor"])
def test_a_right_model_agrees_to_rounding(arm: fb.DAE, lin: fb.LinearModel, form: str) -> None:
    report = fb.linearize(arm, lin.operating_point, form=form).check(arm)
    assert report.largest < 1e-10
    assert report.resolution < 1e-10
    assert f"worst {report.matrix}[{report.row}, {report.column}]" in str(report)


@pytest.mark.parametrize("matrix", ["A", "B", "C", "D"])
def test_a_wrong_entry_is_found_by_name(arm: fb.DAE, lin: fb.LinearModel, matrix: str) -> None:
    wrong = getattr(lin, matrix).copy()
    row, column = (lin.states.index("der(link2.bending_y[1])"), 1) if matrix in "AB" else (0, 1)
    # One part in a thousand of the largest entry in the row.
    steps = np.max(np.abs(np.hstack([lin.A, lin.B] if matrix in "AB" else [lin.C, lin.D])[row]))
    wrong[row, column] += 1e-3 * steps
    names = lin.states if matrix in "AB" else lin.outputs
    columns = lin.states if matrix in "AC" else lin.inputs
    words = f"1 of {26 * 18} entries differ; worst {matrix}[{names[row]}, {columns[column]}] = "
    with pytest.raises(ComputationError) as caught:
        dataclasses.replace(lin, **{matrix: wrong}).check(arm)
    assert words in str(caught.value)


def test_forces_that_change_within_a_small_range() -> None:
    """The damping of bristles fades beyond their Stribeck velocity, which usual steps jump over: A[0, 0] is far off."""
    model = fb.Model("rotor")
    model.add(fb.Ground("ground"))
    motor, wheel = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("wheel", inertia=0.1))
    friction = fb.LuGreFriction("friction", stiffness=1e3, coulomb=0.05, breakaway=0.08, damping=1.0, viscous=0.01)
    model.connect(motor.flange_b, wheel.flange_a)
    model.connect(wheel.flange_b, model.add(friction).flange_b)
    dae = fb.assemble(model)
    lin = fb.linearize(dae)
    i = lin.states.index("der(wheel.angle)")
    assert lin.A[i, i] == pytest.approx(-(1.0 + 0.01) / 0.1)  # of bristles at rest, and viscous
    assert lin.check(dae).largest < 1e-6
    wrong = lin.A.copy()
    wrong[i, i] *= 1.001
    with pytest.raises(ComputationError, match=r"A\[der\(wheel.angle\), der\(wheel.angle\)\]"):
        dataclasses.replace(lin, A=wrong).check(dae)


def test_loops_algebraic_variables_and_states_that_follow() -> None:
    hard = joint_arm(beam=LINK, drive=(DCMotor("motor"), HardeningSpring("hard")))
    for model in (FourBar(rigidity=0.5).model(), hard, models.theodore_ghosal_1995("RP", n=1)):
        dae = fb.assemble(model)
        assert fb.linearize(dae).check(dae).largest < 1e-6


def test_a_loop_in_motion() -> None:
    dae = fb.assemble(FourBar(rigidity=0.5).model())
    with pytest.warns(FlexblocksWarning):
        lin = fb.linearize(dae, {"crank_joint.angle": 1.2, "der(crank_joint.angle)": 5.0, "motor.torque": 0.3})
    assert lin.check(dae).largest < 1e-6


def test_what_cannot_be_checked(arm: fb.DAE, lin: fb.LinearModel) -> None:
    with pytest.raises(ParameterError, match=r"LinearModel\.check: .* is a reduced model"):
        fb.reduce(lin, 8).check(arm)
    other = subudhi_morris(modes=1)
    with pytest.raises(ParameterError, match=r"must be the result of flexblocks\.linearize for this DAE"):
        lin.check(other)


# --- how far it holds ---


def test_amplitudes_of_a_pendulum() -> None:
    """sin(a) / a is off by 1 % at 0.245 rad and by 10 % at 0.787 rad; a torque does the same everywhere."""
    dae = fb.assemble(joint_arm(beam=LINK, start=-1.0, drive=(fb.TorqueSource("motor"),)))
    lin = fb.linearize(dae, fb.equilibrium(dae, x={"joint.angle": -np.pi / 2}))
    found = lin.validity(dae)
    for share, column in ((0.01, "1 %"), (0.1, "10 %")):
        expected = brentq(lambda a, share=share: 1 - np.sin(a) / a - share, 1e-3, 3.0)
        assert found.loc["joint.angle", column] == pytest.approx(expected, rel=2e-3)
    assert found.loc["joint.angle", "by"] == "rates"
    assert found.loc["joint.angle", "unit"] == "rad"
    assert np.all(np.isinf(found.loc[["der(joint.angle)", "motor.torque"], "1 %"]))


def test_amplitude_of_an_elbow_by_what_torques_do() -> None:
    """Two rigid links without gravity: nothing but the mass matrix changes with the elbow."""
    model = fb.Model("two links", gravity=(0.0, 0.0, 0.0))
    last: fb.Block = model.add(fb.Ground("ground"))
    for k in (1, 2):
        joint, motor = model.add(fb.Revolute(f"joint{k}", start=0.3)), model.add(fb.TorqueSource(f"motor{k}"))
        link = model.add(fb.RigidLink(f"link{k}", 0.5, 0.4))
        model.connect(motor.flange_b, joint.axis)
        model.connect(last.frame_b, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        last = link
    dae = fb.assemble(model)
    lin = fb.linearize(dae)
    found = lin.validity(dae, errors=(0.05,))
    assert list(found.columns) == ["unit", "5 %", "by"]
    assert np.isinf(found.loc["joint1.angle", "5 %"])
    assert found.loc["joint2.angle", "by"] == "effects of inputs"
    q = lin.operating_point.x[:2]
    root = np.linalg.cholesky(dae.mass_matrix(q, []).full()).T

    def change(amount: float) -> float:
        before, after = (np.linalg.inv(dae.mass_matrix(q + np.array([0, a]), []).full()) for a in (0.0, amount))
        return float(np.max(np.linalg.norm(root @ (after - before), axis=0) / np.linalg.norm(root @ before, axis=0)))

    nearest = min(brentq(lambda a, s=sign: change(s * a) - 0.05, 1e-6, 0.3) for sign in (1, -1))
    assert found.loc["joint2.angle", "5 %"] == pytest.approx(nearest, rel=5e-3)


def test_amplitudes_stay_where_blocks_have_a_meaning() -> None:
    dae = fb.assemble(models.theodore_ghosal_1995("RP", n=1, shapes="fixed"))
    found = fb.linearize(dae).validity(dae)
    low = next(body for body in dae.tree.bodies if body.name == "link3").terms.block.coordinates()[0]
    extension = fb.linearize(dae).operating_point["link3.displacement"]
    assert found.loc["link3.displacement", "10 %"] <= max(extension - low.low, low.high - extension)
    assert (found["1 %"] <= found["10 %"]).all()


@pytest.mark.parametrize("errors", [(), (0.0,), (1.5,), 0.1])
def test_refused_shares(arm: fb.DAE, lin: fb.LinearModel, errors: object) -> None:
    with pytest.raises(ParameterError, match="must be shares between 0 and 1"):
        lin.validity(arm, errors)  # type: ignore[arg-type]
