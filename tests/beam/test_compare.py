"""Comparison of fidelities: its numbers are those of each arm by itself; plot and command line."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from typer.testing import CliRunner

import flexblocks as fb
from flexblocks import models
from flexblocks.beam.properties.tip_body import FREE
from flexblocks.beam.shapes.euler_bernoulli_modes import roots
from flexblocks.cli import app
from flexblocks.dae.operation_counts import operation_counts
from flexblocks.errors import FlexblocksError

mpl.use("Agg")

from flexblocks import plot

KINDS = {
    "2 modes": fb.AssumedModes(2, tip="free"),
    "2 elements": fb.FiniteElements(2),
    "6 modes": fb.AssumedModes(6, tip="free"),
}


def cantilever(damping: float = 0.0) -> fb.Model:
    model = fb.Model("cantilever", gravity=(0.0, -1e-3, 0.0))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, damping_ratio=damping))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    return fb.rediscretize(model, {"beam": fb.AssumedModes(1, tip="free")})


@pytest.fixture(scope="module")
def found() -> fb.Comparison:
    return fb.compare(cantilever(), KINDS, np.linspace(0, 1, 51))


def test_the_table_has_what_each_arm_has(found: fb.Comparison) -> None:
    table = found.table
    assert list(table.index) == list(KINDS)
    assert found.output == "beam.tip_deflection_y"
    assert table["coordinates"].tolist() == [2, 4, 6]
    exact = roots(FREE, 3) ** 2
    np.testing.assert_allclose(table.loc["6 modes"].filter(like="frequency"), exact, rtol=1e-8)
    assert np.isnan(table.loc["2 modes", "frequency 3 [rad/s]"])
    np.testing.assert_allclose(table["static [m]"], -1e-3 / 8, rtol=1e-2)
    for name, kind in KINDS.items():
        dae = fb.assemble(fb.rediscretize(cantilever(), kind))
        assert table.loc[name, "M operations"] == operation_counts(dae.mass_matrix)["total"]
        assert table.loc[name, "forward dynamics operations"] == operation_counts(dae.forward_dynamics)["total"]
    assert np.all(table["energy drift [J]"] < 1e-12)
    responses = found.responses
    distance = np.abs(responses["2 modes"][found.output] - responses["6 modes"][found.output]).max()
    assert table.loc["2 modes", "difference [m]"] == distance > 0
    assert table.loc["6 modes", "difference [m]"] == 0
    assert "2 elements" in str(found)


def test_drift_is_not_told_of_an_arm_with_dampers() -> None:
    table = fb.compare(cantilever(0.02), [fb.AssumedModes(1, tip="free")], (0.0, 0.1)).table
    assert np.isnan(table.loc["AssumedModes(n=1, tip='free')", "energy drift [J]"])


def boom() -> fb.Model:
    """A driven flexible beam against gravity, with its mass at rest known: m g l / 2 cos(angle) at the joint."""
    model = fb.Model("boom", gravity=(0.0, -9.81, 0.0))
    joint, motor = model.add(fb.Revolute("joint")), model.add(fb.TorqueSource("motor"))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 0.5, 200.0, discretization=fb.AssumedModes(1, tip="free")))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, beam.frame_a)
    return model


def test_joints_are_held_where_they_are_told_to_be() -> None:
    angle = 2.5
    at = {"joint.angle": angle}
    result = fb.compare(boom(), KINDS, (0.0, 0.3), at=at)
    for name, kind in KINDS.items():
        dae = fb.assemble(fb.rediscretize(boom(), kind))
        point, run = fb.equilibrium(dae, at), result.responses[name]
        np.testing.assert_allclose(run["joint.angle"], angle, rtol=0, atol=1e-6)
        np.testing.assert_allclose(run["motor.torque"], point["motor.torque"], rtol=1e-12)
        assert point["motor.torque"] == pytest.approx(0.5 * 9.81 * 0.5 * np.cos(angle), rel=1e-2)
        natural = [mode.frequency for mode in fb.linearize(dae, point).modes() if mode.energy == "strain"]
        assert result.table.loc[name, "frequency 1 [rad/s]"] == pytest.approx(natural[0])
        assert result.table.loc[name, "static [m]"] == pytest.approx(run["beam.tip_deflection_y"][0], rel=1e-9)


@pytest.mark.parametrize(
    "torque", [0.1, lambda t: 0.1 + 0 * t, ([0.0, 1.0], [0.1, 0.1]), fb.bang_bang(0.1, 0.05), np.full(31, 0.1)]
)
def test_inputs_are_added_to_what_holds(torque: object) -> None:
    at = {"joint.angle": 0.3}
    run = fb.compare(
        boom(), [fb.AssumedModes(1, tip="free")], np.linspace(0, 0.02, 31), {"motor.torque": torque}, at=at
    )
    response = next(iter(run.responses.values()))
    dae = fb.assemble(fb.rediscretize(boom(), {"beam": fb.AssumedModes(1, tip="free")}))
    np.testing.assert_allclose(response["motor.torque"], fb.equilibrium(dae, at)["motor.torque"] + 0.1, rtol=1e-9)
    assert response["joint.angle"][0] == 0.3 < response["joint.angle"][-1]


def test_what_cannot_be_held_is_refused() -> None:
    for at, message in (({"joint.angel": 0.3}, "joint.angel"), ({"der(joint.angle)": 1.0}, "holds the velocities")):
        with pytest.raises(FlexblocksError, match=message):
            fb.compare(boom(), [fb.AssumedModes(1, tip="free")], (0.0, 0.1), at=at)


def test_another_output(found: fb.Comparison) -> None:
    model = models.subudhi_morris_2002()
    kinds = [fb.AssumedModes(1, tip="auto"), fb.AssumedModes(2, tip="auto")]
    two = fb.compare(model, kinds, (0.0, 0.1), {"motor1.torque": 0.1}, {"rotor1.angle": 0.1}, output="payload.x")
    assert two.output == "payload.x"
    assert two.responses[repr(kinds[0])]["rotor1.angle"][0] == 0.1
    assert two.table["difference [m]"].iloc[0] > 0
    assert fb.compare(model, kinds[:1], (0.0, 0.01), frequencies=0).output == "link2.tip_deflection_y"


def test_the_picture_holds_the_responses(found: fb.Comparison) -> None:
    upper, lower = plot.comparison(found)
    assert [line.get_label() for line in upper.lines] == list(KINDS)
    np.testing.assert_array_equal(upper.lines[1].get_ydata(), found.responses["2 elements"][found.output])
    assert len(lower.lines) == 2
    distance = np.abs(found.responses["2 elements"][found.output] - found.responses["6 modes"][found.output])
    np.testing.assert_array_equal(lower.lines[1].get_ydata()[1:], distance[1:])
    mpl.pyplot.close("all")


def test_command(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    cantilever().save(path)
    options = ["--beams", "modes:1", "--beams", "elements:2", "--time", "0.1", "--samples", "11"]
    runner = CliRunner()
    result = runner.invoke(app, ["compare", str(path), *options, "--json"])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["fidelities"]["elements:2"]["coordinates"] == 4
    files = ["--out", str(tmp_path / "table.csv"), "--plot", str(tmp_path / "picture.png")]
    result = runner.invoke(app, ["compare", str(path), *options, *files])
    assert result.exit_code == 0, result.output
    assert "elements:2" in result.stdout
    assert (tmp_path / "table.csv").read_text().count("\n") == 3
    assert (tmp_path / "picture.png").stat().st_size > 1000
    assert runner.invoke(app, ["compare", str(path), "--beams", "modes"]).exit_code == 2
    assert runner.invoke(app, ["compare", str(path), "--beams", "modes:0"]).exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"discretizations": []}, r"compare: discretizations = \[\]; must be a non-empty list"),
        ({"discretizations": ["modes"]}, "must be a non-empty list of discretisations, such as"),
        ({"discretizations": fb.AssumedModes(1, tip="free")}, "must be a non-empty list of discretisations, such as"),
        ({"discretizations": [fb.AssumedModes(1, tip="free"), fb.AssumedModes(1, tip="free")]}, "one appears twice"),
        ({"output": "beam.tip_deflection_z"}, r"there is no output or state 'beam.tip_deflection_z'\. Did you mean"),
        ({"frequencies": -1}, "frequencies = -1; must be a whole number >= 0"),
        ({"x0": {"beam.bending_y[1]": 0.1}, "discretizations": [fb.FiniteElements(1)]}, "bending_y"),
    ],
)
def test_refused(arguments: dict, message: str) -> None:
    with pytest.raises(FlexblocksError, match=message):
        fb.compare(cantilever(), **({"discretizations": [fb.AssumedModes(1, tip="free")]} | arguments))


def test_an_arm_without_beams_needs_an_output() -> None:
    model = fb.Model("pendulum")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    rod = model.add(fb.RigidLink("rod", 1.0, 1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, rod.frame_a)
    with pytest.raises(FlexblocksError, match="no flexible beam; name the output"):
        fb.compare(model, [fb.AssumedModes(1, tip="free")])
