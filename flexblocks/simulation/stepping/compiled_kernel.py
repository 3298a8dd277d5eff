"""Kernel in machine code: a loop in C on functions that CasADi has written as C."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import casadi as ca
import numpy as np

from flexblocks.dae.compiler import load, source_library
from flexblocks.dae.dae import DAE
from flexblocks.simulation.implicit.compiled_kernel import CompiledKernel as ImplicitKernel
from flexblocks.simulation.implicit.compiled_kernel import step_entries
from flexblocks.simulation.implicit.held_steps import step_problem
from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.stepping.equations import step_functions
from flexblocks.simulation.stepping.kernel import Kernel
from flexblocks.simulation.stepping.schedule import Schedule

SOURCE = Path(__file__).with_name("kernel.c")
LEVEL = "-O2"

_INTEGER, _POINTER = ctypes.c_longlong, ctypes.c_void_p


class _Equations(ctypes.Structure):
    _fields_ = (
        ("slope", _POINTER),
        ("changes", _POINTER),
        ("chart", _POINTER),
        *((name, _INTEGER) for name in ("states", "inputs", "parameters", "clocks")),
        *((name, _INTEGER) for name in ("arguments", "results", "integers", "reals")),
        ("z", _POINTER),
    )


class _Method(ctypes.Structure):
    _fields_ = (("stages", _INTEGER), ("A", _POINTER), ("b", _POINTER), ("advance", _POINTER), ("restart", _POINTER))


class _Schedule(ctypes.Structure):
    _fields_ = (("steps", _INTEGER), *((name, _POINTER) for name in ("lengths", "ticking", "rows", "kept")))


class CompiledKernel(Kernel):
    """Kernel of a compiled DAE; it keeps nothing between calls, so that threads may share it.

    Raises
    ------
    flexblocks.dae.compiler.CompilerError
        The C compiler fails.
    """

    def __init__(self, dae: DAE, method: FixedStep) -> None:
        functions = step_functions(dae, method)
        libraries = dict(zip(functions.all, _libraries(dae, functions.all), strict=True))
        addresses: dict[ca.Function | None, int] = {
            function: _address(path, function.name()) for function, path in libraries.items()
        }
        sizes = [[0, 0, 0, 0], *(_work(path, function.name()) for function, path in libraries.items())]
        self._changes = (_POINTER * len(functions.changes))(*(addresses[each] for each in functions.changes))
        self._kept = dae.z.start.astype(float), method  # whose memory is pointed to
        self._equations = _Equations(
            addresses.get(functions.slope),
            ctypes.cast(self._changes, _POINTER),
            addresses.get(functions.chart),
            len(dae.x),
            len(dae.u),
            len(dae.p),
            len(functions.changes),
            *(max(each) for each in zip(*sizes, strict=True)),
            self._kept[0].ctypes.data,
        )
        self._problem = None if method.spectral_radius is None else step_problem(dae, method.spectral_radius)
        entries = (None, None) if self._problem is None else step_entries(dae)
        self._method = _Method(method.stages, method.A.ctypes.data, method.b.ctypes.data, *entries)

    def memory(self) -> ImplicitKernel | None:
        return None if self._problem is None else ImplicitKernel(self._problem)

    def take(
        self,
        schedule: Schedule,
        X: np.ndarray,
        U: np.ndarray,
        p: np.ndarray,
        out: np.ndarray,
        done: np.ndarray,
        runs: slice = slice(None),
        memory: ImplicitKernel | None = None,
    ) -> None:
        kept = self.memory() if memory is None else memory
        steps = _Schedule(len(schedule), *schedule.addresses)
        first, last, _ = runs.indices(len(X))
        failed = _runs()(
            ctypes.byref(self._equations),
            ctypes.byref(self._method),
            ctypes.byref(steps),
            first,
            last,
            X.ctypes.data,
            U.ctypes.data,
            U[0].size if len(U) > 1 else 0,
            p.ctypes.data,
            p.shape[1] if len(p) > 1 else 0,
            out.ctypes.data,
            out[0].size,
            done.ctypes.data,
            None if kept is None else kept.address,
            memory is not None,
        )
        if failed:
            raise MemoryError


def _libraries(dae: DAE, functions: Sequence[ca.Function]) -> list[Path]:
    """Return the library of each function: that of the compiled equations of motion, and one of the others."""
    assert dae.library is not None
    own = "motion"
    others = [function for function in functions if function.name() != own]
    path = load(others, dae.is_optimized)[0] if others else dae.library
    return [dae.library if function.name() == own else path for function in functions]


@cache
def _library(path: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(path))


def _address(path: Path, name: str) -> int:
    address = ctypes.cast(_library(path)[name], _POINTER).value
    assert address is not None
    return address


def _work(path: Path, name: str) -> list[int]:
    """Return how many arguments, results, integers and reals a function needs as working memory."""
    sizes = [_INTEGER() for _ in range(4)]
    _library(path)[f"{name}_work"](*(ctypes.byref(size) for size in sizes))
    return [size.value for size in sizes]


@cache
def _runs() -> ctypes._NamedFuncPointer:
    function = _library(source_library(SOURCE.read_text(encoding="utf-8"), LEVEL)).flexblocks_runs
    array, count = _POINTER, _INTEGER
    function.argtypes = [
        array,
        array,
        array,
        count,
        count,
        array,
        array,
        count,
        array,
        count,
        array,
        count,
        array,
        array,
        count,
    ]
    function.restype = ctypes.c_int
    return function
