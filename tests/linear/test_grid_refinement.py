"""Grids of arms with heavy payloads: interpolation by velocities, refinement to a tolerance, Ctrl-C."""

from __future__ import annotations

import itertools
import signal
from functools import cache

import numpy as np
import pytest
import scipy.linalg

import flexblocks as fb
from flexblocks import export, models
from flexblocks.errors import FlexblocksWarning, ParameterError
from flexblocks.linear.grid import axes
from flexblocks.linear.grid.energy_interpolation import between, interpolated_mass
from flexblocks.linear.grid.interpolation_error import interpolation_errors

TIP = ("payload.x", "payload.y")


@cache
def crane() -> fb.DAE:
    """Two booms of 10 and 8 m, 100 kg/m, with a payload of any mass."""
    model = fb.Model("crane", gravity=(0.0, -9.81, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i, length in enumerate((10.0, 8.0), 1):
        motor, joint = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Revolute(f"joint{i}"))
        boom = fb.FlexibleBeam(
            f"boom{i}", length, 100.0, 4e7, discretization=fb.AssumedModes(2, tip="free"), damping_ratio=0.01
        )
        model.add(boom)
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, boom.frame_a)
        place = boom.frame_b
    model.connect(place, model.add(fb.Payload("payload", 100.0, inertia=10.0)).frame_a)
    return fb.assemble(model, symbolic=("payload.mass",))


@cache
def small_arm() -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(modes=1), symbolic=("payload.mass",))


def crane_at(angle: float, payload: float) -> fb.LinearModel:
    """The crane linearised by itself, its first joint at 0.6 rad."""
    point = fb.equilibrium(crane(), {"joint1.angle": 0.6, "joint2.angle": angle}, p={"payload.mass": payload})
    return fb.linearize(crane(), point, outputs=TIP)


def random_matrix(n: int, rank: int, seed: int) -> np.ndarray:
    F = np.random.default_rng(seed).normal(size=(n, rank)) * np.logspace(-3, 3, n)[:, None]
    return F @ F.T


# --- mass matrices ---


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_the_geodesic_is_that_of_bures_and_wasserstein(share: float) -> None:
    """Closed form by optimal transport: M(s) = S A S with S = (1 - s) + s A^-1 # B, in scaled rows and columns."""
    A, B = random_matrix(5, 5, 0), random_matrix(5, 5, 1)
    d = np.sqrt((np.diag(A) + np.diag(B)) / 2)
    a, b = A / np.outer(d, d), B / np.outer(d, d)
    root = scipy.linalg.sqrtm(a)
    inverse = np.linalg.inv(root)
    S = (1 - share) * np.eye(5) + share * inverse @ scipy.linalg.sqrtm(root @ b @ root) @ inverse
    np.testing.assert_allclose(between(A, B, share), (S @ a @ S.T) * np.outer(d, d), rtol=1e-8)


def test_one_body_that_moves_in_one_direction_moves_in_one_direction_between() -> None:
    first, second = np.array([1.0, 0.2, 3.0]), np.array([0.8, -0.1, 3.5])
    found = between(7.0 * np.outer(first, first), 7.0 * np.outer(second, second), 0.25)
    middle = 0.75 * first + 0.25 * second
    np.testing.assert_allclose(found, 7.0 * np.outer(middle, middle), rtol=1e-12)


@pytest.mark.parametrize("rank", [1, 3, 4])
def test_between_does_not_depend_on_units(rank: int) -> None:
    A, B, units = random_matrix(4, rank, 2), random_matrix(4, rank, 3), np.diag([1e3, 1.0, 1e-4, 10.0])
    np.testing.assert_allclose(
        between(units @ A @ units, units @ B @ units, 0.3), units @ between(A, B, 0.3) @ units, rtol=1e-6, atol=1e-12
    )


def test_cells_agree_on_their_common_side_and_affine_axes_are_exact() -> None:
    nodes = [np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0]), np.array([0.0, 2.0])]
    values = np.empty((3, 2, 2, 3, 3))
    for place in np.ndindex(3, 2, 2):
        values[place] = random_matrix(3, 3, 1 + place[0] + 7 * place[1]) + place[2] * random_matrix(3, 3, 50)
    affine = [False, False, True]
    sides = [interpolated_mass(values, nodes, affine, (1.0 + step, 0.4, 1.2)) for step in (-1e-9, 0.0, 1e-9)]
    for side in sides:
        np.testing.assert_allclose(side, sides[1], rtol=1e-6)
    inside = interpolated_mass(values, nodes, affine, (1.0, 1.0, 0.5))
    np.testing.assert_allclose(inside, values[1, 1, 0] + 0.25 * (values[1, 1, 1] - values[1, 1, 0]), rtol=1e-12)


# --- grids ---


def test_a_heavy_payload_is_interpolated_as_a_light_one() -> None:
    """Linear interpolation of M is off by 75 % in the eigenvalues here: the payload's mass spreads to modes.

    And that of C is off by 28 % in the outputs: what the payload leaves of them is a small difference.
    """
    payload = 1e5  # kg
    held = {"joint1.angle": 0.6, "payload.mass": payload}
    grid = fb.linear_grid(crane(), {"joint2.angle": np.linspace(-1.6, -0.4, 9)}, held, TIP)
    assert grid.errors.max() < 0.01
    # Against models made one by one, and what linear interpolation gives.
    one, other, middle = (crane_at(angle, payload) for angle in (-1.6, -1.45, -1.525))
    own = grid.at({"joint2.angle": -1.525})
    assert np.max(np.abs(own.modes().frequency / middle.modes().frequency - 1)) < 0.01
    linear = (one.structure.mass + other.structure.mass) / 2
    mass = own.structure.mass
    stiff = [
        scipy.linalg.eigh(middle.structure.stiffness, M, eigvals_only=True)[-1]
        for M in (mass, linear, middle.structure.mass)
    ]
    assert 5 * abs(stiff[0] / stiff[2] - 1) < abs(stiff[1] / stiff[2] - 1)


@pytest.mark.parametrize("payload", [pytest.param(1e3, marks=pytest.mark.slow), 1e4])
def test_refined_to_a_tolerance(payload: float) -> None:
    held = {"joint1.angle": 0.6, "payload.mass": payload}
    grid = fb.linear_grid(crane(), {"joint2.angle": [-1.6, -1.0, -0.4]}, held, TIP, tolerance=0.02)
    assert grid.errors.max() <= 0.02
    assert {-1.6, -1.0, -0.4} < set(grid.axes["joint2.angle"])
    # Everywhere, not in the middles alone, against models made one by one.
    places = np.random.default_rng(3).uniform(-1.6, -0.4, 8)
    pairs = [(grid.at({"joint2.angle": q}), crane_at(q, payload)) for q in places.tolist()]
    found = interpolation_errors(*zip(*pairs, strict=True))
    assert max(max(error.eigenvalue, error.output) for error in found) < 0.03


def test_refined_only_along_the_axis_that_needs_it() -> None:
    over = {"joint2.angle": [0.4, 1.2], "payload.mass": [0.1, 0.11]}
    grid = fb.linear_grid(small_arm(), over, outputs=TIP, tolerance=0.02)
    assert grid.errors.max() <= 0.02
    assert len(grid.axes["joint2.angle"]) > 2 == len(grid.axes["payload.mass"])


@pytest.mark.parametrize(
    ("limit", "value", "words"),
    [
        ("refine.FINEST", 0.2, "smaller steps do not help there"),
        ("linearize_grid.MOST_POINTS", 9, "more than 9 points"),
    ],
)
def test_a_tolerance_out_of_reach_is_told(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: float, words: str
) -> None:
    monkeypatch.setattr(f"flexblocks.linear.grid.{limit}", value)
    with pytest.warns(FlexblocksWarning, match=rf"the tolerance of 1e-06 % was not reached: .*{words}"):
        grid = fb.linear_grid(small_arm(), {"joint2.angle": [0.4, 1.2]}, outputs=TIP, tolerance=1e-8)
    assert 2 < len(grid.axes["joint2.angle"]) < 12


@pytest.mark.parametrize("tolerance", [0.0, -1.0, True, "fine", float("nan")])
def test_bad_tolerances(tolerance: object) -> None:
    with pytest.raises(ParameterError, match=r"tolerance = .*must be a number > 0"):
        fb.linear_grid(crane(), {"joint2.angle": [0.1, 0.2]}, tolerance=tolerance)


def test_saved_grids_interpolate_as_before(tmp_path) -> None:
    grid = fb.linear_grid(
        small_arm(), {"joint2.angle": [0.4, 1.2], "payload.mass": [0.1, 10.0]}, outputs=TIP, tolerance=0.5
    )
    export.save_grid(grid, tmp_path / "grid.nc")
    place = {"joint2.angle": 0.7, "payload.mass": 3.0}
    np.testing.assert_array_equal(fb.load(tmp_path / "grid.nc").at(place).A, grid.at(place).A)


# --- Ctrl-C ---


def interrupted_at(monkeypatch: pytest.MonkeyPatch, point: int) -> None:
    """Press Ctrl-C while the point of this number is computed."""
    original, points = axes.equilibrium, itertools.count(1)

    def interrupted(*arguments):
        if next(points) == point:
            signal.raise_signal(signal.SIGINT)
        return original(*arguments)

    monkeypatch.setattr(axes, "equilibrium", interrupted)


@pytest.mark.slow
def test_control_c_keeps_the_complete_part(monkeypatch: pytest.MonkeyPatch) -> None:
    over = {"joint2.angle": np.linspace(0.2, 0.8, 7), "payload.mass": [0.1, 0.2]}
    whole = fb.linear_grid(small_arm(), over, outputs=TIP)
    before = signal.getsignal(signal.SIGINT)
    interrupted_at(monkeypatch, 2 + 3 * 3 + 2)  # two points, then cells with a middle and two points each
    with pytest.warns(FlexblocksWarning, match=r"was interrupted; the grid ends at joint2\.angle = 0\.5 of 0\.8 rad"):
        part = fb.linear_grid(small_arm(), over, outputs=TIP, tolerance=1e-9)
    np.testing.assert_array_equal(part.axes["joint2.angle"], over["joint2.angle"][:4])
    np.testing.assert_array_equal(part.dataset["A"], whole.dataset["A"][:4])
    assert part.error_at({"joint2.angle": 0.25, "payload.mass": 0.1}) == whole.error_at(
        {"joint2.angle": 0.25, "payload.mass": 0.1}
    )
    assert signal.getsignal(signal.SIGINT) is before


def test_control_c_before_anything_is_complete_is_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted_at(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        fb.linear_grid(crane(), {"joint2.angle": [0.1, 0.2, 0.3]})


def test_control_c_during_refinement_keeps_the_grid_before(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted_at(monkeypatch, 8)
    with pytest.warns(FlexblocksWarning, match=r"the tolerance of 0\.0001 % was not reached: it was interrupted"):
        grid = fb.linear_grid(small_arm(), {"joint2.angle": [0.4, 0.8, 1.2]}, outputs=TIP, tolerance=1e-6)
    assert len(grid.axes["joint2.angle"]) >= 3
    assert np.isfinite(grid.errors).all()
