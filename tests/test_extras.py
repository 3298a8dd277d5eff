"""Optional libraries: without them the rest works, and the error that needs one names its extra."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from flexblocks.libraries import EXTRAS
from repository import ROOT

# A library is missing where no finder has it: Pyomo takes one that is None for a package that is broken.
WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "{library}":
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
import flexblocks as fb
{statement}
"""
# Names to install of libraries that are imported by another one.
DISTRIBUTIONS = {"collada": "pycollada", "skfem": "scikit-fem", "fast_simplification": "fast-simplification"}


@pytest.mark.parametrize(
    ("library", "extra", "purpose", "statement"),
    [
        (
            "matplotlib",
            "plot",
            "plot.modes",
            "from flexblocks.cli.commands import COMMANDS, function_of;"
            "commands = [function_of(name) for name in COMMANDS]; from flexblocks import plot; plot.modes",
        ),
        ("typer", "cli", "The command line", "from flexblocks.__main__ import main; main()"),
        ("zarr", "cluster", "The store study.zarr", "fb.study(lambda case: 1.0, {'a': [1.0]}, 'study.zarr')"),
    ],
)
def test_what_is_missing_is_named(library: str, extra: str, purpose: str, statement: str, tmp_path) -> None:
    script = WITHOUT.format(library=library, statement=statement)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == 1
    assert f"{purpose} needs {library}, which is not installed: pip install 'flexblocks[{extra}]'." in run.stderr


def test_animations_and_reports_need_no_matplotlib(tmp_path: Path) -> None:
    """Pages and models are written without; films, whose pictures it draws, and plots name the extra."""
    statement = """
from flexblocks import export, models, plot
linear = fb.linearize(fb.assemble(models.subudhi_morris_2002(links=1, modes=1)))
export.report(linear, "report.html")
film = plot.animate(linear, mode=1)
film.save("mode.html"), film.save("mode.glb"), film._repr_html_()
for needs in (lambda: film.save("mode.gif"), lambda: plot.modes):
    try:
        needs()
    except fb.FlexblocksError as error:
        print(error)
"""
    script = WITHOUT.format(library="matplotlib", statement="") + statement
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    told = "needs matplotlib, which is not installed: pip install 'flexblocks[plot]'."
    assert run.stdout.splitlines() == [f"Animation.save of films (.gif, .mp4) {told}", f"plot.modes {told}"]
    assert {path.name for path in tmp_path.iterdir()} == {"mode.html", "mode.glb", "report.html"}


def test_each_extra_brings_what_its_errors_ask_for() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for library, extra in EXTRAS.items():
        if library not in ("mpl_toolkits", "click"):  # parts of matplotlib and typer
            assert any(line.startswith(f"{DISTRIBUTIONS.get(library, library)}>") for line in extras[extra])
    assert {"plot", "control", "cli", "cluster", "docs", "all"} <= set(extras)
