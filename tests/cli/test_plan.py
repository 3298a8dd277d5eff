"""`flexblocks plan` with a problem file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import flexblocks as fb
from flexblocks import models, optim
from flexblocks.cli import app
from flexblocks.cli.planning.request import read_request
from repository import EXAMPLES

ARM = "subudhi-morris-2002"
EXAMPLE = EXAMPLES / "quarter_turn.yaml"


def run(*arguments: object):
    return CliRunner().invoke(app, ["plan", *(str(argument) for argument in arguments)])


def asked(**more):
    data = {
        "model": ARM,
        "settings": {"links": 1, "modes": 1},
        "problem": {"start": {"joint1.angle": 0}, "goal": {"joint1.angle": 0.8}, "duration": 1.0},
        "transcription": {"intervals": 15},
    }
    return data | more


def written(folder: Path, data) -> Path:
    path = folder / "problem.yaml"
    path.write_text(yaml.safe_dump(data))
    return path


@pytest.mark.slow
def test_example(tmp_path):
    """The request in the file is in the plan that comes out, loaded again."""
    path = Path(shutil.copy(EXAMPLE, tmp_path))
    result = run(path, "--json", "--out", tmp_path / "plan.nc", "--plot", tmp_path / "plan.png")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["status"] == "converged"
    assert found["replay"]["tip_miss"] < 1e-4
    assert (tmp_path / "plan.png").stat().st_size > 10_000
    plan = fb.load(tmp_path / "plan.nc")
    assert plan.duration == pytest.approx(found["duration"])
    assert plan.trajectory.p == {"payload.mass": 0.15}
    away = np.hypot(plan.trajectory["payload.x"] - 0.6, plan.trajectory["payload.y"] - 0.4)
    assert away.min() == pytest.approx(0.12, abs=1e-4)
    assert np.abs(plan.trajectory["motor2.torque"]).max() == pytest.approx(0.5, abs=1e-4)


def test_template_says_what_it_asks_for(tmp_path):
    """It is a valid problem file itself."""
    result = run("--template")
    assert result.exit_code == 0
    path = tmp_path / "template.yaml"
    path.write_text(result.stdout)
    request = read_request(path)
    assert request.problem.objective == optim.Time() + 0.01 * optim.Effort()
    assert request.problem.limits["der(joint2.angle)"] == (None, 4.0)
    assert request.transcription == {
        "intervals": 40,
        "degree": 3,
        "scheme": "radau",
        "inputs": "cubic",
        "quasi_static": "auto",
    }
    assert request.audit["finer"].n == 4
    assert (request.out, request.picture) == (tmp_path / "plan.nc", tmp_path / "plan.png")


def test_model_file_beside_the_problem_file(tmp_path):
    """Files are looked for, and written, where the problem file is."""
    models.subudhi_morris_2002(links=1, modes=1).save(tmp_path / "arm.yaml")
    more = {"model": "arm.yaml", "settings": None, "output": {"plan": "plan.csv", "picture": "plan.svg"}}
    result = run(written(tmp_path, asked(**more)))
    assert result.exit_code == 0, result.output
    assert "rest to rest in 1 s, converged" in result.stdout
    assert (tmp_path / "plan.csv").is_file()
    assert (tmp_path / "plan.svg").is_file()


@pytest.mark.slow
def test_audit_with_more_modes(tmp_path):
    path = written(tmp_path, asked(audit={"finer": {"link1": {"type": "FiniteElements", "n": 3}}}))
    result = run(path)
    assert result.exit_code == 0, result.output
    assert "audit of" in result.stdout
    assert "residual" in result.stdout
    found = json.loads(run(path, "--json").stdout)["audit"]
    assert set(found["figures"]["energy left"]) == {"unit", "plan", "replay", "finer"}


@pytest.mark.slow
def test_plan_is_refined_until_the_audit_passes(tmp_path):
    """Four intervals miss on the plan's own model: the mesh is refined, and the plan written is the refined one."""
    rest = {"problem": {**asked()["problem"], "input_ends": "holding"}, "settings": {"links": 1, "modes": 2}}
    options = {"transcription": {"intervals": 4}, "audit": {"refine": True, "finer": {"type": "AssumedModes", "n": 2}}}
    result = run(written(tmp_path, asked(**rest, **options)), "--json", "--out", tmp_path / "plan.nc")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    plan = fb.load(tmp_path / "plan.nc")
    assert told["status"] == plan.status
    assert len(told["attempts"]) > 1
    assert plan.transcribed.intervals != (4,) or plan.transcribed.options.scheme == "lobatto"


def test_arguments_say_the_same(tmp_path):
    arguments = ("--set", "links=1", "--set", "modes=1", "--goal", "joint1.angle=0.8", "--duration", "0.5,2")
    more = ("--limit", "motor1.torque=1", "--limit", "der(motor1.torque)=-20,20", "--objective", "time")
    result = run(ARM, *arguments, *more, "--intervals", 15, "--json")
    assert result.exit_code == 0, result.output
    problem = {
        "start": {"joint1.angle": 0},
        "goal": {"joint1.angle": 0.8},
        "duration": [0.5, 2],
        "objective": "time",
        "limits": {"motor1.torque": 1, "der(motor1.torque)": [-20, 20]},
    }
    other = run(written(tmp_path, asked(problem=problem)), "--json")
    assert other.exit_code == 0, other.output
    assert json.loads(result.stdout)["duration"] == json.loads(other.stdout)["duration"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"problm": {}}, "unknown key 'problm'"),
        ({"model": "subudhi-moris-2002"}, "Did you mean subudhi-morris-2002?"),
        ({"model": None}, "model = None; must be a model file or a name"),
        ({"model": "nowhere.yaml"}, "only models of the catalogue take arguments"),
        ({"model": "nowhere.yaml", "settings": None}, "no such file"),
        ({"settings": {"link": 1}}, "Did you mean links?"),
        ({"settings": {"links": {"weight": "x"}}}, "links = {'weight': 'x'} (dict); must be an integer"),
        ({"problem": {"goal": {"joint1.angle": 1}, "duration": 1.0}}, "problem: 'start' is missing"),
        ({"problem": {"strt": {}}}, "problem: unknown key 'strt'"),
        ({"problem": [1]}, "problem: [1]; must be a mapping"),
        ({"parameters": {"payload.mas": 1.0}}, "Did you mean payload.mass?"),
        ({"transcription": {"interval": 10}}, "Did you mean intervals?"),
        ({"transcription": {"intervals": 0}}, "intervals = 0; must be a whole number >= 1"),
        ({"refine": "fine"}, "refine = 'fine'; must be true, false or the greatest miss"),
        ({"audit": {"finer": {"type": "AssumedMods", "n": 3}}}, "Did you mean AssumedModes?"),
        ({"audit": {"finer": 6}}, "audit.finer = 6; must be a discretisation"),
        ({"audit": {"refine": 2}}, "audit.refine = 2; must be true or false"),
        ({"output": {"plan": "plan.xls"}}, "output.plan = 'plan.xls'; must end in .nc, .csv"),
        ({"output": {"picture": "no/such/folder/plan.png"}}, "there is no folder"),
    ],
)
def test_refusals_name_file_and_place(tmp_path, change, words):
    path = written(tmp_path, asked(**change))
    result = run(path)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert words in result.stderr
    if "transcription" not in change and "parameters" not in change:
        assert str(path) in result.stderr
    assert "Traceback" not in result.stderr


def test_last_iterate_is_kept_where_no_plan_is_found(tmp_path):
    problem = asked()["problem"] | {"limits": {"motor1.torque": 0.19}}
    out = tmp_path / "plan.nc"
    result = run(written(tmp_path, asked(problem=problem)), "--out", out)
    assert result.exit_code == 1
    assert "motor1.torque at 0.." in result.stderr
    assert "beyond its limit 0.19 N m" in result.stderr
    assert f"The last iterate is saved in {out}" in result.stderr
    assert fb.load(out).status == "locallyInfeasible"


def test_broken_file_names_the_line(tmp_path):
    path = tmp_path / "problem.yaml"
    path.write_text("model: arm\nproblem: {start: [1, 2}\n")
    result = run(path)
    assert result.exit_code == 1
    assert f"{path}: line 2, column" in result.stderr


def test_wrong_calls_are_told_how(tmp_path):
    path = written(tmp_path, asked())
    for arguments, words in (
        ((), "PROBLEM"),
        ((path, "--goal", "joint1.angle=1"), "is a problem file; say it there"),
        ((path, "--set", "links=2"), "is a problem file; say it there"),
        ((ARM, "--goal", "joint1.angle=1", "--duration", "1,2,3"), "LOW,HIGH"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert words in " ".join(result.stderr.replace("│", " ").split())  # in a box, broken where a line is full


@pytest.mark.slow
def test_a_base_that_moves_as_the_file_says(tmp_path):
    """A pendulum on a slide that is shaken: the file's text moves it in plan and replay."""
    model = fb.Model("shaken", gravity=(0.0, -9.81, 0.0))
    ground, table = model.add(fb.Ground("ground")), model.add(fb.Prismatic("table", axis=(1, 0, 0)))
    motor, hinge = model.add(fb.TorqueSource("motor", limit=60.0)), model.add(fb.Revolute("hinge"))
    rod = model.add(fb.RigidLink("rod", 0.8, 1.5))
    model.connect(ground.frame_b, table.frame_a)
    model.connect(table.frame_b, hinge.frame_a)
    model.connect(motor.flange_b, hinge.axis)
    model.connect(hinge.frame_b, rod.frame_a)
    model.save(tmp_path / "shaken.yaml")
    problem = tmp_path / "problem.yaml"
    problem.write_text(
        "model: shaken.yaml\ntranscription: {intervals: 10}\noutput: {plan: plan.csv}\nproblem:\n"
        "  {start: {hinge.angle: 0.0}, goal: {hinge.angle: 0.3}, duration: 1.0,"
        " prescribed: {table.displacement: 0.1*time**2}}\n"
    )
    told = run(problem)
    assert told.exit_code == 0, told.stderr
    assert "while moving table.displacement as 0.1*time**2" in told.stdout
    assert fb.load(tmp_path / "plan.csv")["table.displacement"][-1] == pytest.approx(0.1, abs=1e-6)
    problem.write_text(problem.read_text().replace("model:", "prescribed: {table: 1}\nmodel:", 1))
    assert "must be the name of a coordinate, or a list of names" in run(problem).stderr
