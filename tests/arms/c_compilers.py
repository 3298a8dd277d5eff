"""Exported C compiled strictly, and called from Python."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

COMPILERS = ("gcc", "clang")
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-pedantic", "-std=c99", "-Werror")


def library(source: Path, *flags: str) -> ctypes.CDLL:
    """Return a shared library of one C source, compiled by gcc."""
    target = source.with_suffix(".so")
    subprocess.run(["gcc", *STRICT, "-O0", *flags, "-shared", "-fPIC", source, "-lm", "-o", target], check=True)
    return ctypes.CDLL(str(target))


def pointer(array: np.ndarray) -> Any:
    """Return a pointer to the numbers of an array, of float64 or float32."""
    return np.ctypeslib.as_ctypes(array)
