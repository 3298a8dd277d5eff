"""Equations of motion in C: they compile without warnings and pass the test that comes with them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import casadi as ca
import pytest

import flexblocks as fb
from arms.equation_arms import ARMS
from arms.library import subudhi_morris
from flexblocks import export, models
from flexblocks.dae import compiler
from flexblocks.errors import NameUnknownError, ParameterError


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize("arm", ["numbers", "current, algebraic variable"])  # others in test_c_strict.py
def test_exported_c_passes_its_own_test_without_warnings(arm: str, tmp_path: Path) -> None:
    source, header, test = export.c_code(ARMS[arm], tmp_path / "arm.c")
    assert header.name == "arm.h"
    program = tmp_path / "arm_test"
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O0"]
    subprocess.run(["gcc", *strict, str(source), str(test), "-lm", "-o", str(program)], check=True)
    run = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.strip()) == (0, "arm: 0 of 15 tests failed")
    # A wrong number in the source is found out.
    text = source.read_text()
    source.write_text(re.sub(r"(    M\[0\](?:\[0\])? = )(.*);", r"\1(1.0 + 1e-9)*(\2);", text))
    assert source.read_text() != text
    subprocess.run(["gcc", *strict, str(source), str(test), "-lm", "-o", str(program)], check=True)
    run = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "arm_equations: M, entry 0" in run.stdout


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_exported_c_of_any_function_and_of_jacobians(tmp_path: Path) -> None:
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))
    jacobians = dae.forward_dynamics.factory("linear", ["x", "u", "p"], ["dx", "jac:dx:x", "jac:dx:u", "jac:dx:p"])
    wanted = ["mass_matrix", "forward_dynamics", "input_force", "motion", "algebraic", jacobians]
    source, header, test = export.c_code(dae, tmp_path / "arm.c", functions=wanted)
    assert (
        "void arm_linear(const double x[16], const double u[2], const double p[1], double dx[16]" in header.read_text()
    )
    assert "double jac_dx_x[16][16]" in header.read_text()
    assert "arm_algebraic" not in header.read_text()  # there is nothing in it
    program = tmp_path / "arm_test"
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O0"]
    subprocess.run(["gcc", *strict, str(source), str(test), "-lm", "-o", str(program)], check=True)
    run = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.strip()) == (0, "arm: 0 of 15 tests failed")


def test_c_code_of_a_compiled_dae(tmp_path: Path) -> None:
    if compiler.find_compiler() is None:
        pytest.skip("there is no C compiler")
    dae = subudhi_morris(links=1, modes=1)
    plain = export.c_code(dae, tmp_path / "arm.c")[0].read_text()
    assert export.c_code(dae.compile(strict=True), tmp_path / "arm.c")[0].read_text() == plain


def test_functions_that_c_code_cannot_write(tmp_path: Path) -> None:
    dae = ARMS["numbers"]
    with pytest.raises(NameUnknownError, match=r"no 'forward_dynamic'\. Did you mean forward_dynamics"):
        export.c_code(dae, tmp_path / "arm.c", functions=["forward_dynamic"])
    speed = ca.SX.sym("speed", 2)
    own = ca.Function("own", [speed], [2 * speed], ["speed"], ["twice"])
    with pytest.raises(ParameterError, match=r"own takes 'speed' of size \(2, 1\)"):
        export.c_code(dae, tmp_path / "arm.c", functions=[own])
    with pytest.raises(ParameterError, match="arm_energy would be there twice"):
        export.c_code(dae, tmp_path / "arm.c", functions=["energy", "energy"])
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_c_source_alone_is_a_translation_unit(tmp_path: Path) -> None:
    path = tmp_path / "arm.c"
    export.save_equations(ARMS["symbols"], path)
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wmissing-prototypes", "-fsyntax-only"]
    subprocess.run(["gcc", *flags, str(path)], check=True)
    assert "void arm(const double q[8]" in path.read_text()
