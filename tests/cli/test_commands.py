"""The command line: what it prints, writes and refuses, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from typer.testing import CliRunner

import flexblocks as fb
from arms.flexible_bodies import bar_mesh
from arms.library import subudhi_morris
from flexblocks import models
from flexblocks.cli import app
from flexblocks.cli.completion import complete_model
from flexblocks.cli.import_types import imported_types
from flexblocks.cli.planning.request import read_request
from urdf_files import two_links

ARM = "subudhi-morris-2002"
PENDULUM = """
flexblocks: 1
name: pendulum
gravity: [0.0, -9.81, 0.0]
blocks:
  ground: {type: Ground}
  motor: {type: TorqueSource}
  joint: {type: Revolute}
  link: {type: RigidLink, length: 0.5, mass: 1.2}
connections:
- [motor.flange_b, joint.axis]
- [ground.frame_b, joint.frame_a]
- [joint.frame_b, link.frame_a]
"""


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def data(*arguments: object):
    """Return what a command prints as JSON, and make sure that it prints nothing else."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM)
    return path


def test_models_lists_the_catalogue():
    found = {entry["name"]: entry for entry in data("models")}
    assert set(found) == {name.replace("_", "-") for name in models.__all__}
    assert found[ARM]["arguments"]["links"] == 2
    assert ARM in run("models").stdout


def test_check_counts_what_is_there():
    found = data("check", ARM, "--set", "links=1", "--set", "modes=3")
    dae = subudhi_morris(links=1, modes=3)
    assert [row["name"] for row in found["states"]] == list(dae.x.names)
    assert [row["name"] for row in found["blocks"]] == list(models.subudhi_morris_2002(links=1).blocks)
    assert found["inputs"] == [
        {"name": "motor1.torque", "unit": "N m", "start": 0.0, "role": "actuator", "limit": None}
    ]
    counts = found["operations"]["forward_dynamics"]
    assert counts["total"] == sum(counts[kind] for kind in ("additions", "multiplications", "divisions", "functions"))


def test_check_shows_tables(pendulum, tmp_path):
    result = run("check", pendulum, "--symbolic", "link.mass", "--plot", tmp_path / "graph.png")
    assert result.exit_code == 0
    for words in (
        "pendulum: 4 blocks, 1 coordinates",
        "RigidLink",
        "der(joint.angle)",
        "link.mass",
        "forward_dynamics",
    ):
        assert words in result.stdout
    assert (tmp_path / "graph.png").stat().st_size > 0


def test_simulate_swings_a_pendulum_as_it_should(pendulum, tmp_path):
    """A rod released at 0.05 rad from hanging: its period is 2 pi sqrt(2 l / (3 g)) (1 + a^2 / 16)."""
    hanging, a = -np.pi / 2, 0.05
    period = 2 * np.pi * np.sqrt(2 * 0.5 / (3 * 9.81)) * (1 + a**2 / 16)
    out = tmp_path / "swing.nc"
    found = data("simulate", pendulum, "--time", period, "--x0", f"joint.angle={hanging + a}", "--out", out)
    angle = found["variables"]["joint.angle"]
    assert angle["unit"] == "rad"
    assert angle["last"] == pytest.approx(hanging + a, abs=1e-6)
    assert angle["least"] == pytest.approx(hanging - a, abs=1e-6)
    motion = fb.load(out)
    assert len(motion) == found["samples"] == 1001
    assert motion["joint.angle"].max() == angle["largest"]


def test_simulate_and_export_clip_inputs_at_their_limits(tmp_path):
    model = fb.Model("rotor")
    motor, hinge = model.add(fb.TorqueSource("motor", limit=2.0)), model.add(fb.Revolute("hinge"))
    model.connect(motor.flange_b, hinge.axis)
    model.connect(model.add(fb.Ground("ground")).frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, model.add(fb.RigidLink("link", 0.5, 1.0)).frame_a)
    path = tmp_path / "rotor.yaml"
    model.save(path)
    drive = ("simulate", path, "--time", 0.1, "--input", "motor.torque=50")
    assert "motor.torque exceeds its limit of 2 N m" in str(run(*drive).exception)  # warnings are errors in tests
    assert data(*drive, "--saturate")["variables"]["motor.torque"]["largest"] == 2.0
    assert run("export", path, "--fmu", tmp_path / "rotor.fmu", "--saturate", "--sources-only").exit_code == 0
    assert run("export", path, "--code", tmp_path / "rotor.c", "--saturate").exit_code != 0


def test_simulate_ends_by_a_budget_and_keeps_what_it_has(pendulum, tmp_path):
    out = tmp_path / "part.nc"
    result = run("simulate", pendulum, "--time", 1000, "--samples", 10001, "--max-steps", 500, "--out", out)
    assert result.exit_code == 1
    assert "max_steps" in result.output
    assert 0 < fb.load(out).t[-1] < 1000
    result = run("simulate", pendulum, "--time", 1e6, "--samples", 11, "--time-limit", 0.2)
    assert result.exit_code == 1
    assert "time_limit" in result.output
    for option in ("--max-steps", "--time-limit"):
        assert run("simulate", pendulum, option, -1).exit_code != 0


def test_compare_holds_joints():
    held = ("--at", "joint1.angle=0.4", "--at", "joint2.angle=-0.9")
    common = ("compare", ARM, "--set", "modes=1", "--beams", "modes:1", "--time", 0.01, "--samples", 3)
    found = data(*common, *held, "--output", "payload.y")["fidelities"]["modes:1"]
    assert found["static [m]"] == pytest.approx(0.5 * (np.sin(0.4) + np.sin(-0.5)), rel=1e-9)
    assert run(*common, "--at", "joint9.angle=1").exit_code != 0


@pytest.mark.parametrize(
    ("signal", "expected"),
    [
        ("0.2", lambda t: 0.2 + 0 * t),
        ("bang-bang:0.2,0.5", lambda t: 0.2 * (t < 0.5) - 0.2 * ((t >= 0.5) & (t < 1.0))),
        ("step:-0.3,0.75", lambda t: -0.3 * (t >= 0.75)),
        ("sine:0.2,6.3", lambda t: 0.2 * np.sin(6.3 * t)),
        ("sine:0.2,6.3,0.75", lambda t: 0.2 * np.sin(6.3 * t) * (t < 0.75)),
        ("{table}:torque", lambda t: np.interp(t, [0, 1, 2], [0.0, 0.4, -0.4])),
    ],
)
def test_input_signals(pendulum, tmp_path, signal, expected):
    table, out = tmp_path / "table.csv", tmp_path / "out.csv"
    table.write_text("time,torque\n0,0\n1,0.4\n2,-0.4\n")
    signal = signal.format(table=table)
    assert (
        run(
            "simulate", pendulum, "--time", 1.5, "--samples", 31, "--input", f"motor.torque={signal}", "--out", out
        ).exit_code
        == 0
    )
    motion = fb.load(out)
    np.testing.assert_allclose(motion["motor.torque"], expected(motion.t), atol=1e-12)


def test_a_saved_motion_drives_another(pendulum, tmp_path):
    first, second = tmp_path / "first.csv", tmp_path / "second.nc"
    common = ("simulate", pendulum, "--time", 1, "--samples", 21, "--x0", "joint.angle=-1.5")
    assert run(*common, "--input", "motor.torque=0.5", "--out", first).exit_code == 0
    assert run(*common, "--input", f"motor.torque={first}:motor.torque", "--out", second).exit_code == 0
    angles = [fb.load(path)["joint.angle"] for path in (first, second)]
    np.testing.assert_allclose(angles[0], angles[1], atol=1e-7)


def test_simulate_draws_and_shows(pendulum, tmp_path):
    picture = tmp_path / "swing.svg"
    result = run("simulate", pendulum, "--time", 0.5, "--plot", picture)
    assert result.exit_code == 0
    assert "joint.angle" in result.stdout
    assert "kinetic_energy" in result.stdout
    assert "<svg" in picture.read_text()


def test_linearize_gives_the_frequencies_of_the_paper(tmp_path):
    """First elastic pair of the arm: 13.58 and 25.80 rad/s (independent derivation, rotors relative to the mounts)."""
    out = tmp_path / "arm.mat"
    found = data("linearize", ARM, "--set", "modes=4", "--outputs", "payload.x, payload.y", "--out", out)
    elastic = [mode["frequency"] for mode in found["modes"] if mode["frequency"] > 0]
    assert elastic[:2] == pytest.approx([13.58, 25.80], abs=0.02)
    stored = scipy.io.loadmat(out, chars_as_strings=True)
    np.testing.assert_allclose(stored["A"], found["A"])
    assert found["outputs"] == ["payload.x", "payload.y"]
    assert np.array(found["C"]).shape == (2, len(found["states"]))


def test_linearize_gives_the_descriptor_form():
    found = data("linearize", ARM, "--form", "descriptor")
    assert np.abs(np.array(found["E"]) - np.eye(16)).max() > 0.1
    swinging = [mode["frequency"] for mode in found["modes"][2:]]
    assert swinging == pytest.approx([mode["frequency"] for mode in data("linearize", ARM)["modes"][2:]], rel=1e-9)


def test_linearize_holds_the_posture_it_is_given(pendulum, tmp_path):
    """At a level rod the motor holds m g l / 2, and the weight has no stiffness."""
    found = data("linearize", pendulum, "--at", "joint.angle=0", "--plot", tmp_path / "poles.png")
    assert found["operating_point"]["motor.torque"] == pytest.approx(1.2 * 9.81 * 0.25)
    assert found["modes"][0]["frequency"] == pytest.approx(0.0, abs=1e-6)
    hanging = run("linearize", pendulum, "--at", "motor.torque=0", "--at", f"joint.angle={-np.pi / 2}")
    assert f"{np.sqrt(1.5 * 9.81 / 0.5):.5g}" in hanging.stdout


def test_commands_lock_coordinates(tmp_path):
    brake = ("--lock", "joint1.angle=0.3", "--lock", "rotor1.angle=0.3")
    found = data("linearize", ARM, *brake)
    assert "joint1.angle" not in found["states"]
    assert "joint1.holding_torque" in found["outputs"]
    moved = data("simulate", ARM, *brake, "--time", 0.1, "--input", "motor2.torque=0.1")
    assert moved["variables"]["joint1.holding_torque"]["largest"] > 0.001
    problem = tmp_path / "problem.yaml"
    problem.write_text(
        f"model: {ARM}\nlocked: {{joint1.angle: 0.3, rotor1.angle: 0.3}}\ntranscription: {{intervals: 10}}\n"
        "problem: {start: {joint2.angle: 0.0}, goal: {joint2.angle: 0.2}, duration: 2.0}\n"
    )
    assert "joint1.holding_torque" in data("plan", problem)["variables"]
    refused = run("check", ARM, "--lock", "joint1.angel=0.3")
    assert refused.exit_code != 0
    assert "Did you mean joint1.angle" in refused.stderr


def test_plan_reaches_its_goal(tmp_path):
    out, picture, report = tmp_path / "plan.nc", tmp_path / "plan.png", tmp_path / "plan.html"
    found = data(
        "plan", ARM, "--set", "links=1", "--goal", "joint1.angle=0.8", "--duration", 1, "--limit", "motor1.torque=2",
        "--limit", "joint1.angle=-0.1,1.2", "--intervals", 30, "--out", out, "--plot", picture, "--report", report,
    )  # fmt: skip
    assert found["status"] == "converged"
    assert found["replay"]["tip_miss"] < 2e-4
    assert found["variables"]["joint1.angle"]["last"] == pytest.approx(0.8, abs=1e-3)
    assert fb.load(out).trajectory["joint1.angle"][-1] == pytest.approx(0.8)
    assert picture.stat().st_size > 0
    assert "replay" in report.read_text(encoding="utf-8").lower()


def test_plan_tells_what_it_did():
    result = run("plan", ARM, "--set", "links=1", "--set", "modes=1", "--goal", "joint1.angle=0.5", "--intervals", 20)
    assert result.exit_code == 0
    assert "integral of u^2" in result.stdout
    assert "misses the goal by" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "subudhi-moris-2002"), "Did you mean subudhi-morris-2002?"),
        (("check", "nowhere.yaml"), "no such file"),
        (("check", ARM, "--set", "links=0"), "links = 0; must be a whole number > 0"),
        (("check", ARM, "--set", f"links=1{400 * '0'}"), "must be a whole number > 0 and <= 10 000"),
        (("check", ARM, "--symbolic", "payload.mas"), "Did you mean payload.mass?"),
        (("simulate", ARM, "--input", "motor1.torqe=1"), "Did you mean motor1.torque?"),
        (("simulate", ARM, "--x0", "joint1.angle=nan"), "must be a finite number"),
        (("simulate", ARM, "--method", "euler"), "euler"),
        (("simulate", ARM, "--input", "motor1.torque=nowhere.csv:a"), "nowhere.csv"),
        (("simulate", ARM, "--input", "motor1.torque=bang-bang:1,0"), "width"),
        (("linearize", ARM, "--at", "der(joint1.angle)=1"), "velocities"),
        (("linearize", ARM, "--outputs", "payload.w"), "payload.w"),
        (("linearize", ARM, "--form", "full"), "must be one of minimal, descriptor"),
        (("plan", ARM, "--goal", "joint3.angle=1"), "joint3.angle"),
        (("plan", ARM, "--goal", "joint1.angle=1", "--duration", "-1"), "duration"),
    ],
)
def test_refusals_are_one_message_on_stderr(arguments, words):
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("Refused: ")
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_a_run_without_end_is_refused_by_its_option():
    result = run("simulate", ARM, "--time", "1e400")
    assert result.exit_code == 2
    assert "--time: inf s; must be finite and > 0" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check",), "MODEL"),
        (("chek", ARM), "chek"),
        (("check", ARM, "--set", "links"), "NAME=VALUE"),
        (("check", ARM, "--set", "link=1"), "Did you mean links?"),
        (("check", ARM, "--set", "links=2.5"), "links = 2.5 (float); must be an integer"),
        (("check", ARM, "--set", "links={a: 1}"), "must be an integer"),
        (("check", ARM, "--set", "links={"), "cannot be read"),
        (("simulate", ARM, "--time", "0"), "must be finite and > 0"),
        (("simulate", ARM, "--x0", "joint1.angle=far"), "must be a number"),
        (("simulate", ARM, "--input", "motor1.torque=bang:1,2"), "bang-bang"),
        (("simulate", ARM, "--input", "motor1.torque=sine:1"), "2 or 3 number(s)"),
        (("simulate", ARM, "--input", "motor1.torque=1", "--input", "motor1.torque=2"), "twice"),
        (("simulate", ARM, "--out", "motion.xls"), ".nc, .csv"),
        (("simulate", ARM, "--out", "no/such/folder/motion.nc"), "no folder"),
        (("linearize", ARM, "--out", "arm.txt"), ".mat"),
        (("check", ARM, "--plot", "arm.doc"), ".png"),
        (("plan", ARM), "--goal"),
        (("plan", ARM, "--goal", "joint1.angle=1", "--limit", "motor1.torque=1,2,3"), "LOW,HIGH"),
    ],
)
def test_wrong_calls_are_told_how(arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert words in " ".join(result.stderr.replace("│", " ").split())


def test_arguments_are_for_catalogue_models_only(pendulum):
    assert run("check", pendulum, "--set", "links=1").exit_code == 2


def test_a_run_that_fails_keeps_what_it_computed(pendulum, tmp_path):
    """With steps of 0.4 s the classical Runge-Kutta method blows up on a pendulum with a stiff spring."""
    stiff = tmp_path / "stiff.yaml"
    text = PENDULUM.replace(
        "  joint:", "  wall: {type: Fixed}\n  spring: {type: TorsionalSpring, stiffness: 2.0e+2}\n  joint:"
    )
    stiff.write_text(
        text.replace(
            "- [motor.flange_b, joint.axis]",
            "- [motor.flange_b, joint.axis, spring.flange_b]\n- [wall.flange_b, spring.flange_a]",
        )
    )
    out = tmp_path / "part.nc"
    arguments = ("--method", "rk4", "--step", 0.4, "--time", 400, "--x0", "joint.angle=0.1")
    result = run("simulate", stiff, *arguments, "--out", out)
    assert result.exit_code == 1
    assert f"saved in {out}" in result.stderr
    part = fb.load(out)
    assert not part.complete
    assert 0 < part.t[-1] < 400


def test_program_runs_as_installed():
    """A true process: JSON alone on stdout, the exit code of a refusal, no traceback."""
    program = Path(sys.executable).with_name("flexblocks")
    good = subprocess.run([program, "check", ARM, "--json"], capture_output=True, text=True, check=False)
    assert good.returncode == 0
    assert json.loads(good.stdout)["coordinates"][0] == "rotor1.angle"
    bad = subprocess.run([program, "check", "nothing"], capture_output=True, text=True, check=False)
    assert (bad.returncode, bad.stdout) == (1, "")
    assert bad.stderr.startswith("Refused: 'nothing' is neither a model file")


def test_export_writes_what_was_asked_for(pendulum: Path, tmp_path: Path):
    fmu, mat, code = tmp_path / "arm.fmu", tmp_path / "arm.mat", tmp_path / "arm.c"
    result = run("export", pendulum, "--fmu", fmu, "--version", "2.0", "--kind", "ModelExchange", "--sources-only",
                 "--symbolic", "link.mass", "--code", code)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert [line.split()[-1] for line in result.stdout.splitlines()] == [
        str(path) for path in (fmu, code, code.with_suffix(".h"), tmp_path / "arm_test.c")
    ]
    with zipfile.ZipFile(fmu) as archive:
        description = archive.read("modelDescription.xml").decode()
    assert 'fmiVersion="2.0"' in description
    assert "<ModelExchange" in description
    assert "<CoSimulation" not in description
    assert 'name="link.mass"' in description
    assert run("export", pendulum, "--linear", mat, "--outputs", "joint.angle").exit_code == 0
    assert scipy.io.loadmat(mat)["C"].shape == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 1, "nothing to write"),
        (("--fmu", "arm.zip"), 2, "must end in .fmu"),
        (("--fmu", "arm.fmu", "--version", "4.0"), 1, "must be one of '2.0', '3.0'"),
        (("--linear", "arm.mat", "--symbolic", "all"), 1, "leave --symbolic out"),
    ],
)
def test_export_refuses(pendulum: Path, tmp_path: Path, monkeypatch, arguments: tuple, code: int, words: str):
    monkeypatch.chdir(tmp_path)
    result = run("export", pendulum, *arguments)
    assert result.exit_code == code
    assert words in " ".join(result.output.replace("│", " ").split())
    assert list(tmp_path.iterdir()) == [pendulum]


OWN_BLOCKS = """
from dataclasses import dataclass

import flexblocks as fb


@dataclass(frozen=True)
class StiffLink(fb.RigidLink):
    pass


@dataclass(frozen=True)
class Coarse(fb.RigidSegments):
    pass
"""


@pytest.fixture
def own_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A file of blocks, each time a new module, and a model that names one of them."""
    name = f"own_blocks_{tmp_path.name}"
    monkeypatch.setattr(sys, "path", list(sys.path))
    file, model = tmp_path / f"{name}.py", tmp_path / "own.yaml"
    file.write_text(OWN_BLOCKS)
    model.write_text(PENDULUM.replace("RigidLink", "StiffLink"))
    yield file, model
    sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("simulate", "--time", "0.1"),
        ("linearize", "--at", "joint.angle=0"),
        ("plan", "--goal", "joint.angle=0.1", "--intervals", "5"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_blocks_of_your_own_are_imported(own_blocks: tuple[Path, Path], arguments: tuple[str, ...]) -> None:
    file, model = own_blocks
    command, *options = arguments
    refused = run(command, model, *options)
    assert refused.exit_code == 1
    assert "unknown" in refused.stderr or "StiffLink" in refused.stderr
    assert "--import FILE.py" in refused.stderr
    result = run(command, model, *options, "--import", file)
    assert result.exit_code == 0, result.output


def test_export_takes_blocks_of_your_own(own_blocks: tuple[Path, Path], tmp_path: Path) -> None:
    file, model = own_blocks
    assert run("export", model, "--import", file, "--equations", tmp_path / "arm.tex").exit_code == 0


def test_modules_and_several_files_are_imported(
    own_blocks: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module by its name from the current folder, twice; a second file that imports the first one."""
    file, model = own_blocks
    second = tmp_path / f"second_{file.stem}.py"
    second.write_text(
        f"from dataclasses import dataclass\nfrom {file.stem} import StiffLink\n\n\n"
        "@dataclass(frozen=True)\nclass StifferLink(StiffLink):\n    pass\n"
    )
    monkeypatch.chdir(tmp_path)
    model.write_text(PENDULUM.replace("RigidLink", "StifferLink"))
    result = run("check", "own.yaml", "--import", file.stem, "--import", second.name, "--import", file.name)
    sys.modules.pop(second.stem, None)
    assert result.exit_code == 0, result.output
    assert "StifferLink" in result.stdout


def test_a_problem_file_names_discretizations_of_your_own(own_blocks: tuple[Path, Path], tmp_path: Path) -> None:
    file, _ = own_blocks
    problem = tmp_path / "problem.yaml"
    problem.write_text(
        "model: own.yaml\nproblem: {start: {joint.angle: 0}, goal: {joint.angle: 0.1}, duration: 1.0}\n"
        "audit: {finer: {type: Coarse, n: 4}}\n"
    )
    request = read_request(problem, imported_types([str(file)]))
    assert type(request.model["link"]).__name__ == "StiffLink"
    assert type(request.audit["finer"]).__name__ == "Coarse"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "there is no such file"),
        ("x = 1\n", "defines no type for model files; must define a class derived from Block, Composite"),
        ("from flexblocks import RigidLink\n", "defines no type for model files"),
        ("x = 1\ny = (\n", "line 2: SyntaxError"),
        ("x = 1\n\ny = x / 0\n", "line 3: ZeroDivisionError: division by zero"),
        ("import no_module_of_this_name\n", "line 1: No module named 'no_module_of_this_name'"),
        ("import sys\nsys.exit(3)\n", "line 2: SystemExit: 3"),
        ("import flexblocks as fb\nfb.RigidLink('l', length=-1.0, mass=1.0)\n", "length"),
    ],
)
def test_imports_are_refused_by_name_and_line(pendulum: Path, tmp_path: Path, text: str | None, words: str) -> None:
    file = tmp_path / "refused_blocks.py"
    if text is not None:
        file.write_text(text)
    result = run("check", pendulum, "--import", file)
    sys.modules.pop("refused_blocks", None)
    assert result.exit_code == 1
    assert "refused_blocks.py: " in result.stderr
    assert words in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [("no_module_of_this_name", "there is no module"), ("json.py", "another module 'json' already; rename the file")],
)
def test_modules_are_refused_by_name(
    pendulum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "json.py").write_text(OWN_BLOCKS)
    result = run("check", pendulum, "--import", name)
    assert result.exit_code == 1
    assert words in result.stderr


def test_simulate_draws_an_arm_at_rest(tmp_path: Path) -> None:
    """Without inputs nothing moves: all is drawn as it stands."""
    picture = tmp_path / "rest.png"
    result = run("simulate", ARM, "--time", 0.1, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert picture.stat().st_size > 0


def test_version() -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"flexblocks {version('flexblocks')}\n"
    assert fb.__version__ == version("flexblocks")
    module = subprocess.run(
        [sys.executable, "-m", "flexblocks", "--version"], capture_output=True, text=True, check=True
    )
    assert module.stdout == result.stdout


@pytest.mark.slow
def test_shell_completion(pendulum: Path, tmp_path: Path) -> None:
    """Completions of a shell: models of the catalogue, and model files."""
    program = Path(sys.executable).with_name("flexblocks")

    def completed(word: str) -> list[str]:
        asked = {"_FLEXBLOCKS_COMPLETE": "complete_bash", "COMP_WORDS": f"flexblocks check {word}", "COMP_CWORD": "2"}
        answer = subprocess.run(
            [program], cwd=tmp_path, env=os.environ | asked, capture_output=True, text=True, check=False
        )
        return answer.stdout.split()

    (tmp_path / "notes.txt").touch()
    assert completed("subudhi") == [ARM]
    assert completed("pend") == ["pendulum.yaml"]
    assert completed("notes") == []
    assert complete_model(f"{tmp_path}/p") == [str(pendulum)]
    assert complete_model("no-such-folder/p") == []


def test_home_directory(pendulum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell leaves ~ as it is behind an equals sign."""
    monkeypatch.setenv("HOME", str(tmp_path))
    result = run("simulate", "~/pendulum.yaml", "--time", "0.1", "--samples", "5", "--out=~/run.csv")
    assert result.exit_code == 0, result.output
    result = run("simulate", "~/pendulum.yaml", "--time", "0.1", "--input", "motor.torque=~/run.csv:motor.torque")
    assert result.exit_code == 0, result.output


def test_a_table_cut_short_is_refused(pendulum: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("time,torque\n0,0\n1,0.4\n2")
    result = run("simulate", pendulum, "--input", f"motor.torque={table}:torque")
    assert result.exit_code == 1
    assert "row 3 has no number in column 'torque'" in result.stderr


def test_reports_have_the_result_and_what_made_it(pendulum: Path, tmp_path: Path) -> None:
    for command, word in (("simulate", "Simulation"), ("linearize", "Modes")):
        page = tmp_path / f"{command}.html"
        printed = data(command, pendulum, "--report", page)
        assert printed, "JSON alone on stdout"
        text = page.read_text(encoding="utf-8")
        assert "pendulum" in text
        assert word in text
        assert "Content-Security-Policy" in text
    refused = run("simulate", pendulum, "--report", tmp_path / "run.pdf")
    assert refused.exit_code == 2
    assert "--report" in refused.output


def test_robots_become_model_files(tmp_path: Path) -> None:
    out = tmp_path / "arm.yaml"
    run = CliRunner().invoke(app, ["import", str(two_links(tmp_path)), "--out", str(out), "--lock", "elbow=0.3"])
    assert run.exit_code == 0, run.output
    assert "1 joints that move" in run.output
    assert fb.assemble(fb.load(out)).q_names == ("shoulder.angle",)


def test_robots_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text("<sdf/>")
    run = CliRunner().invoke(app, ["import", str(path)])
    assert run.exit_code == 1


def test_a_body_of_finite_elements_becomes_a_file(tmp_path: Path) -> None:
    skfem = pytest.importorskip("skfem")
    mesh = bar_mesh(length=0.1, n=3)
    ends = {"root": lambda x: x[0] < 1e-9, "end": lambda x: x[0] > 0.0999}
    facets = {name: mesh.facets_satisfying(at) for name, at in ends.items()}
    mesh = skfem.MeshTet(mesh.p, mesh.t).with_boundaries(facets)
    mesh.save(str(tmp_path / "bar.msh"), file_format="gmsh22")
    out = tmp_path / "bar.npz"
    given = ("--density", 2700, "--youngs-modulus", 70e9, "--interface", "frame_a=root", "--interface", "frame_b=end")
    result = run("body", tmp_path / "bar.msh", "--out", out, "--modes", 6, *given)
    assert result.exit_code == 0, result.output
    assert "finite elements:" in result.output
    assert fb.FlexibleBody.load(out).mass == pytest.approx(0.054)
    assert run("body", out).output.startswith("FlexibleBody(0.054 kg")
    refused = run("body", tmp_path / "bar.msh", "--density", 2700)
    assert refused.exit_code == 1
    assert "must be given together" in refused.output
    assert run("body", out, "--interface", "tip").exit_code == 2
