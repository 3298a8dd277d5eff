"""The folders of the library: none too full, each a package that says what it is, and all of them installed."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from repository import ROOT

#: Folders of the repository that hold packages, and what they are called once installed.
ROOTS = {"flexblocks": "flexblocks", "models": "flexblocks.models", "optim": "flexblocks.optim"}
#: More than a reader takes in at a glance.
MOST_FILES = 20

# Scripts in examples/ are run, not imported.
FOLDERS = sorted(
    {file.parent for root in ROOTS for file in (ROOT / root).rglob("*.py") if file.parent.name != "examples"}
)


def dotted(folder: Path) -> str:
    """Return the name of a package as it is imported."""
    root, *inside = folder.relative_to(ROOT).parts
    return ".".join([ROOTS[root], *inside])


@pytest.mark.parametrize("folder", FOLDERS, ids=dotted)
def test_a_folder_can_be_taken_in_at_a_glance(folder: Path) -> None:
    assert len(list(folder.glob("*.py"))) <= MOST_FILES


@pytest.mark.parametrize("folder", FOLDERS, ids=dotted)
def test_a_folder_is_a_package_that_says_what_it_is(folder: Path) -> None:
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
    assert docstring


def test_every_package_is_listed_for_installation() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert setuptools["packages"] == sorted(map(dotted, FOLDERS))
