"""What `import flexblocks` loads: the graph, the symbols and the arrays, and no library that only some verbs need."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("pandas", "xarray", "rich", "scipy", "matplotlib", "pyomo", "control", "netCDF4", "typer", "sympy")


@pytest.mark.parametrize(
    "statement",
    [
        "import flexblocks",
        "import flexblocks as fb; fb.Model('arm').add(fb.Revolute('joint')); fb.Rectangle(0.1, 0.2)",
    ],
)
def test_large_libraries_are_imported_when_they_are_used(statement: str) -> None:
    script = f"import sys; {statement}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_a_library_is_there_when_it_is_used() -> None:
    script = (
        "import sys; from flexblocks.libraries import pd, scipy, xr;"
        "print(float(scipy.linalg.det([[2.0]])), scipy.spatial.transform.Rotation.__name__,"
        " pd.DataFrame.__name__, xr.Dataset.__name__, hasattr(scipy, '__path__'))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["2.0", "Rotation", "DataFrame", "Dataset", "False"]
