"""Optional libraries: without them the rest works, and the error that needs one names its extra."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from flexblocks.libraries import EXTRAS
from repository import ROOT

# Of pyomo, which `plan` imports, a library is missing when it cannot be imported, not when it is None.
WITHOUT = "import sys; sys.modules['{library}'] = None; import flexblocks as fb; {statement}"
# Names to install of libraries that are imported by another one.
DISTRIBUTIONS = {"collada": "pycollada", "skfem": "scikit-fem", "fast_simplification": "fast-simplification"}


@pytest.mark.parametrize(
    ("library", "extra", "purpose", "statement"),
    [
        (
            "matplotlib",
            "plot",
            "export.report",
            "from flexblocks import export; from flexblocks.cli.commands import COMMANDS, function_of;"
            "commands = [function_of(name) for name in COMMANDS if name != 'plan']; export.report(1, 'arm.html')",
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


def test_each_extra_brings_what_its_errors_ask_for() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for library, extra in EXTRAS.items():
        if library not in ("mpl_toolkits", "click"):  # parts of matplotlib and typer
            assert any(line.startswith(f"{DISTRIBUTIONS.get(library, library)}>") for line in extras[extra])
    assert {"plot", "control", "cli", "cluster", "docs", "all"} <= set(extras)
