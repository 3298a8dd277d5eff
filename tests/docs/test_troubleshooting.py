"""Every warning has a kind, every kind an entry in docs/troubleshooting.md, to which its text links."""

from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Iterator

import pytest

import flexblocks as fb
from flexblocks import warning_kinds
from flexblocks.errors import ModelWarning
from flexblocks.optim import warning_kinds as plan_warning_kinds
from repository import ROOT

KINDS = (*warning_kinds.KINDS, *plan_warning_kinds.KINDS)


def calls() -> Iterator[tuple[str, set[str]]]:
    """Yield (where, the names in the kind) of each call of `warn`."""
    for folder in ("flexblocks", "models", "optim"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "warn":
                    where = f"{path.relative_to(ROOT)}:{node.lineno}"
                    yield where, {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}


def test_every_warning_has_a_kind() -> None:
    assert [where for where, names in calls() if not any(name.isupper() or name == "kind" for name in names)] == []


def test_every_kind_is_used() -> None:
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("flexblocks", "optim")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "warning_kinds.py"
    )
    named = {name for module in (warning_kinds, plan_warning_kinds) for name in vars(module) if name.isupper()}
    unused = {name for name in named - {"KINDS", "PAGE"} if not re.search(rf"\b{name}\b", sources)}
    assert not unused


def test_the_page_has_the_entries() -> None:
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    written = runpy.run_path(str(ROOT / "docs" / "pictures" / "troubleshooting.py"))["written"]
    assert page == written(page), "python docs/pictures/troubleshooting.py"
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    for kind in KINDS:
        assert re.search(rf"^### {kind.name}$", page, re.MULTILINE)
        assert re.fullmatch(r"[a-z-]+", kind.name)  # an anchor as it stands


def test_a_warning_links_to_its_entry() -> None:
    with pytest.warns(ModelWarning) as told:
        fb.Material(density=7.85, youngs_modulus=210e9)
    assert told[0].message.kind == "material-units"
    assert str(told[0].message).endswith("/docs/troubleshooting.md#material-units)")
    assert told[0].filename == __file__
