"""Compiled library of an FMU, and the name of its platform folder."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from flexblocks.dae.compiler import SUFFIX, link, require_compiler


def compiled(folder: Path, sources: Sequence[str], identifier: str) -> Path:
    """Compile the sources in a folder to a shared library next to the folder, and return its path.

    Raises
    ------
    CompilerError
        There is no compiler, or compilation fails.
    """
    compiler = require_compiler("fmu", "export the sources alone with binary=False")
    target = folder.parent / f"{identifier}{SUFFIX}"
    link(compiler, [folder / name for name in sources], target, flags=("-std=c99",))
    return target


def platform_folder(version: str) -> str:
    """Return the platform tuple, the folder name in ``binaries/``: ``linux64``, or ``x86_64-linux`` from FMI 3.0 on."""
    bits = 64 if sys.maxsize > 2**32 else 32
    system = platform.system()
    if version == "2.0":
        return f"{ {'Windows': 'win', 'Darwin': 'darwin'}.get(system, 'linux') }{bits}"
    machines: Mapping[str, str] = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
    machine = machines.get(platform.machine().lower(), "x86")
    if bits == 32:
        machine = "aarch32" if machine == "aarch64" else "x86"
    return f"{machine}-{ {'Windows': 'windows', 'Darwin': 'darwin'}.get(system, 'linux') }"
