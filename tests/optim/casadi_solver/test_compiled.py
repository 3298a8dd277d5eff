"""The option compile=True: the same answers from compiled functions, and none of it where there is no compiler."""

import os
from pathlib import Path

import casadi as ca
import pyomo.environ as pyo
import pytest
from pyomo.contrib.solver.common.factory import SolverFactory

from arms.pendulum import values, with_greybox
from flexblocks.dae.compiler import SUFFIX, find_compiler
from flexblocks.optim.casadi_solver import CasadiGreyBox, attach
from oracles.textbook_programs import hs071

OPTIONS = {"tol": 1e-10}
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")


def solve(m, **kwargs):
    return SolverFactory("casadi").solve(m, solver_options=OPTIONS, **kwargs)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache directory."""
    monkeypatch.setenv("FLEXBLOCKS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def libraries(cache):
    return sorted(cache.glob(f"*{SUFFIX}"))


def pendulum():
    m = with_greybox()
    m.weight = pyo.Param(initialize=0.1, mutable=True)
    m.objective = pyo.Objective(expr=m.dynamics.outputs["cost"] + m.weight * m.torque[3] ** 2 * pyo.exp(m.angle[4]))
    return m


@needs_compiler
def test_answers_are_the_same(cache):
    plain, quick = pendulum(), pendulum()
    result = solve(plain)
    assert result.extra_info.compiled is None
    assert not cache.exists()
    result = solve(quick, compile=True)
    assert sorted(result.extra_info.compiled.split("; ")) == [str(path) for path in libraries(cache)]
    assert values(quick) == pytest.approx(values(plain), abs=1e-8)
    assert len(libraries(cache)) == 2  # the grey box, and the objective


@needs_compiler
def test_libraries_are_kept_by_content(cache):
    solve(hs071(), compile=True)
    (library,) = libraries(cache)
    made = library.stat().st_mtime_ns
    solve(hs071(), compile=True)
    assert [path.stat().st_mtime_ns for path in libraries(cache)] == [made]
    solve(hs071(pyo.maximize), compile=True)
    assert len(libraries(cache)) == 2


def test_without_a_compiler(cache, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(cache))
    result = solve(hs071(), compile=True)
    assert "no C compiler was found" in result.extra_info.compiled
    assert result.incumbent_objective == pytest.approx(17.0140173, abs=1e-6)


@pytest.mark.skipif(os.name != "posix", reason="the compiler is a shell script")
def test_compiler_that_fails(cache, monkeypatch, tmp_path):
    compiler = tmp_path / "mycc"
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "no space" >&2\nexit 1\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    result = solve(hs071(), compile=True)
    assert result.extra_info.compiled.startswith("not compiled")
    assert "no space" in result.extra_info.compiled
    assert result.incumbent_objective == pytest.approx(17.0140173, abs=1e-6)
    assert not libraries(cache)


@needs_compiler
def test_cache_that_cannot_be_written(tmp_path, monkeypatch):
    Path(tmp_path, "file").write_text("")
    monkeypatch.setenv("FLEXBLOCKS_CACHE", str(tmp_path / "file"))
    result = solve(hs071(), compile=True)
    assert result.extra_info.compiled.startswith("not compiled")
    assert result.incumbent_objective == pytest.approx(17.0140173, abs=1e-6)


class Parabola(ca.Callback):
    """A function in Python, of which there is no C code."""

    def __init__(self):
        ca.Callback.__init__(self)
        self.construct("parabola", {"enable_fd": True})

    def eval(self, arg):
        return [(arg[0] - 1) ** 2]


@needs_compiler
def test_function_without_c_code_stays_as_it_is(cache):
    parabola, w = Parabola(), ca.MX.sym("w", 1)
    m = pyo.ConcreteModel()
    m.x = pyo.Var(initialize=0.0, bounds=(-2, 2))
    attach(m, "box", CasadiGreyBox(ca.Function("f", [w], [parabola(w)], ["w"], ["cost"]), [[0]]), [m.x])
    m.objective = pyo.Objective(expr=m.box.outputs["cost"])
    result = SolverFactory("casadi").solve(m, compile=True, solver_options={"tol": 1e-5})
    assert result.extra_info.compiled.startswith("not compiled")
    assert m.x.value == pytest.approx(1.0, abs=1e-3)
