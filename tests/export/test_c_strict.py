"""Exported C in double and float: no warnings of strict compilers, and the results of flexblocks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from arms.c_compilers import STRICT, library, pointer
from arms.driven import rotor
from arms.equation_arms import ARMS
from flexblocks import control, export
from flexblocks.errors import ParameterError


@pytest.mark.parametrize(
    ("arm", "compiler"), [("symbols", "clang"), ("gravity, chords", "gcc"), ("friction, gears", "clang")]
)
def test_exported_c_of_either_type_passes_its_own_test_without_warnings(
    arm: str, compiler: str, tmp_path: Path
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    for real in ("double", "float"):
        source, _, test = export.c_code(ARMS[arm], tmp_path / "arm.c", real=real)
        program = tmp_path / "arm_test"
        subprocess.run([compiler, *STRICT, "-O0", source, test, "-lm", "-o", program], check=True)
        run = subprocess.run([program], capture_output=True, text=True, check=False)
        assert (run.returncode, run.stdout.strip()) == (0, "arm: 0 of 15 tests failed")


def test_float_code_has_no_double_in_it(tmp_path: Path) -> None:
    source, header, _ = export.c_code(ARMS["friction, gears"], tmp_path / "arm.c", real="float")
    assert "double" not in source.read_text() + header.read_text()
    assert "sinf(" in source.read_text()


def test_a_type_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"real = 'half'; must be 'double', 'float'"):
        export.c_code(ARMS["numbers"], tmp_path / "arm.c", real="half")  # pyright: ignore[reportArgumentType]
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_c_of_a_sampled_loop_has_the_updates_of_its_controller(tmp_path: Path) -> None:
    """A sampled loop with a delay of one and a half samples, stepped in C: ticks by `update`."""
    law = control.Sampled(control.PD({"wheel.angle": "motor.torque"}, 2.0, 0.1), 0.01, delay=0.015)
    loop = control.close_loop(rotor(), law)
    source, header, _ = export.c_code(loop, tmp_path / "loop.c")
    assert "at t = 0 s + k 0.01 s" in header.read_text()
    assert "at t = 0.005 s + k 0.01 s" in header.read_text()
    code = library(source)
    x, u = np.array(loop.x.start), np.array([0.7, 0.1])
    x[0] = 0.2
    expected = np.array(x)
    for tick in range(8):
        clock = loop.clocks[tick % 2]
        expected += clock.change(expected, [], u, []).full().ravel()
        after = np.empty_like(x)
        getattr(code, "loop_update" if tick % 2 == 0 else "loop_update_2")(pointer(x), pointer(u), pointer(after))
        x = after
    assert x == pytest.approx(expected, rel=1e-14)
    assert x[loop.x.index("held.motor.torque")] == pytest.approx(2.0 * 0.5 + 0.1 * 0.1)
    only = export.c_code(loop, tmp_path / "tick.c", functions=["update_2"])[1].read_text()
    assert "tick_update_2" in only
    assert "tick_update(" not in only


def test_an_arm_without_clocks_has_no_update(tmp_path: Path) -> None:
    with pytest.raises(fb.FlexblocksError, match="there is no 'update'"):
        export.c_code(rotor(), tmp_path / "arm.c", functions=["update"])
