"""Where pictures show force elements: at the places that their frames have by hand."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import flexblocks as fb
from arms import force_arms

mpl.use("Agg")

from flexblocks import plot


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def drawn(ax, label: str) -> np.ndarray:
    line = next(line for line in ax.lines if line.get_label() == label)
    return np.column_stack(line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data())


@pytest.mark.parametrize("angle", [0.0, 0.6])
def test_a_cylinder_reaches_from_eye_to_eye(angle):
    dae = fb.assemble(force_arms.boom())
    ax = plot.arm(dae, {"hinge.angle": angle})
    foot, head = np.array([0.4, -0.9]), np.array([np.cos(angle), np.sin(angle)])
    barrel = drawn(ax, "cylinder")
    np.testing.assert_allclose(barrel[0], foot, atol=1e-12)
    # The barrel keeps its length, the rod comes out of it.
    assert np.linalg.norm(barrel[1] - barrel[0]) == pytest.approx(0.9 * 0.8)
    rod = np.column_stack(
        ax.lines[ax.lines.index(next(x for x in ax.lines if x.get_label() == "cylinder")) + 1].get_data()
    )
    np.testing.assert_allclose(rod, [barrel[1], head], atol=1e-12)


def test_a_rope_goes_over_its_frames():
    dae = fb.assemble(force_arms.hoist())
    ax = plot.arm(dae, {"x.displacement": 0.7, "y.displacement": -3.0})
    np.testing.assert_allclose(drawn(ax, "rope"), [(0, 0), (1.0, 4.0), (0.7, -3.0)], atol=1e-12)


def test_a_contact_shows_its_slope_below_the_ball():
    dae = fb.assemble(force_arms.ball())
    ax = plot.arm(dae, {"x.displacement": 1.0, "y.displacement": 0.6})
    plane = drawn(ax, "contact")
    np.testing.assert_allclose(plane[:, 1], np.tan(0.2) * plane[:, 0], atol=1e-12)
    along = np.array([np.cos(0.2), np.sin(0.2)])
    np.testing.assert_allclose(plane[:4].mean(axis=0), along * (along @ [1.0, 0.6]), atol=1e-12)


@pytest.mark.parametrize("plane", [pytest.param("xy", marks=pytest.mark.slow), "xyz"])
def test_a_spring_ends_at_its_frames_and_everything_is_named(plane):
    dae = force_arms.everything()
    ax = plot.arm(dae, plane=plane)
    labels = {line.get_label() for line in ax.lines}
    named = {"spring", "line force", "cylinder", "rope", "contact", "external force", "external torque"}
    assert named <= labels
    spring = drawn(ax, "spring")
    # From its outputs: as long in space as the element says.
    told = dae.output(dae.x.start, np.zeros(len(dae.u)), []).full().ravel()[dae.y.index("spring.length")]
    length = np.linalg.norm(spring[-1] - spring[0])
    assert length <= told + 1e-9
    if plane == "xyz":
        assert length == pytest.approx(told, abs=1e-9)


def test_snapshots_follow_the_load_and_show_the_last_rope():
    dae = fb.assemble(force_arms.hoist())
    start = {"y.displacement": -2.9, "x.displacement": 1.0}
    run = fb.simulate(dae, (0.0, 0.1), x0=start)
    ax = plot.snapshots(run)
    np.testing.assert_allclose(drawn(ax, "rope")[-1], [run["x.displacement"][-1], run["y.displacement"][-1]], atol=1e-9)
