"""The implicit integrator in C, compiled with the residual of the arm into one library."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from flexblocks.dae.compiler import library
from flexblocks.dae.dae import DAE
from flexblocks.dae.implicit_functions import powers
from flexblocks.simulation.implicit.radau_three import radau_numbers
from flexblocks.simulation.implicit.settings import (
    COUNTS,
    DROPPED,
    FEEDBACK,
    OF_TIME,
    TAKEN,
    ImplicitProblem,
    KernelState,
)

DOUBLE, LONG = ctypes.c_double, ctypes.c_long


@lru_cache(maxsize=32)
def _library(dae: DAE) -> ctypes.CDLL:
    """Return the library of an arm.

    Raises
    ------
    CompilerError
        There is no compiler, it fails, or the cache is not writable.
    """
    folder = files("flexblocks.simulation.implicit") / "kernel"
    sources = sorted((part for part in folder.iterdir() if part.name.endswith(".h")), key=lambda part: part.name)
    code = "\n".join(part.read_text(encoding="utf-8") for part in sources)
    loaded = ctypes.CDLL(str(library([dae.interpreted.residual, powers(dae)], dae.is_optimized, code)))
    loaded.implicit_create.restype = ctypes.c_void_p
    return loaded


def step_entries(dae: DAE) -> tuple[int | None, int | None]:
    """Return the addresses of what takes a step, and of what makes a kernel forget its run.

    Raises
    ------
    CompilerError
        See `flexblocks.dae.compiler.library`.
    """
    of, address = _library(dae), ctypes.c_void_p
    return ctypes.cast(of.implicit_advance, address).value, ctypes.cast(of.implicit_restart, address).value


def _pointer(values: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(values.ctypes.data)


class CompiledKernel:
    """One integration by the kernel in C.

    Parameters
    ----------
    problem : ImplicitProblem

    Raises
    ------
    CompilerError
        See `flexblocks.dae.compiler.library`.
    """

    def __init__(self, problem: ImplicitProblem) -> None:
        dae, settings, inputs = problem.dae, problem.settings, problem.inputs
        self._library = _library(dae)
        n, N, m = dae.tree.size, len(dae.x) - dae.tree.size, len(problem.kept_closures)
        self.sizes = np.array([n, N, m, len(dae.z), len(dae.u), len(dae.tree.prescribed), len(dae.p)], dtype="l")
        self._kernel = ctypes.c_void_p(self._library.implicit_create(_pointer(self.sizes)))
        if not self._kernel:
            raise MemoryError("simulate: there is no memory for an arm of this size")
        numbers = [
            float(settings.radau or settings.step is None),
            float(settings.step is None),
            settings.spectral_radius,
            problem.newton,
            settings.tolerance,
            settings.step or np.inf,
            np.inf,
            problem.displacements.reach,
            DROPPED,
            TAKEN,
            FEEDBACK,
            OF_TIME,
        ]
        self._kept: dict[str, np.ndarray] = {  # what the kernel points at
            "settings": np.array(numbers),
            "weight": problem.weight,
            "scale": problem.closure_scale,
            "held": problem.held,
            "active": problem.kept_closures,
            "drives": problem.drives,
            "p": np.array(problem.p, dtype=float),
            "radau": radau_numbers(),
            "first": inputs.first.astype("l"),
            "edges": np.ascontiguousarray(inputs.edges),
            "polynomials": np.ascontiguousarray(inputs.coefficients),
            "ends": np.ascontiguousarray(inputs.ends),
            "times": np.ascontiguousarray(problem.times),
        }
        names = ("settings", "weight", "scale", "held", "active", "drives", "p", "radau")
        self._call("set", *(_pointer(self._kept[name]) for name in names))
        self._call("forget")
        table = (_pointer(self._kept[name]) for name in ("first", "edges", "polynomials"))
        self._call("inputs", LONG(len(inputs.ends) - 1), LONG(inputs.degree), *table)
        self.outputs = np.zeros((len(problem.times), n + 2 * N + m + len(dae.z) + 2))
        self._call("outputs", LONG(len(problem.times)), _pointer(self._kept["times"]), _pointer(self.outputs))

    def _call(self, name: str, *arguments: Any) -> int:
        return getattr(self._library, f"implicit_{name}")(self._kernel, *arguments)

    def __del__(self) -> None:
        if getattr(self, "_kernel", None):
            self._library.implicit_free(self._kernel)

    @property
    def address(self) -> int | None:
        """Where it is in memory."""
        return self._kernel.value

    def begin(self, t: float, segment: int, x: np.ndarray, z: np.ndarray, rates: np.ndarray | None = None) -> None:
        """Begin at a state x (nx,) with guesses z (nz,) at `t` [s]; `rates` (n + nw,) that are not solved for."""
        x, z = np.array(x, dtype=float), np.array(z, dtype=float)
        known = None if rates is None else np.array(rates, dtype=float)
        self._call(
            "state", DOUBLE(t), LONG(segment), *map(_pointer, (x, z)), None if known is None else _pointer(known)
        )

    def run(self, until: float, most: int) -> int:
        """Go on to a time [s], for at most so many steps; return how that ended."""
        return self._call("run", _pointer(self._kept["ends"]), DOUBLE(until), LONG(most))

    @property
    def state(self) -> KernelState:
        """Where the integration is."""
        n, N, m, nz, *_ = self.sizes
        t, x, rates, multipliers, z, work = (np.zeros(size) for size in (1, n + N, N, m, nz, 2))
        counts, active = np.zeros(len(COUNTS) + 1, dtype="l"), np.zeros(m, dtype="l")
        self._call("read", *map(_pointer, (t, x, rates, multipliers, z, work, counts, active)))
        told: dict[str, int] = dict(zip(COUNTS, counts.tolist(), strict=False))
        return KernelState(float(t[0]), x, rates, multipliers, z, work, told, int(counts[-1]))

    def step(self, x: np.ndarray, z: np.ndarray, u: np.ndarray, dt: float) -> int:
        """Advance a state x (nx,) and algebraic variables z (nz,), in place, by a step under held inputs u (nu,).

        All are contiguous arrays of floats. The run of this kernel, if there is one, is forgotten. A state that is the
        last one continues with its rates, another begins anew.
        """
        return self._call("step", _pointer(x), _pointer(z), _pointer(u), _pointer(self._kept["p"]), DOUBLE(dt))
