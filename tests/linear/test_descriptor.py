"""The descriptor form: the equations as they stand, with the same finite eigenvalues and the same transfer function."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

import flexblocks as fb
from arms.library import subudhi_morris
from arms.linkages import FourBar, G, parallelogram
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from flexblocks import export, models
from flexblocks.errors import ComputationError, FlexblocksWarning, ParameterError

LINK = fb.RigidLink("link", length=0.5, mass=0.1)


@cache
def arms() -> dict[str, fb.DAE]:
    spatial = fb.Model("spatial", gravity=(0.0, 0.0, -9.81))
    shoulder, beam = (
        spatial.add(fb.Universal("shoulder")),
        spatial.add(
            fb.FlexibleBeam(
                "beam", 1.0, 0.4, 30.0, discretization=fb.AssumedModes(2, tip="free"), bending="yz", damping_ratio=0.01
            )
        ),
    )
    load = spatial.add(fb.Payload("load", mass=0.5, inertia=((2e-3, 0, 1e-4), (0, 3e-3, 0), (1e-4, 0, 4e-3))))
    spatial.connect(spatial.add(fb.Ground("ground")).frame_b, shoulder.frame_a)
    spatial.connect(shoulder.frame_b, beam.frame_a)
    spatial.connect(beam.frame_b, load.frame_a)
    drive = (DCMotor("motor"), HardeningSpring("hard"))
    return {
        "paper": subudhi_morris(),
        "in space": fb.assemble(spatial),
        "current, algebraic variable": fb.assemble(joint_arm(beam=LINK, drive=drive)),
        "states that follow": fb.assemble(models.theodore_ghosal_1995("RP")),
        "algebraic variables that follow": fb.assemble(models.theodore_ghosal_1995("RP", shapes="algebraic")),
        "four-bar": fb.assemble(FourBar(rigidity=0.5).model()),
    }


NAMES = (
    "paper",
    "in space",
    "current, algebraic variable",
    "states that follow",
    "algebraic variables that follow",
    "four-bar",
)


@cache
def both(name: str) -> tuple[fb.LinearModel, fb.LinearModel]:
    point = fb.equilibrium(arms()[name])
    return tuple(fb.linearize(arms()[name], point, form=form) for form in ("descriptor", "minimal"))


def transfer(lin: fb.LinearModel, s: complex) -> np.ndarray:
    return lin.C @ np.linalg.solve(s * lin.E - lin.A, lin.B.astype(complex)) + lin.D


@pytest.mark.parametrize("name", NAMES)
def test_finite_eigenvalues_are_those_of_the_minimal_form(name: str) -> None:
    whole, small = both(name)
    values = scipy.linalg.eigvals(whole.A, whole.E)
    values = values[np.isfinite(values) & (np.abs(values) < 1e7)]
    assert len(values) == len(small.states) < len(whole.states) + (name in ("paper", "in space"))
    found = whole.modes().eigenvalue
    np.testing.assert_allclose(found, small.modes().eigenvalue, rtol=1e-12)
    swinging = np.sort(np.abs(values))[np.sum(np.abs(values) < 1e-2) :]
    expected = [abs(v) for v in found for _ in range(2 if v.imag else 1) if v]
    np.testing.assert_allclose(swinging, np.sort(expected), rtol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_transfer_function_is_that_of_the_minimal_form(name: str) -> None:
    """Solved for with all algebraic variables and forces of constraint in place."""
    whole, small = both(name)
    for s in (0.3 + 1j, 2 + 30j, 400j + 5):
        expected = transfer(small, s)
        np.testing.assert_allclose(
            transfer(whole, s), expected, rtol=1e-8, atol=1e-9 * np.max(np.abs(expected), initial=0)
        )


@pytest.mark.parametrize("name", NAMES)
def test_minimal_form_follows_from_the_matrices_alone(name: str, tmp_path: Path) -> None:
    whole, small = both(name)
    export.save_linear(whole, tmp_path / "arm.json")
    for lin in (whole, fb.load(tmp_path / "arm.json")):
        again = lin.minimal()
        assert (again.form, again.states, again.state_units) == ("minimal", small.states, small.state_units)
        for matrix in "ABCDE":
            expected = getattr(small, matrix)
            np.testing.assert_allclose(
                getattr(again, matrix), expected, atol=1e-12 * np.max(np.abs(expected), initial=0)
            )
    assert small.minimal() is small


def test_mass_matrix_stands_on_the_left() -> None:
    dae, (whole, _) = arms()["paper"], both("paper")
    n = dae.tree.size
    expected = scipy.linalg.block_diag(np.eye(n), dae.mass_matrix(whole.operating_point.x[:n], []).full())
    np.testing.assert_allclose(whole.E, expected, atol=1e-15)
    np.testing.assert_array_equal(whole.A[:n], np.eye(2 * n)[n:])
    i = whole.equations.index("balance at rotor1.angle")
    assert whole.equation_units[i] == "N m"
    assert whole.A[i, whole.states.index("rotor1.angle")] == pytest.approx(-100.0)  # the spring
    assert whole.B[i].tolist() == [1.0, 0.0]
    assert whole.equation_units[whole.equations.index("balance at link1.bending_y[1]")] == "N"


def test_rows_and_columns_by_name() -> None:
    whole, _ = both("current, algebraic variable")
    assert whole.states == ("joint.angle", "der(joint.angle)", "motor.current", "hard.torque")
    rows = (
        "rate of joint.angle",
        "balance at joint.angle",
        "rate of motor.current",
        "algebraic equation of hard.torque",
    )
    assert whole.equations == rows
    assert whole.equation_units == ("rad/s", "N m", "A/s", "")
    assert not whole.E[3].any()
    loop, _ = both("four-bar")
    assert loop.states[-3:] == ("elbow.loop_force_x", "elbow.loop_force_y", "elbow.loop_torque_z")
    assert loop.state_units[-3:] == ("N", "N", "N m")
    assert loop.equations[-3:] == tuple(f"closure of {name}" for name in loop.states[-3:])
    assert loop.equation_units[-3:] == ("m", "m", "rad")
    n = arms()["four-bar"].tree.size
    np.testing.assert_array_equal(loop.A[n : 2 * n, -3:], loop.A[-3:, :n].T)
    slides, _ = both("states that follow")
    assert slides.equations[-2:] == ("relation of link3.beta[1]", "relation of link3.beta[2]")


def test_forces_of_constraint_at_the_operating_point() -> None:
    """A bar of 1 kg hangs level on two cranks of 0.3 kg: each pin bears half of it."""
    dae = fb.assemble(parallelogram(2))
    whole = fb.linearize(dae, fb.equilibrium(dae), form="descriptor")
    force = whole.state_values[[whole.states.index(f"bar.loop_force_{axis}") for axis in "xy"]]
    assert np.linalg.norm(force) == pytest.approx(0.5 * G)
    rate = np.sqrt((2 * 0.3 * 0.1 + 0.2) * G / (2 * 0.3 * 0.2**2 / 3 + 0.2**2))
    values = scipy.linalg.eigvals(whole.A, whole.E)
    values = values[np.isfinite(values) & (np.abs(values) < 1e4)]
    np.testing.assert_allclose(values.imag, [rate, -rate], rtol=1e-9)


def test_outputs_may_be_algebraic_variables() -> None:
    dae = arms()["current, algebraic variable"]
    whole, small = (fb.linearize(dae, outputs=("hard.torque",), form=form) for form in ("descriptor", "minimal"))
    assert whole.C.tolist() == [[0, 0, 0, 1]]
    assert small.output_units == ("N m",)
    # 0.01 z^3 + 0.1 z = angle
    z = whole.operating_point["hard.torque"]
    assert small.C[0] == pytest.approx([1 / (0.03 * z**2 + 0.1), 0, 0])


def test_everything_takes_the_descriptor_form() -> None:
    whole, small = both("four-bar")
    np.testing.assert_allclose(whole.to_control().A, small.A, rtol=1e-12)
    assert (whole.report().controllable, whole.report().states) == (small.report().controllable, 6)
    assert fb.reduce(whole, 2).states == fb.reduce(small, 2).states
    assert "descriptor form" in repr(whole)


def test_in_motion() -> None:
    """A tree may move; closures that change with time cannot be frozen."""
    dae = arms()["paper"]
    with pytest.warns(FlexblocksWarning):
        whole, small = (fb.linearize(dae, {"der(joint1.angle)": 2.0}, form=f) for f in ("descriptor", "minimal"))
    np.testing.assert_allclose(whole.minimal().A, small.A, atol=1e-12 * np.max(np.abs(small.A)))
    loop = arms()["four-bar"]
    for at in ({"der(crank_joint.angle)": 2.0}, {"motor.torque": 3.0}):
        with pytest.warns(FlexblocksWarning), pytest.raises(ComputationError, match="closures change with time"):
            fb.linearize(loop, at, form="descriptor")


def test_refused() -> None:
    with pytest.raises(ParameterError, match=r"form = 'descriptr'\. Did you mean descriptor"):
        fb.linearize(arms()["paper"], form="descriptr")


@pytest.mark.parametrize("suffix", [".mat", ".npz", ".json"])
def test_round_trip(tmp_path: Path, suffix: str) -> None:
    for name in ("four-bar", "current, algebraic variable"):
        whole, _ = both(name)
        export.save_linear(whole, tmp_path / f"arm{suffix}")
        again = fb.load(tmp_path / f"arm{suffix}")
        assert (again.equations, again.equation_units, again.form) == (
            whole.equations,
            whole.equation_units,
            "descriptor",
        )
        for matrix in "ABCDE":
            assert np.array_equal(getattr(again, matrix), getattr(whole, matrix))
        assert np.array_equal(again.state_values, whole.state_values)


def test_files_for_programs_hold_e(tmp_path: Path) -> None:
    whole, _ = both("four-bar")
    export.save_linear(whole, tmp_path / "arm.py")
    export.save_linear(whole, tmp_path / "arm.json")
    scope: dict = {}
    exec((tmp_path / "arm.py").read_text(), scope)
    assert np.array_equal(scope["E"], whole.E)
    assert scope["EquationName"] == list(whole.equations)
    assert json.loads((tmp_path / "arm.json").read_text())["E"] == whole.E.tolist()
    assert dataclasses.replace(whole, name="x").form == "descriptor"
