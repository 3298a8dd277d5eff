"""Packages used for comparison; all of them optional, from the extra ``bench``."""

from __future__ import annotations

import importlib.util
from importlib.metadata import version

from rich.console import Console

# Package on the index, module to import.
MODULES = {"sympy": "sympy", "mujoco": "mujoco", "pin": "pinocchio", "exudyn": "exudyn", "soromox": "soromox"}


def installed(*packages: str, console: Console) -> list[str]:
    """Return the installed ones of the packages; print their versions, and which are left out."""
    present = []
    for package in packages:
        if importlib.util.find_spec(MODULES[package]) is None:
            console.print(f"{package} is not installed and left out; it comes with the extra 'bench'.")
        else:
            console.print(f"{package} {version(package)}")
            present.append(package)
    return present
