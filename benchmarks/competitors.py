"""The packages that are compared with; all of them optional, from the extra ``bench``."""

from __future__ import annotations

import importlib.util
from importlib.metadata import version

from rich.console import Console

# Package on the index, module to import.
MODULES = {"sympy": "sympy", "mujoco": "mujoco", "pin": "pinocchio", "exudyn": "exudyn"}


def installed(*packages: str, console: Console) -> list[str]:
    """Return those of the packages that are there; say with their versions which are, and which are left out."""
    found = []
    for package in packages:
        if importlib.util.find_spec(MODULES[package]) is None:
            console.print(f"{package} is not installed and left out; it comes with the extra 'bench'.")
        else:
            console.print(f"{package} {version(package)}")
            found.append(package)
    return found
