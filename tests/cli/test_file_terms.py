"""The command line speaks its own terms: keys of files, options, degrees; all errors of a file at once."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

import flexblocks as fb
from flexblocks.cli import app
from flexblocks.cli.file_terms import in_file_terms
from flexblocks.cli.planning.request import read_request
from flexblocks.modeling.degrees import in_radians
from flexblocks.simulation.method import METHODS

ARM = "subudhi-morris-2002"
SLIDE: dict[str, Any] = {
    "flexblocks": 1,
    "name": "slide and arm",
    "blocks": {
        "ground": {"type": "Ground"},
        "slide": {"type": "Prismatic", "axis": [1, 0, 0]},
        "cart": {"type": "Payload", "mass": 2.0},
        "joint": {"type": "Revolute", "start": "30deg", "low": "-90deg", "max_speed": "1.2e2 deg/s"},
        "turn": {"type": "FixedTransform", "rotation": ["0deg", "0deg", "90deg"]},
        "load": {"type": "Payload", "mass": 1.0, "center": [0.5, 0, 0]},
        "motor": {"type": "TorqueSource"},
    },
    "connections": [
        ["ground.frame_b", "slide.frame_a"],
        ["slide.frame_b", "cart.frame_a", "joint.frame_a"],
        ["joint.frame_b", "turn.frame_a"],
        ["turn.frame_b", "load.frame_a"],
        ["motor.flange_b", "joint.axis"],
    ],
}


def run(*arguments: object):
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(argument) for argument in arguments])


def written(folder: Path, data: Any, name: str = "arm.yaml") -> Path:
    path = folder / name
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return path


@pytest.mark.parametrize(
    ("python", "file"),
    [
        ("stiffening=True counts it.", "stiffening: true counts it."),
        ("Take fb.AssumedModes(3, tip='auto').", "Take {type: AssumedModes, n: 3, tip: auto}."),
        ("StrainModes(n) holds", "{type: StrainModes, n: n} holds"),
        ("objective=optim.Effort(rate_weight=0).", "objective: {type: Effort, rate_weight: 0}."),
        ("raise max_steps= or time_limit=.", "raise --max-steps or time_limit."),
        ("highest=200.0 follows", "--highest 200.0 follows"),
        ("section=fb.Rectangle(...)", "section: {type: Rectangle, ...}"),
        ("length = -0.4 m; must be > 0.", "length = -0.4 m; must be > 0."),
        ("time (s) of der(joint1.angle) >= 3", "time (s) of der(joint1.angle) >= 3"),
    ],
)
def test_calls_of_python_become_keys_and_options(python: str, file: str) -> None:
    assert in_file_terms(python, ["--max-steps", "--highest"]) == file


def test_a_warning_speaks_of_the_file(tmp_path: Path) -> None:
    """A beam without a discretisation, which is rigid."""
    data = {**SLIDE, "blocks": {**SLIDE["blocks"]}}
    data["blocks"]["turn"] = {"type": "FlexibleBeam", "length": 1.0, "linear_density": 1.0, "flexural_rigidity": 5.0}
    with warnings.catch_warnings():
        warnings.simplefilter("always")  # whatever PYTHONWARNINGS says
        result = run("check", written(tmp_path, data))
    text = " ".join(result.stderr.split())
    assert result.exit_code == 0, text
    assert "discretization: {type: AssumedModes, n: 3, tip: auto}" in text
    assert "fb." not in text


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("90deg", "rad", math.pi / 2),
        ("-1.5e1 deg/s", "rad/s", -math.pi / 12),
        (["90deg", 1], None, [math.pi / 2, 1]),
        (0.3, "rad", 0.3),
        ("free", None, "free"),
    ],
)
def test_angles_in_degrees(text: Any, unit: str | None, value: Any) -> None:
    assert in_radians(text, "here", unit) == (pytest.approx(value) if not isinstance(value, str) else value)


def test_a_model_file_takes_degrees(tmp_path: Path) -> None:
    model = fb.load(written(tmp_path, SLIDE))
    joint = model["joint"]
    assert (joint.start, joint.low, joint.max_speed) == pytest.approx(
        (math.pi / 6, -math.pi / 2, math.radians(120.0)), rel=1e-15
    )
    assert model["turn"].rotation == pytest.approx((0, 0, math.pi / 2))


def test_degrees_are_for_angles_only(tmp_path: Path) -> None:
    path = written(tmp_path, SLIDE)
    told = run("simulate", path, "--x0", "slide.displacement=90deg")
    assert told.exit_code == 2
    assert "'90deg'; must be in m" in " ".join(told.stderr.split())
    told = run("simulate", path, "--x0", "der(joint.angle)=90deg")
    assert "must be in rad/s or deg/s" in " ".join(told.stderr.replace("│", "").split())
    assert run("simulate", path, "--x0", "joint.angle=-10deg", "--time", 0.01, "--samples", 3).exit_code == 0
    wrong = {**SLIDE, "blocks": {**SLIDE["blocks"], "cart": {"type": "Payload", "mass": "90deg"}}}
    with pytest.raises(fb.FlexblocksError, match=r"cart\.mass = '90deg'; must be in kg"):
        fb.load(written(tmp_path, wrong))


def test_a_problem_file_takes_degrees_where_its_variables_are_angles(tmp_path: Path) -> None:
    written(tmp_path, SLIDE)
    problem = {
        "start": {"joint.angle": 0.0, "slide.displacement": 0.0},
        "goal": {"joint.angle": "90deg", "slide.displacement": 1.0},
        "duration": 2.0,
        "limits": {"der(joint.angle)": ["-60deg/s", "60deg/s"]},
    }
    asked = {"model": "arm.yaml", "problem": problem, "time_limit": 30, "outputs": "load.velocity_x"}
    request = read_request(written(tmp_path, asked, "problem.yaml"))
    assert request.problem.goal["joint.angle"] == pytest.approx(math.pi / 2)
    assert request.problem.limits["der(joint.angle)"] == pytest.approx((-math.pi / 3, math.pi / 3))
    assert (request.time_limit, request.outputs) == (30, ("load.velocity_x",))
    problem["goal"]["slide.displacement"] = "90deg"
    with pytest.raises(fb.FlexblocksError, match=r"problem\.goal\.slide\.displacement = '90deg'; must be in m"):
        read_request(written(tmp_path, asked, "problem.yaml"))


def test_all_errors_of_a_model_file_are_told_at_once(tmp_path: Path) -> None:
    blocks = {
        **SLIDE["blocks"],
        "slide": {"type": "Prismatc"},
        "cart": {"type": "Payload", "mass": -2.0, "centre": [0, 0, 0]},
        "load": {"type": "Payload", "mass": -1.0, "center": [1.0]},
        "joint": {"type": "Revolute", "start": "fast"},
    }
    connections = [*SLIDE["connections"], ["motor.flange_c", "turn.frame_a"]]
    with pytest.raises(fb.FlexblocksError) as told:
        fb.load(written(tmp_path, {**SLIDE, "blocks": blocks, "connections": connections}))
    lines = str(told.value).splitlines()
    places = ["blocks.slide:", "blocks.cart:", "blocks.joint:", "blocks.load:", "blocks.load:", "connections[5]:"]
    assert [line.partition("arm.yaml: ")[2].partition(" ")[0] for line in lines] == places
    assert ["mass = -1 kg" in lines[3], "center = [1.0]" in lines[4].replace("(1.0,)", "[1.0]")] == [True, True]


def test_all_errors_of_a_problem_file_are_told_at_once(tmp_path: Path) -> None:
    asked = {
        "model": ARM,
        "settings": {"links": 1, "modes": 1},
        "problem": {"goal": {"joint1.angle": 1.0}, "durations": 1.0, "objective": "efort"},
        "transcription": {"interval": 20},
        "time_limit": -1.0,
        "output": {"plan": "plan.txt"},
    }
    with pytest.raises(fb.FlexblocksError) as told:
        read_request(written(tmp_path, asked, "problem.yaml"))
    lines = [line.partition("problem.yaml: ")[2] for line in str(told.value).splitlines()]
    assert [line.split()[0] for line in lines] == [
        *("problem:", "problem:", "problem:", "transcription:", "time_limit", "output.plan"),
    ]


def test_help_names_all_methods() -> None:
    text = " ".join(run("simulate", "--help").output.replace("│", " ").split())
    assert all(f"{name}," in text or f" {name}." in text for name in METHODS)


@pytest.mark.slow
def test_plan_takes_prescribed_coordinates_outputs_and_a_time_limit(tmp_path: Path) -> None:
    """The slide's acceleration is an input; what the file says of the plan the options say, too."""
    options = ["--prescribe", "slide.displacement", "--outputs", "load.velocity_x", "--time-limit", 120]
    goal = ["--goal", "joint.angle=60deg", "--goal", "slide.displacement=0.5", "--intervals", 12]
    result = run("plan", written(tmp_path, SLIDE), *goal, *options, "--out", tmp_path / "plan.nc")
    assert result.exit_code == 0, result.output
    plan = fb.load(tmp_path / "plan.nc")
    assert plan.trajectory["joint.angle"][-1] == pytest.approx(math.pi / 3, abs=1e-3)
    assert abs(plan.trajectory["load.velocity_x"]).max() > 0.1
    refused = run("plan", tmp_path / "problem.yaml", *options)
    assert refused.exit_code != 0
