"""An iteration in machine code: functions of the arm, constants, the iteration and a solver in one library."""

from __future__ import annotations

import ctypes
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np

from flexblocks.dae.compiler import link_callers, source_library
from flexblocks.dynamics.tree.foreign_functions import Foreign, register

KERNEL = Path(__file__).with_name("kernel")
# The arm's functions are long straight lines, which -O2 takes ten times as long for and does not make faster; loops say
# for themselves what they want.
LEVEL = "-O1"
# No names of the library but those of CasADi's interface.
HIDDEN = "-fvisibility=hidden"
# Memories that a file among others keeps: those of the runs in one process, and of their last states.
KEPT_APART = 64
PREAMBLE = """
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define THREAD_LOCAL _Thread_local
#ifndef OWN_MEMORY
#define OWN_MEMORY 0
#endif
#define EXPORTED __attribute__((visibility("default")))
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define HOT __attribute__((optimize("O3", "fp-contract=fast"), target_clones("arch=x86-64-v3", "default")))
#elif defined(__GNUC__) && !defined(__clang__)
#define HOT __attribute__((optimize("O3")))
#else
#define HOT
#endif
#if defined(__GNUC__)
#define INLINED static inline __attribute__((always_inline))
#else
#define INLINED static inline
#endif
"""


def iteration_source(
    functions: Mapping[str, ca.Function],
    sizes: Mapping[str, int | str],
    constants: Mapping[str, np.ndarray | float],
    files: Sequence[str],
    name: str = "",
) -> tuple[str, str]:
    """Return the name of an iteration, which its content decides, and its C code.

    Parameters
    ----------
    functions : dict of casadi.Function
        By the names that the kernel has for them.
    sizes, constants : dict
        Macros, and arrays.
    files : sequence of str
        Of the kernel: headers first, which know no macros.
    name : str
        By default one that the code decides.
    """
    code = _code(functions.values())
    work = [function.sz_arg() for function in functions.values()]
    macros = dict(sizes) | {
        "ARGUMENTS": max(work),
        "RESULTS": max(function.sz_res() for function in functions.values()),
        "INTEGERS": max(function.sz_iw() for function in functions.values()),
        "REALS": max(function.sz_w() for function in functions.values()),
    }
    lines = [f"#define {name} {value}" for name, value in macros.items()]
    lines += [f"#define {name} {function.name()}" for name, function in functions.items()]
    lines += [_constant(name, value) for name, value in constants.items()]
    headers, *parts = [(KERNEL / file).read_text(encoding="utf-8") for file in files]
    body = "\n".join([code, headers, PREAMBLE, *lines, *parts])
    name = name or f"receding_{hashlib.sha256(body.encode()).hexdigest()[:16]}"
    return name, f"#define NAME {name}\n{body}"


@dataclass(frozen=True)
class CompiledIteration:
    """An iteration in a library of its own, and the times that it took."""

    foreign: Foreign

    def time_of(self, key: float) -> float | None:
        """Return the CPU time [s] of the iteration that made a key, None where that is gone."""
        of = ctypes.CDLL(str(self.foreign.path)).receding_time
        of.argtypes, of.restype = [ctypes.c_double], ctypes.c_double
        found = of(key)
        return 1e-6 * found if found >= 0 else None


def build(name: str, source: str, flags: Sequence[str]) -> Foreign:
    """Return the function of this source, compiled now or taken from the cache.

    Raises
    ------
    flexblocks.dae.compiler.CompilerError
        There is no compiler, or it fails.
    """
    path = source_library(source, LEVEL, flags)
    link_callers(name, path)
    apart = "" if set(flags) - {HIDDEN} else by_itself(source)
    memory = ctypes.CDLL(str(path)).receding_memory()
    return register(Foreign(name, path, build, (name, source, tuple(flags)), apart, memory))


def by_itself(source: str) -> str:
    """Return the code of an iteration as one file among others, with the memories of few runs.

    After ``#define OWN_MEMORY 1`` it keeps none: the caller does, behind the argument w.
    """
    # Another iteration's file beside it has functions of the same names.
    source = re.sub(r"^CASADI_SYMBOL_EXPORT ", "static ", source, flags=re.MULTILINE)
    source = re.sub(r"EXPORTED (int|double) receding_", r"static \1 receding_", source)
    source = re.sub(r"#define (KEPT|TIMED) \d+", rf"#define \1 {KEPT_APART}", source)
    # CasADi's helpers, which are no static functions, are named after the iteration.
    name = source.partition("#define NAME ")[2].partition("\n")[0]
    source = source.replace("#define CASADI_PREFIX(ID) receding_ ## ID", f"#define CASADI_PREFIX(ID) {name}_ ## ID")
    return f"#define _POSIX_C_SOURCE 199309L\n{source}"


def _code(functions: object) -> str:
    generator = ca.CodeGenerator("receding.c")
    for function in functions:  # type: ignore[attr-defined]
        generator.add(function)
    return generator.dump()


def _constant(name: str, value: np.ndarray | float) -> str:
    if isinstance(value, np.ndarray):
        kind = "int" if value.dtype.kind in "iu" else "double"
        numbers = value.ravel().tolist() or [0]
        return f"static const {kind} {name}[{len(numbers)}] = {{{', '.join(map(_number, numbers))}}};"
    return f"#define {name} {_number(value)}"


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    if np.isinf(value):
        return "HUGE_VAL" if value > 0 else "-HUGE_VAL"
    return repr(float(value))
