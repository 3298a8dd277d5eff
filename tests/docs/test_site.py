"""The documentation site: every page has its place, every public name an entry with an example, notebooks run."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from repository import ROOT

DOCS = ROOT / "docs"
WRITTEN = ("api/", "project/")  # at each build: docs/_extensions/written_pages.py
# Their plans, or longer ones, have tests in tests/examples and tests/machines; .ci/run runs them as `make docs` does.
LONG = {
    *("concrete_pump", "hoist_crane", "space_arm", "tendon_arm", "codesign", "robust_plan", "theodore_ghosal"),
    *("own_arm", "plan_a_motion", "solid_links"),
}
NOTEBOOKS = sorted([*(DOCS / "gallery").glob("*.py"), *(DOCS / "tutorials").glob("*.py")])
EXAMPLES = sorted((DOCS / "api_examples").glob("*.py"))


@pytest.fixture(scope="module", autouse=True)
def _extensions() -> Iterator[None]:
    sys.path.insert(0, str(DOCS / "_extensions"))
    yield
    sys.path.remove(str(DOCS / "_extensions"))


def entries(page: str) -> set[str]:
    """Return what the tables of contents of a page name, from docs/."""
    text = (DOCS / page).read_text(encoding="utf-8")
    bodies = re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [line for body in bodies for line in body.splitlines() if line and not line.startswith(":")]
    folder = Path(page).parent
    return {(folder / re.sub(r".*<(.*)>", r"\1", line)).as_posix() for line in lines}


def test_every_page_is_in_a_table_of_contents() -> None:
    listed = entries("index.md") | entries("gallery/index.md") | entries("benchmarks/index.md")
    written = [*DOCS.glob("*.md"), *DOCS.glob("benchmarks/*.md"), *NOTEBOOKS]
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in written}
    missing = {entry for entry in listed if not entry.startswith(WRITTEN)} ^ (pages - {"index"} | {"gallery/index"})
    assert not missing


def test_every_example_of_the_gallery_has_a_card() -> None:
    text = (DOCS / "gallery" / "index.md").read_text(encoding="utf-8")
    cards = set(re.search(r"\{gallery-cards\}\n(.*?)```", text, re.DOTALL)[1].split())
    assert cards == {f"gallery/{path.stem}" for path in NOTEBOOKS if path.parent.name == "gallery"}
    assert len(cards) >= 10


def test_a_build_with_a_warning_fails() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"python -m sphinx -W .* docs build/docs", makefile)
    assert not re.search(r"suppress_warnings", (DOCS / "conf.py").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_every_public_name_has_an_entry_with_an_example() -> None:
    from written_pages import reference

    import flexblocks as fb
    from flexblocks import control, export, models, optim, plot

    pages = reference()
    for package in (fb, optim, control, export, plot, models):
        for name in package.__all__:
            path = f"{package.__name__}.{name}"
            entry = re.compile(rf"^\.\. (auto\w+|py:\w+):: {path}$", re.MULTILINE)
            documented = [text for text in pages.values() if entry.search(text)]
            # The blocks and beams of flexblocks have no second entry.
            assert len(documented) == 1, path
            docstring = getattr(package, name).__doc__ or ""
            assert ".. rubric:: Example" in documented[0] or "\n    Examples\n" in docstring, path


def run(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    """Run a notebook as the script it is; warnings of the library are errors here."""
    mpl.use("Agg")
    plt.close("all")
    monkeypatch.chdir(folder)
    module = types.ModuleType("notebook_as_script")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    return vars(module)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_of_the_reference_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if path.stem == "results":
        pytest.importorskip("sympy")
    run(path, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem not in LONG], ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what each animates, and draws first, is there."""
    made = run(path, tmp_path, monkeypatch)
    assert plt.get_fignums(), "no picture for its card"
    assert ".animate(" in path.read_text(encoding="utf-8")
    plans = [value for value in made.values() if type(value).__name__ == "Plan"]
    assert all(plan.status == "converged" for plan in plans)
