"""What is in the pictures: lines that hold the data, labels with units. No picture is compared with another."""

from __future__ import annotations

import pickle
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import models, optim
from flexblocks.errors import NameUnknownError, ParameterError

mpl.use("Agg")

import matplotlib.pyplot as plt

from flexblocks import plot
from flexblocks.modeling.block_layout import layout


@pytest.fixture(scope="module")
def dae() -> fb.DAE:
    return subudhi_morris()


@pytest.fixture(scope="module")
def motion(dae: fb.DAE) -> fb.Trajectory:
    return fb.simulate(dae, np.linspace(0.0, 0.4, 21), u={"motor1.torque": 0.1, "motor2.torque": -0.1})


@pytest.fixture(scope="module")
def lin(dae: fb.DAE) -> fb.LinearModel:
    return fb.linearize(dae)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def points(line) -> np.ndarray:
    return np.column_stack(line.get_data())


def labelled(ax, label: str):
    return next(line for line in ax.lines if line.get_label() == label)


def test_importing_flexblocks_does_not_import_matplotlib():
    code = "import sys, flexblocks; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_importing_plot_does_not_import_pyomo():
    code = "import sys, flexblocks.plot; sys.exit('pyomo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_time_series_shows_the_trajectory(motion):
    names = ["joint1.angle", "joint2.angle"]
    _, given = plt.subplots()
    ax = plot.time_series(motion, names, ax=given, limits={"joint1.angle": 0.3})
    assert ax is given
    for line, name in zip(ax.lines, names, strict=False):
        np.testing.assert_array_equal(points(line), np.column_stack([motion.t, motion[name]]))
    assert [line.get_ydata()[0] for line in ax.lines[2:]] == [-0.3, 0.3]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time [s]", "angle [rad]")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == names


def test_time_series_of_one_variable_names_it_on_the_axis(motion):
    assert plot.time_series(motion, "motor1.torque").get_ylabel() == "motor1.torque [N m]"


def test_rates_and_positions_are_called_so(motion):
    assert plot.time_series(motion, ["der(joint1.angle)", "der(rotor1.angle)"]).get_ylabel() == "rate of angle [rad/s]"
    assert plot.time_series(motion, ["payload.x", "payload.y"]).get_ylabel() == "position [m]"


def test_different_units_do_not_share_axes(motion):
    with pytest.raises(ParameterError, match=r"joint1.angle \[rad\], payload.x \[m\]; .*one unit"):
        plot.time_series(motion, ["joint1.angle", "payload.x"])
    with pytest.raises(NameUnknownError, match=r"Did you mean joint1.angle"):
        plot.time_series(motion, "joint1.angel")
    with pytest.raises(ParameterError, match="none"):
        plot.time_series(motion, [])


def test_stacked_gives_each_group_its_axes(motion):
    found = plot.stacked(motion, ["motor1.torque", ["payload.x", "payload.y"]])
    assert [len(ax.lines) for ax in found] == [1, 2]
    assert [ax.get_ylabel() for ax in found] == ["motor1.torque [N m]", "position [m]"]
    assert [ax.get_xlabel() for ax in found] == ["", "time [s]"]
    with pytest.raises(ParameterError, match="groups is empty"):
        plot.stacked(motion, [])
    with pytest.raises(ParameterError, match="groups is empty"):
        plot.stacked(motion, np.array([]))


def test_arm_is_drawn_where_it_is(dae):
    x = {"joint1.angle": 0.4, "joint2.angle": -0.9, "link2.bending_y[1]": 0.02}
    ax = plot.arm(dae, x, undeformed=True)
    tip = dae.output(dae.x.values(x), np.zeros(2), []).full().ravel()[-3:-1]
    np.testing.assert_allclose(points(labelled(ax, "payload")), [tip], atol=1e-14)
    elbow = 0.5 * np.array([np.cos(0.4), np.sin(0.4)])
    np.testing.assert_allclose(points(labelled(ax, "joint")), [(0, 0), elbow], atol=1e-14)
    links = [line for line in ax.lines if line.get_linewidth() == 3.5]
    np.testing.assert_allclose([points(line)[-1] for line in links], [elbow, tip], atol=1e-14)
    ghost = [line for line in ax.lines if line.get_linestyle() == "--"][-1]
    np.testing.assert_allclose(points(ghost)[-1], elbow + 0.5 * np.array([np.cos(-0.5), np.sin(-0.5)]), atol=1e-14)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x [m]", "y [m]")
    assert ax.get_aspect() == 1.0


def test_exaggeration_scales_the_bending_and_says_so(dae):
    tips = []
    for factor in (1.0, 3.0):
        ax = plot.arm(dae, {"link2.bending_y[1]": 0.01}, exaggeration=factor)
        tips.append(points(labelled(ax, "payload"))[0, 1])
    assert tips[1] == pytest.approx(3 * tips[0], rel=1e-12)
    assert "link (bending x 3)" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_arm_in_other_planes_and_in_space():
    model = fb.Model("vertical")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", axis=(0, -1, 0)))
    link = model.add(fb.RigidLink("link", length=1.0, mass=1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    dae = fb.assemble(model)
    flat = plot.arm(dae, {"joint.angle": 0.5}, plane="xz")
    np.testing.assert_allclose(points(flat.lines[0])[-1], [np.cos(0.5), np.sin(0.5)])
    assert flat.get_ylabel() == "z [m]"
    space = plot.arm(dae, {"joint.angle": 0.5}, plane="xyz")
    assert (space.name, space.get_zlabel()) == ("3d", "z [m]")
    np.testing.assert_allclose(np.array(space.lines[0].get_data_3d())[:, -1], [np.cos(0.5), 0, np.sin(0.5)], atol=1e-15)
    reach = {np.ptp(limits()) for limits in (space.get_xlim, space.get_ylim, space.get_zlim)}
    assert max(reach) == pytest.approx(min(reach))
    with pytest.raises(ParameterError, match="plane = 'xx'"):
        plot.arm(dae, plane="xx")
    with pytest.raises(ParameterError, match="projection='3d'"):
        plot.arm(dae, ax=plt.subplots()[1], plane="xyz")


def test_snapshots_follow_the_tip(dae, motion):
    ax = plot.snapshots(motion, count=5)
    path = points(labelled(ax, "path of payload"))
    tip = np.column_stack([motion["payload.x"], motion["payload.y"]])
    np.testing.assert_allclose(path[[0, -1]], tip[[0, -1]], atol=1e-14)
    np.testing.assert_allclose(path[:, 0].max(), tip[:, 0].max(), atol=1e-5)
    links = [line for line in ax.lines if line.get_linewidth() == 2.2]
    assert len(links) == 5 * 2
    np.testing.assert_allclose(points(links[-1])[-1], tip[-1], atol=1e-14)
    assert "time [s]" in [other.get_ylabel() for other in ax.figure.axes]


def test_snapshots_refuse_what_does_not_belong(dae, motion):
    with pytest.raises(ParameterError, match="count = 1"):
        plot.snapshots(motion, count=1)
    with pytest.raises(ParameterError, match="other states"):
        motion.of(subudhi_morris(links=1))
    with pytest.raises(ParameterError, match=r"does not know its arm.*\.of\(dae\)"):
        plot.snapshots(pickle.loads(pickle.dumps(motion)))


def test_eigenvalues_are_those_of_the_linear_model(lin):
    ax = plot.eigenvalues(lin)
    shown = points(labelled(ax, "eigenvalue"))
    expected = np.linalg.eigvals(lin.A)
    oscillating = np.sort(expected.imag[expected.imag > 1.0])
    np.testing.assert_allclose(np.sort(shown[:, 1][shown[:, 1] > 1.0]), oscillating, rtol=1e-6)
    assert "unstable" not in [line.get_label() for line in ax.lines]
    assert "[1/s]" in ax.get_xlabel()
    assert "[rad/s]" in ax.get_ylabel()
    near = plot.eigenvalues(lin, reach=50.0)
    assert np.abs(points(labelled(near, "eigenvalue"))).max() <= 50.0


def test_unstable_eigenvalues_are_marked():
    """A pendulum held upright falls with sqrt(3 g / (2 l))."""
    model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    link = model.add(fb.RigidLink("link", length=0.5, mass=1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    dae = fb.assemble(model)
    ax = plot.eigenvalues(fb.linearize(dae, fb.equilibrium(dae, x={"joint.angle": np.pi / 2})))
    np.testing.assert_allclose(points(labelled(ax, "unstable")), [(np.sqrt(1.5 * 9.81 / 0.5), 0)], rtol=1e-8, atol=1e-8)


def test_damping_lines_have_their_ratio(lin):
    """Each line is labelled where it leaves the picture."""
    ax = plot.eigenvalues(lin)
    assert len(ax.texts) >= 3
    for text in ax.texts:
        x, y = text.get_position()
        assert -x / np.hypot(x, y) == pytest.approx(float(text.get_text()))


def test_mode_swings_to_both_sides(dae, lin):
    ax = plot.mode(lin, 3)
    payloads = [points(line)[0] for line in ax.lines if line.get_label() == "payload"]
    first = next(mode for mode in lin.modes() if mode.frequency > 1.0)
    assert f"{first.frequency:.4g} rad/s" in ax.get_title()
    # The straight arm swings across itself, to both sides alike.
    assert payloads[0][1] == pytest.approx(-payloads[1][1])
    assert abs(payloads[0][1]) > 1e-4
    with pytest.raises(ParameterError, match="number = 9"):
        plot.mode(lin, 9)


def test_a_mode_is_drawn_as_the_linear_motion_that_it_is(dae, lin):
    """In the fastest modes angle and bending are large and cancel: the links must not look stretched for it."""
    point = fb.equilibrium(dae, x={"joint1.angle": 0.3, "joint2.angle": 0.7})
    linear = fb.linearize(dae, point, outputs=("payload.x", "payload.y"))
    ax = plot.mode(linear, 8)
    payloads = np.array([points(line)[0] for line in ax.lines if line.get_label() == "payload"])
    rest = dae.output(point.x, point.u, []).full().ravel()[[dae.y.index(name) for name in linear.outputs]]
    np.testing.assert_allclose(payloads.mean(axis=0), rest, atol=1e-12)
    along = linear.C[:, : dae.tree.size] @ np.real(linear.modes()[7].shape)
    swing = payloads[1] - payloads[0]
    assert abs(along @ swing) == pytest.approx(np.linalg.norm(along) * np.linalg.norm(swing), rel=1e-9)
    assert 1e-3 < np.linalg.norm(swing) < 2 * 0.06 * 1.2


@pytest.mark.slow
def test_modes_side_by_side(dae, lin):
    axes = plot.modes(lin)
    assert [ax.get_title().split(",")[0] for ax in axes] == [f"mode {i}" for i in range(3, 9)]
    assert "link1 bending" in axes[0].get_title()
    assert len(plot.modes(lin, (3, 5))) == 2
    assert plot.modes(lin, (4,), plane="xyz")[0].name == "3d"
    with pytest.raises(ParameterError, match="number = 9"):
        plot.modes(lin, (9,))
    with pytest.raises(ParameterError, match="no mode to draw"):
        plot.modes(lin, ())


def test_block_graph_has_every_block_and_connection():
    arm = models.subudhi_morris_2002()
    ax = plot.model(arm)
    assert {text.get_text().split("\n")[0] for text in ax.texts} == set(arm.blocks)
    assert len(ax.lines) == arm.graph.number_of_edges()
    places = layout(arm)
    assert len(set(places.values())) == len(arm.blocks)
    chain = ["ground", "joint1", "link1", "joint2", "link2", "payload"]
    assert [places[name] for name in chain] == [(x, 0.0) for x in range(6)]
    assert places["motor1"][0] == places["joint1"][0]


def test_block_graph_of_branches_and_loose_blocks():
    model = fb.Model("tree")
    ground = model.add(fb.Ground("ground"))
    for name in ("a", "b"):
        joint = model.add(fb.Revolute(f"joint_{name}"))
        model.connect(ground.frame_b, joint.frame_a)
    model.add(fb.Rotor("loose", inertia=1.0))
    places = layout(model)
    assert len(set(places.values())) == 4
    assert len(plot.model(model).texts) == 4


def test_save_writes_and_closes(tmp_path, motion):
    ax = plot.time_series(motion, "payload.x")
    plot.save(ax, tmp_path / "x.png")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    assert not plt.fignum_exists(ax.figure.number)


def test_region_is_drawn_where_it_is():
    """The boundary of the shaded section is the disc's, and the axes stay as they were scaled."""
    figure, ax = plt.subplots()
    ax.plot([0.0, 1.0], [0.0, 1.0])
    limits = ax.get_xlim(), ax.get_ylim()
    disc = optim.Sphere((0.4, 0.5), 0.2)
    assert plot.region(disc, ax) is ax
    assert (ax.get_xlim(), ax.get_ylim()) == limits
    outline = np.vstack([path.vertices for path in ax.collections[-1].get_paths()])
    np.testing.assert_allclose(np.linalg.norm(outline - [0.4, 0.5], axis=1), 0.2, atol=1e-4)
    with pytest.raises(ParameterError, match="plane = 'xx'"):
        plot.region(disc, ax, plane="xx")
    plt.close(figure)


@pytest.fixture(scope="module")
def avoiding():
    """A plan past a disc, with limits near and far."""
    from flexblocks import optim

    dae = subudhi_morris(modes=1)
    problem = optim.RestToRest(
        {"joint1.angle": 0.0, "joint2.angle": 0.0},
        {"joint1.angle": 1.2, "joint2.angle": 0.5},
        1.5,
        limits={"motor1.torque": 0.6, "motor2.torque": (-0.4, None), "der(joint2.angle)": 40.0},
        path=optim.KeepOut(optim.Sphere((0.75, 0.6), 0.1), frames="payload", margin=0.02),
        input_ends="holding",
    )
    return optim.plan(dae, problem, intervals=15)


def test_plan_shows_inputs_with_limits_path_and_obstacles(avoiding):
    replay = avoiding.replay()
    postures, *series = plot.plan(avoiding, replay, count=6)
    assert [ax.get_ylabel() for ax in series] == [
        "torque [N m]", "angle [rad]", "der(joint2.angle) [rad/s]", "tip deflection y [m]"
    ]  # fmt: skip
    levels = [line.get_ydata()[0] for line in series[0].lines[2:]]
    assert levels == pytest.approx([-0.6, 0.6, -0.4])
    assert len(series[2].lines) == 2  # 40 rad/s would press the curve flat
    assert series[2].get_title(loc="right") == "limits out of sight: ±40 rad/s"
    assert series[0].get_title(loc="right") == ""
    words = [text.get_text() for text in postures.get_legend().get_texts()]
    assert {"path of payload", "as replayed", "kept out of"} <= set(words)
    outline = np.vstack([path.vertices for c in postures.collections for path in c.get_paths() if len(path.vertices)])
    away = np.linalg.norm(outline - [0.75, 0.6], axis=1)
    assert away.min() == pytest.approx(0.1, abs=2e-3)
    assert away.max() == pytest.approx(0.12, abs=2e-3)
    dashed = next(line for line in postures.lines if line.get_label() == "as replayed")
    x, y = (replay.trajectory[f"payload.{axis}"] for axis in "xy")
    np.testing.assert_allclose(np.array(dashed.get_data())[:, 0], [x[0], y[0]], atol=1e-9)


def test_plan_in_space_and_without_replay(avoiding):
    postures, *series = plot.plan(avoiding, plane="xyz", count=3)
    assert postures.name == "3d"
    assert len(series[1].lines) == 2


@pytest.fixture(scope="module")
def in_space():
    """A plan of a spatial arm: a tenth of the torque at its wrist, deflections both ways."""
    from flexblocks import optim

    model = fb.Model("spatial")
    place = model.add(fb.Ground("ground")).frame_b
    for i, axis in enumerate(((0, 0, 1), (0, 1, 0)), 1):
        motor, joint = model.add(fb.TorqueSource(f"motor{i}", limit=1e3)), model.add(fb.Revolute(f"joint{i}", axis))
        link = model.add(fb.RigidLink(f"link{i}", length=0.7 / i**5, mass=1.0 / i**6))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    goal = {"joint1.angle": 1.0, "joint2.angle": -0.7}
    return optim.plan(fb.assemble(model), optim.RestToRest(dict.fromkeys(goal, 0.0), goal, 1.0), intervals=4)


@pytest.mark.slow
def test_plan_of_a_spatial_arm_is_drawn_in_space_with_axes_for_each_magnitude(in_space):
    postures, *series = plot.plan(in_space, count=3)
    assert postures.name == "3d"
    peaks = {f"motor{i}.torque": np.abs(in_space.trajectory[f"motor{i}.torque"]).max() for i in (1, 2)}
    assert peaks["motor1.torque"] > 10 * peaks["motor2.torque"]
    assert [ax.get_ylabel() for ax in series[:2]] == [f"{name} [N m]" for name in peaks]
    for ax, peak in zip(series[:2], peaks.values(), strict=True):
        assert max(np.abs(ax.lines[0].get_ydata())) == peak
        assert ax.get_title(loc="right") == "limits out of sight: ±1e+03 N m"


def test_limits_of_one_side(motion):
    ax = plot.time_series(motion, "motor1.torque", limits={"motor1.torque": (None, 0.3)})
    assert [line.get_ydata()[0] for line in ax.lines[1:]] == [0.3]
    ax = plot.time_series(motion, "motor1.torque", limits={"motor1.torque": (-np.inf, 0.3)})
    assert len(ax.lines) == 2
