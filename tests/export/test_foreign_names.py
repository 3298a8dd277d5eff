"""Names of models come from files of others: in generated programs they stay names, whatever they hold."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import flexblocks as fb
from flexblocks import control, export
from flexblocks.export.comment_text import comment_text, latex_text
from flexblocks.interfaces.block_variables import Variable
from flexblocks.interfaces.physics import Output, Physics

HOSTILE = {
    "quotes": '"""\nraise SystemExit("broken out")\n"""',
    "one quote": 'arm"',
    "backslash": "arm\\",
    "end of comment": "arm */\n#error broken out\n/*",
    "trigraph": "arm *??/\n/\n#error broken out\n",
    "slashes that meet": "arm *\\/ \n#error broken out",
    "carriage return": "arm\rerror('broken out')\r",
    "line separator": "arm\u2028error('broken out')\u2029\x85\x0b\x0c",
    "octave block": "arm\n%}\nerror('broken out')\n%{",
    "escape": "arm \\N{nonsense} \\x",
    "reversed": "arm \u202e */ \u2066",
    "control": "arm\x00\x07\x1b[2J",
}
NAMES = [pytest.param(name, id=what) for what, name in HOSTILE.items()]


@dataclass(frozen=True)
class Heater(fb.Block):
    """Has units and names that nobody expects."""

    input_name: str = "power"
    output_name: str = 'warmth """ + broken_out + """'
    unit: str = 'W */ int broken_out; /* """ + broken_out + """'

    def inputs(self) -> tuple[Variable, ...]:
        return (Variable(self.input_name, self.unit),)

    def physics(self, frame, local) -> Physics:
        return Physics(outputs={self.output_name: Output(2 * local[self.input_name], self.unit)})


@cache
def arm(name: str) -> fb.DAE:
    model = fb.Model(name)
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    link = model.add(fb.RigidLink("link", length=0.5, mass=1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, joint.axis)
    return fb.assemble(model)


def test_python_runs_nothing_of_a_name(tmp_path: Path) -> None:
    check = "from importlib import import_module\n"
    for i, name in enumerate(HOSTILE.values()):
        export.save_equations(arm(name), tmp_path / f"equations{i}.py")
        export.save_linear(fb.linearize(arm(name)), tmp_path / f"linear{i}.py")
        check += f"assert import_module('linear{i}').A.shape == (2, 2)\n"
        check += f"assert callable(import_module('equations{i}').equations{i})\n"
    subprocess.run([sys.executable, "-W", "error", "-c", check], cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.parametrize("name", NAMES)
def test_c_compiles_nothing_of_a_name(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    export.c_code(arm(name), tmp_path / "arm.c")
    export.save_equations(arm(name), tmp_path / "equations.c")
    flags = ["-std=c99", "-trigraphs", "-Wall", "-Wcomment", "-Werror", "-fsyntax-only"]
    for source in ("arm.c", "arm_test.c", "equations.c"):
        subprocess.run([compiler, *flags, source], cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.parametrize("name", NAMES)
def test_controllers_in_c_compile_nothing_of_a_name(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    law = control.PD({"joint.angle": "motor.torque"}, 2.0)
    export.controller(law, arm(name), 0.01, tmp_path / "ctl")
    flags = ["-std=c99", "-trigraphs", "-Wall", "-Wcomment", "-Werror", "-fsyntax-only"]
    for source in ("ctl.c", "ctl_test.c"):
        subprocess.run([compiler, *flags, source], cwd=tmp_path / "ctl", check=True, capture_output=True)
    example = (tmp_path / "ctl" / "ctl_ros2_control.cpp").read_text(encoding="utf-8")
    assert not re.search(r"^\s*(#error|error\(|raise)|\\$|\?\?/", example, re.MULTILINE)


def test_signals_of_any_name_and_unit_are_comments_and_enumerators(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    model = fb.Model("oven")
    model.add(fb.Ground("ground"))
    heater = model.add(Heater("heater"))
    law = control.PD({f"heater.{heater.output_name}": f"heater.{heater.input_name}"}, 2.0)
    header, source, test, *_ = export.controller(
        control.Sampled(law, 0.01, 0.01), fb.assemble(model), 0.01, tmp_path / "ctl"
    )
    assert "CTL_MEASURED_HEATER_WARMTH_BROKEN_OUT = 0" in header.read_text(encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, source, test, "-lm", "-o", tmp_path / "test"], check=True)
    subprocess.run([tmp_path / "test"], check=True)


@pytest.mark.parametrize("name", NAMES)
def test_matlab_keeps_a_name_in_comments_and_texts(name: str, tmp_path: Path) -> None:
    dae = arm(name)
    export.save_equations(dae, tmp_path / "equations.m")
    export.save_linear(fb.linearize(dae), tmp_path / "linear.m")
    for file in ("equations.m", "linear.m"):
        for line in (tmp_path / file).read_text(encoding="utf-8").splitlines():
            if "broken out" in line:
                assert line.startswith("% "), line


def heated(heater: Heater) -> fb.DAE:
    model = fb.Model("warm arm")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    link = model.add(fb.RigidLink("link", length=0.5, mass=1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.add(heater)
    return fb.assemble(model)


def test_names_and_units_of_foreign_blocks_stay_text(tmp_path: Path) -> None:
    dae = heated(Heater("heater"))
    export.save_equations(dae, tmp_path / "equations.py")
    subprocess.run([sys.executable, "-c", "import equations"], cwd=tmp_path, check=True, capture_output=True)
    export.save_equations(dae, tmp_path / "equations.c")
    export.c_code(dae, tmp_path / "arm.c")
    for file in ("equations.c", "arm.c", "arm.h", "arm_test.c"):
        code = re.sub(r"/\*.*?\*/", "", (tmp_path / file).read_text(encoding="utf-8"), flags=re.DOTALL)
        assert "broken_out" not in code, file


@pytest.mark.parametrize(
    ("heater", "words"),
    [
        (Heater("heater", input_name="power\nx"), r"input name 'power\\nx'; must have at least one letter"),
        (Heater("heater", output_name="heat/s"), "output name 'heat/s'; must have"),
        (Heater("heater", output_name=""), "output name ''; must have"),
        (Heater("heater", unit="W\r\n1,2"), r"input 'power' has the unit 'W\\r\\n1,2'; must be a text on one line"),
    ],
)
def test_names_and_units_that_no_file_keeps_are_refused(heater: Heater, words: str) -> None:
    """A line end ended a row of a trajectory's CSV file, which could not be read again; netCDF refuses a slash."""
    with pytest.raises(fb.errors.ModelError, match=f"Heater 'heater': {words}"):
        heated(heater)


@pytest.mark.parametrize("name", NAMES)
def test_a_comment_is_one_printable_line_without_marks(name: str) -> None:
    text = comment_text(name)
    assert text.isprintable()
    assert not any(mark in text for mark in ("*/", "/*", "??", '"', "\\"))
    assert comment_text(text) == text


def test_latex_sets_what_it_would_interpret() -> None:
    assert latex_text("a_1 ^ ~ 5 % {x} \\input{y}") == (
        r"a\_1 \textasciicircum{} \textasciitilde{} 5 \% \{x\} /input\{y\}"
    )
