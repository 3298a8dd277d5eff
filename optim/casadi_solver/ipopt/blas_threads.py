"""Threads of the BLAS that IPOPT's linear solver uses: one."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import casadi as ca

# Only what is loaded already; Windows, which has no such mode, loads no library twice.
LOADED = ctypes.DEFAULT_MODE | getattr(os, "RTLD_NOLOAD", 0) | getattr(os, "RTLD_LAZY", 0)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let CasADi's BLAS work with one thread meanwhile, where it is the OpenBLAS of its wheel.

    The dense blocks of a collocated plan have some tens of rows: threads cost more than they save (in a first dozen
    iterations with 32 states and 40 intervals MUMPS takes 0.75 s of CPU with one thread and 1.2 s with two, which wait
    for each other by spinning), and their rounding makes iterates depend on the number of cores.
    """
    blas = _openblas()
    if blas is None:
        yield
        return
    before = blas.openblas_get_num_threads()
    blas.openblas_set_num_threads(1)
    try:
        yield
    finally:
        blas.openblas_set_num_threads(before)


@cache
def _openblas() -> Any:
    """Return the OpenBLAS of CasADi's wheel that IPOPT has loaded, None without one.

    The wheel has copies of it by several names, and other packages have libraries of their own.
    """
    for path in sorted(Path(ca.__file__).parent.glob("*casadi-tp-openblas*")):
        try:
            library = ctypes.CDLL(str(path), mode=LOADED)
        except OSError:  # another copy, or not a library
            continue
        if hasattr(library, "openblas_set_num_threads") and hasattr(library, "openblas_get_num_threads"):
            return library
    return None
