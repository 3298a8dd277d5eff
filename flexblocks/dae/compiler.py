"""Compilation of CasADi functions to shared libraries, by the system's C compiler and with a cache."""

from __future__ import annotations

import logging
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import casadi as ca

from flexblocks.dae.library_cache import CacheError, cache_directory, cached
from flexblocks.errors import FlexblocksError

LOG = logging.getLogger("flexblocks.compiler")

COMPILERS = ("gcc", "clang", "cc")
# On straight-line code of this size -O2 takes up to twenty times as long as -O1 and gains nothing. -O0 takes a quarter
# of the time of -O1, for code that takes three times as long. Without contraction into fused multiply-adds the results
# are those of CasADi's virtual machine to the last digit.
OPTIMIZED, QUICK = "-O1", "-O0"
FLAGS = ("-ffp-contract=off", "-fPIC", "-shared")
SUFFIX = {"Windows": ".dll", "Darwin": ".dylib"}.get(platform.system(), ".so")


# Libraries of functions in C that CasADi knows by name alone.
_LINKED: dict[str, Path] = {}


class CompilerError(FlexblocksError):
    """There is no C compiler, or it failed."""


def find_compiler() -> str | None:
    """Return the path of a C compiler: the environment variable CC, else gcc, clang or cc; None if there is none."""
    chosen = os.environ.get("CC")
    for name in (chosen,) if chosen else COMPILERS:
        path = shutil.which(name)
        if path:
            return path
    return None


def require_compiler(where: str, otherwise: str) -> str:
    """Return the path of a C compiler.

    Raises
    ------
    CompilerError
        There is none; the message says what to do `otherwise`.
    """
    compiler = find_compiler()
    if compiler is None:
        raise CompilerError(
            f"{where}: no C compiler was found ({', '.join(COMPILERS)} or the environment variable CC); install gcc or "
            f"clang, or {otherwise}."
        )
    return compiler


def library(functions: Sequence[ca.Function], optimize: bool = True, more: str = "") -> Path:
    """Return the shared library of these functions, compiled now or taken from the cache.

    The key of the cache is the source code, the compiler with its version, and the flags. Libraries are written
    atomically, so that several processes may build the same one at once; a damaged one is rebuilt.

    Parameters
    ----------
    functions : sequence of casadi.Function
        With distinct names; load them with ``casadi.external(name, str(path))``.
    optimize : bool
        Whether the compiler optimises.
    more : str
        C code behind that of the functions, which may call them.

    Raises
    ------
    CompilerError
        There is no compiler, it rejects the code, or the cache is not writable or is writable by others.
    """
    every = {each.name(): each for function in functions for each in (function, *function.find_functions())}
    if of_python := [name for name, each in every.items() if each.class_name() == "CallbackInternal"]:
        raise CompilerError(f"compile: '{of_python[0]}' is a function of Python, which has no C code")
    linked = [str(path) for name, path in _LINKED.items() if name in every]
    return source_library(_source(functions) + more, OPTIMIZED if optimize else QUICK, linked)


def source_library(source: str, level: str = OPTIMIZED, flags: Sequence[str] = ()) -> Path:
    """Return the shared library of this C code, compiled now at a level of optimisation or taken from the cache.

    `flags` stand behind the code: libraries to link, and where their headers are.

    Raises
    ------
    CompilerError
        See `library`.
    """
    compiler = require_compiler("compile", "continue without compiling")
    key = "\0".join([source, compiler, _version(compiler), level, *FLAGS, *flags])

    def build(path: Path) -> None:
        LOG.info("compiling %d lines with %s for %s", source.count("\n"), compiler, cache_directory())
        code = path.with_name("flexblocks.c")
        code.write_text(source, encoding="utf-8")
        link(compiler, [code], path, level, flags)

    try:
        return cached(key, SUFFIX, build)
    except CacheError as error:
        raise CompilerError(str(error)) from error


def link_callers(name: str, path: Path) -> None:
    """Link what calls the function of this name, when it is compiled, with its library."""
    _LINKED[name] = path


def load(functions: Sequence[ca.Function], optimize: bool = True) -> tuple[Path, dict[str, ca.Function]]:
    """Return the library of these functions, and the compiled functions by name.

    Raises
    ------
    CompilerError
        See `library`; or the library cannot be loaded even after a rebuild.
    """
    path = library(functions, optimize)
    try:
        return path, _loaded(functions, path)
    except RuntimeError:
        LOG.warning("%s cannot be loaded; rebuilding it", path)
        path.unlink(missing_ok=True)
    try:
        return path, _loaded(functions, library(functions, optimize))
    except RuntimeError as error:
        raise CompilerError(
            f"compile: {path} cannot be loaded even after a rebuild: {str(error).strip().splitlines()[-1]}; check that "
            "the C compiler builds for this Python, or continue without compiling."
        ) from error


def _loaded(functions: Sequence[ca.Function], path: Path) -> dict[str, ca.Function]:
    return {function.name(): ca.external(function.name(), str(path)) for function in functions}


def _source(functions: Sequence[ca.Function]) -> str:
    generator = ca.CodeGenerator("flexblocks.c")
    for function in functions:
        generator.add(function)
    return generator.dump()


@cache
def _version(compiler: str) -> str:
    run = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    return run.stdout + platform.machine()


def link(
    compiler: str, sources: Sequence[Path], target: Path, level: str = OPTIMIZED, flags: Sequence[str] = ()
) -> None:
    """Compile C sources to the shared library `target`.

    Raises
    ------
    CompilerError
        The compiler rejects the code; the message quotes its output.
    """
    command = [compiler, level, *FLAGS, *map(str, sources), *flags, "-o", str(target), "-lm"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise CompilerError(f"compile: {' '.join(command)} failed: {run.stderr.strip() or run.returncode}")
