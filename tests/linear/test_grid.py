"""Linear models over grids: against single linearisations, closed forms, and modes that cross or veer."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.io

import flexblocks as fb
from arms.library import subudhi_morris
from arms.linkages import FourBar
from arms.one_link import HardeningSpring, joint_arm
from flexblocks import export, models
from flexblocks.errors import ComputationError, FileFormatError, FlexblocksWarning, NameUnknownError, ParameterError

OVER = {"joint2.angle": np.linspace(0.2, 0.8, 4), "payload.mass": [0.05, 0.1]}


@pytest.fixture(scope="module")
def arm() -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))


@pytest.fixture(scope="module")
def grid(arm: fb.DAE) -> fb.LinearGrid:
    return fb.linear_grid(arm, over=OVER, outputs=("payload.x", "payload.y"))


def single(dae: fb.DAE, **given) -> fb.LinearModel:
    groups = ({k: v for k, v in given.items() if k in group} for group in (dae.x, dae.u, dae.p))
    return fb.linearize(dae, fb.equilibrium(dae, *groups), outputs=("payload.x", "payload.y"))


@cache
def two_rotors(coupling: float) -> fb.DAE:
    """Rotors a and b, each on a spring of 40 N m/rad to the ground, and a spring between them."""
    model = fb.Model("two rotors")
    model.add(fb.Ground("ground"))
    for name in "ab":
        rotor, spring = model.add(fb.Rotor(name, 0.1)), model.add(fb.TorsionalSpring(f"spring_{name}", 40.0, 0.0))
        model.connect(model.add(fb.Fixed(f"lock_{name}")).flange_b, spring.flange_a)
        model.connect(spring.flange_b, rotor.flange_b)
    if coupling:
        link = model.add(fb.TorsionalSpring("link", coupling, 0.0))
        model.connect("a.flange_a", link.flange_a)
        model.connect(link.flange_b, "b.flange_a")
    return fb.assemble(model, symbolic=("a.inertia",))


# --- at the points and between them ---


def test_points_are_single_linearizations(arm: fb.DAE, grid: fb.LinearGrid) -> None:
    for angle in OVER["joint2.angle"]:
        for mass in OVER["payload.mass"]:
            place = {"joint2.angle": angle, "payload.mass": mass}
            expected, found = single(arm, **place), grid.at(place)
            for matrix in "ABCD":
                np.testing.assert_allclose(
                    getattr(found, matrix), getattr(expected, matrix), rtol=1e-9, atol=1e-9 * np.max(np.abs(expected.A))
                )
            np.testing.assert_allclose(found.modes().frequency, expected.modes().frequency, rtol=1e-9, atol=1e-9)
            assert found.operating_point["payload.mass"] == pytest.approx(mass)
            assert (found.states, found.outputs, found.state_units) == (
                expected.states,
                expected.outputs,
                expected.state_units,
            )
            for mode, other in zip(found.modes(), expected.modes(), strict=True):
                assert mode.participation == pytest.approx(other.participation, abs=1e-8)


def test_told_errors_are_those_of_the_true_model_in_the_middle(arm: fb.DAE) -> None:
    over = {"joint2.angle": [0.2, 1.0, 1.4], "payload.mass": [0.05, 0.1]}
    grid = fb.linear_grid(arm, over=over, outputs=("payload.x", "payload.y"))
    place = {"joint2.angle": 0.6, "payload.mass": 0.075}
    true = single(arm, **place)
    with pytest.warns(FlexblocksWarning, match=r"in the middle of this cell is large: eigenvalues .* refine the grid"):
        found = grid.at(place)
    told = grid.error_at({"joint2.angle": 0.79, "payload.mass": 0.06})
    off = np.abs(found.modes().frequency[2:] / true.modes().frequency[2:] - 1)
    assert told.eigenvalue == pytest.approx(np.max(off), rel=1e-6)
    assert told.mode == true.modes()[2 + int(np.argmax(off))].motion
    place, worst = grid.worst_cell
    assert worst.largest >= told.largest
    assert str(worst) in str(grid)
    np.testing.assert_array_equal(found.modes().frequency[:2], 0)  # rigid-body motions stay exactly that


@pytest.mark.slow
def test_interpolation_converges_with_the_fourth_power_of_the_step(arm: fb.DAE) -> None:
    errors = []
    for steps in (4, 8, 16):
        grid = fb.linear_grid(arm, over={"joint2.angle": np.linspace(0.8, 1.4, steps + 1)}, outputs="payload.x")
        errors.append([grid.worst_cell[1].eigenvalue, grid.worst_cell[1].output])
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert np.all((ratios > 10) & (ratios < 24))


def test_mass_that_enters_linearly_is_interpolated_exactly() -> None:
    """E and A are interpolated, so that frequencies sqrt(k/J) come out right although they are not linear in J."""
    grid = fb.linear_grid(two_rotors(0.0), over={"a.inertia": [0.05, 0.4]})
    assert grid.worst_cell[1].largest < 1e-12
    found = grid.at({"a.inertia": 0.13}, form="descriptor")
    assert found.form == "descriptor"
    assert sorted(found.modes().frequency) == pytest.approx(sorted([np.sqrt(40 / 0.13), 20.0]), rel=1e-12)


@pytest.mark.slow
def test_closed_loops_and_algebraic_variables_have_grids() -> None:
    loop = fb.assemble(FourBar(rigidity=0.5).model(), symbolic=("rocker.mass",))
    grid = fb.linear_grid(loop, over={"crank_joint.angle": np.linspace(1.0, 1.4, 9), "rocker.mass": [0.5, 0.6]})
    assert grid.worst_cell[1].eigenvalue < 1e-3
    place = {"crank_joint.angle": 1.2, "rocker.mass": 0.55}
    found = grid.at(place)
    expected = fb.linearize(loop, fb.equilibrium(loop, {"crank_joint.angle": 1.2}, p={"rocker.mass": 0.55}))
    assert found.states == expected.states
    np.testing.assert_allclose(found.modes().eigenvalue, expected.modes().eigenvalue, rtol=1e-3)
    hard = joint_arm(beam=fb.RigidLink("link", 0.5, 0.1), drive=(HardeningSpring("hard"), fb.TorqueSource("motor")))
    grid = fb.linear_grid(fb.assemble(hard), over={"joint.angle": np.linspace(0.1, 0.5, 5)})
    lin = grid.at({"joint.angle": 0.3})
    z = lin.operating_point["hard.torque"]
    stiffness = 1 / (0.03 * z**2 + 0.1) - 0.1 * 0.25 * 9.81 * np.sin(0.3)
    assert lin.structure.stiffness[0, 0] == pytest.approx(stiffness, rel=1e-9)


def test_an_arm_in_space_over_two_angles() -> None:
    dae = fb.assemble(models.theodore_ghosal_1995("RRP", n=1))
    names = ("joint1.angle", "joint2.angle", "link3.displacement")
    grid = fb.linear_grid(dae, over={names[1]: np.linspace(0.1, 0.3, 3), names[2]: [0.28, 0.3]}, at={names[0]: 0.4})
    assert grid.at({names[1]: 0.2, names[2]: 0.3}).operating_point[names[0]] == pytest.approx(0.4)
    assert grid.worst_cell[1].eigenvalue < 0.02


def test_along_a_motion(arm: fb.DAE) -> None:
    run = fb.simulate(
        arm, np.linspace(0, 1, 201), u={"motor1.torque": lambda t: 0.2 * np.sin(2 * np.pi * t)}, rtol=1e-9
    )
    grid = fb.linear_grid(arm, over={"time": np.linspace(0.1, 0.9, 9)}, at=run, outputs="payload.y")
    assert grid.dataset["time"].attrs["units"] == "s"
    with pytest.warns(FlexblocksWarning, match="not an equilibrium"):
        expected = fb.linearize(arm, {"x": run.x[100], "u": run.u[100], "p": run.p}, outputs="payload.y")
    found = grid.at({"time": 0.5})
    np.testing.assert_allclose(found.A, expected.A, atol=1e-6 * np.max(np.abs(expected.A)))
    np.testing.assert_allclose(found.C, expected.C, atol=1e-6)
    for over, words in (
        ({"time": [0.5, 1.5]}, r"time from 0\.5 to 1\.5 s; the motion goes from 0 to 1 s"),
        ({"joint1.angle": [0.5, 1.5]}, r"along a Trajectory it must be \{'time'"),
    ):
        with pytest.raises(ParameterError, match=words):
            fb.linear_grid(arm, over=over, at=run)
    with pytest.raises(ParameterError, match="a Trajectory of 'Subudhi & Morris 2002, 2 links'; must be one of"):
        fb.linear_grid(subudhi_morris(modes=1), over={"time": [0, 1]}, at=run)


def test_along_a_motion_of_loops_is_refused() -> None:
    loop = fb.assemble(FourBar().model())
    run = fb.simulate(loop, np.linspace(0, 0.2, 41), u={"motor.torque": 0.5})
    with pytest.raises(ComputationError, match="closures change with time"):
        fb.linear_grid(loop, over={"time": [0.1, 0.15]}, at=run)


# --- modes followed ---


def test_modes_that_cross_keep_their_numbers() -> None:
    """Rotor a gets heavier than b: its frequency sqrt(k/J) falls below that of b, which stays, and they do not mix."""
    inertia = np.linspace(0.05, 0.2, 7)  # the fourth is that of b, where the frequencies are equal
    grid = fb.linear_grid(two_rotors(0.0), over={"a.inertia": np.r_[inertia[:2], 0.1, inertia[3:]]})
    frequency = grid.dataset["frequency"].values
    of_b, of_a = frequency.T
    np.testing.assert_allclose(of_b, 20.0, rtol=1e-9)
    np.testing.assert_allclose(of_a, np.sqrt(40 / grid.axes["a.inertia"]), rtol=1e-9)
    assert grid.dataset["mac"].values == pytest.approx(1)
    assert grid.doubtful().empty
    shares = grid.dataset["participation"].sel(block="spring_b", mode=1).values
    np.testing.assert_allclose(np.delete(shares, 2), 1, atol=1e-9)


@pytest.mark.slow
def test_modes_that_veer_are_told() -> None:
    """A soft spring between them: the frequencies come near, do not cross, and the shapes turn into one another."""
    coarse = fb.linear_grid(two_rotors(0.5), over={"a.inertia": [0.08, 0.1, 0.12]})
    assert set(coarse.doubtful()["mode"]) == {1, 2}
    assert set(coarse.doubtful().columns) == {"a.inertia", "mode", "frequency", "mac"}
    assert "of doubtful identity (MAC below 0.8): 1, 2" in str(coarse)
    fine = fb.linear_grid(two_rotors(0.5), over={"a.inertia": np.linspace(0.08, 0.12, 81)})
    assert fine.doubtful().empty
    slow, fast = np.sort(fine.dataset["frequency"].values, axis=1).T
    # In small steps each shape is followed along its branch, which the frequencies do not leave.
    np.testing.assert_array_equal(fine.dataset["frequency"].values, np.column_stack([slow, fast]))
    K = np.array([[40.5, -0.5], [-0.5, 40.5]])
    expected = [np.sqrt(np.linalg.eigvals(np.diag([1 / J, 10.0]) @ K)) for J in fine.axes["a.inertia"]]
    np.testing.assert_allclose(np.column_stack([slow, fast]), np.sort(expected, axis=1), rtol=1e-9)


def test_a_motion_that_becomes_unstable_is_two_modes_then() -> None:
    """A link held at an angle swings below the horizontal, and falls above: one pair becomes two real eigenvalues."""
    hinge = joint_arm(beam=fb.RigidLink("link", 0.5, 0.1), drive=(fb.TorqueSource("motor"),))
    grid = fb.linear_grid(fb.assemble(hinge), over={"joint.angle": [-0.6, -0.3, 0.3, 0.6]})
    rate = 1.5 * 9.81 / 0.5 * np.sin(np.array([-0.6, -0.3, 0.3, 0.6]))
    real, imag = grid.dataset["eigenvalue_real"].values, grid.dataset["eigenvalue_imag"].values
    np.testing.assert_allclose(imag[:2, 0], np.sqrt(-rate[:2]), rtol=1e-9)
    np.testing.assert_allclose(real[2:, 0] ** 2, rate[2:], rtol=1e-9)
    np.testing.assert_allclose(real[2:, 1], -real[2:, 0], rtol=1e-9)
    assert np.isnan(real[:2, 1]).all()


# --- files ---


def test_netcdf_holds_everything(grid: fb.LinearGrid, tmp_path: Path) -> None:
    export.save_grid(grid, tmp_path / "arm.nc")
    again = fb.load(tmp_path / "arm.nc")
    assert again.dataset.identical(grid.dataset)
    assert again.model.blocks == grid.model.blocks
    assert str(again) == str(grid)
    place = {"joint2.angle": 0.4, "payload.mass": 0.1}
    assert np.array_equal(again.at(place).A, grid.at(place).A)
    export.save_linear(again.at(place), tmp_path / "one.json")
    assert np.array_equal(fb.load(tmp_path / "one.json").A, grid.at(place).A)


def test_mat_holds_the_axes_last(grid: fb.LinearGrid, tmp_path: Path) -> None:
    export.save_grid(grid, tmp_path / "arm.mat")
    found = scipy.io.loadmat(tmp_path / "arm.mat")
    lin = grid.at({"joint2.angle": OVER["joint2.angle"][2], "payload.mass": 0.1}, form="descriptor")
    for matrix in "ABCDE":
        np.testing.assert_allclose(found[matrix][..., 2, 1], getattr(lin, matrix), atol=1e-12)
    assert [cell[0] for cell in found["AxisName"][:, 0]] == ["joint2.angle", "payload.mass"]
    np.testing.assert_array_equal(found["AxisValue"][0, 0].ravel(), OVER["joint2.angle"])
    assert [cell[0] for cell in found["EquationName"][:, 0]] == list(lin.equations)
    np.testing.assert_allclose(found["Frequency"][:, 2, 1], lin.modes().frequency, rtol=1e-9, atol=1e-9)
    assert found["ErrorEigenvalue"].shape == (3, 1)


def test_files_that_are_none(grid: fb.LinearGrid, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"suffix '.csv'; must be one of .nc, .mat"):
        export.save_grid(grid, tmp_path / "arm.csv")
    with pytest.raises(FileFormatError, match="there is no such file"):
        fb.load(tmp_path / "arm.nc")
    (tmp_path / "arm.nc").write_text("nothing")
    with pytest.raises(FileFormatError, match="not a readable"):
        fb.load(tmp_path / "arm.nc")
    grid.dataset[["frequency"]].assign_attrs(flexblocks="linear grid").to_netcdf(tmp_path / "other.nc")
    with pytest.raises(FileFormatError, match="holds no E, A, B"):
        fb.load(tmp_path / "other.nc")


# --- bad input ---


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"over": {}}, ParameterError, "must be a dict of values by name"),
        ({"over": {"joint2.angel": [0, 1]}}, NameUnknownError, r"no coordinate.*Did you mean joint2\.angle"),
        ({"over": {"payload.inertia": [0, 1]}}, NameUnknownError, r"symbolic=\('payload\.inertia',\)"),
        ({"over": {"der(joint2.angle)": [0, 1]}}, ParameterError, "is a rate"),
        ({"over": {"joint2.angle": [1, 0]}}, ParameterError, "must be two or more increasing numbers"),
        ({"over": {"joint2.angle": [1]}}, ParameterError, "two or more"),
        ({"over": OVER, "at": {"joint2.angle": 1.0}}, ParameterError, "held by `at` and varies"),
        ({"over": OVER, "outputs": "payload.w"}, NameUnknownError, "no output or state"),
    ],
)
def test_bad_grids(arm: fb.DAE, given: dict, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        fb.linear_grid(arm, **given)


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        ({"joint2.angle": 0.9, "payload.mass": 0.1}, ParameterError, r"0\.9; must be between 0\.2 and 0\.8 rad"),
        ({"joint2.angle": 0.3}, ParameterError, r"payload\.mass = None; must be between"),
        ({"joint2.angel": 0.3}, NameUnknownError, r"Did you mean joint2\.angle"),
    ],
)
def test_bad_places(grid: fb.LinearGrid, values: dict, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        grid.at(values)
