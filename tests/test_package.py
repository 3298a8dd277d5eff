"""What gets installed is what is there."""

from __future__ import annotations

import tomllib

from repository import ROOT


def test_every_package_is_listed_for_installation():
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    found = set()
    for folder, inside in (
        ("flexblocks", "flexblocks"),
        ("models", "flexblocks.models"),
        ("optim", "flexblocks.optim"),
    ):
        for path in (ROOT / folder).rglob("__init__.py"):
            found.add(".".join([inside, *path.parent.relative_to(ROOT / folder).parts]))
    assert set(setuptools["packages"]) == found
