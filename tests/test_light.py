"""What `import flexblocks` loads: the graph, the symbols and the arrays, and no library that only some verbs need."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from types import ModuleType

import pytest

from flexblocks.cli.commands import COMMANDS

HEAVY = ("pandas", "xarray", "rich", "scipy", "matplotlib", "pyomo", "control", "netCDF4", "typer", "sympy")


@pytest.mark.parametrize(
    "statement",
    [
        "import flexblocks",
        "import flexblocks as fb; fb.Model('arm').add(fb.Revolute('joint')); fb.Rectangle(width=0.1, height=0.2)",
        "from flexblocks import control, export, models, optim, plot",
        "from flexblocks import control; control.PD, control.ZV, control.margins, control.gain_schedule",
        "from flexblocks import optim; optim.Effort(), optim.RestToRest, optim.KeepOut",
        "from flexblocks import plot; plot.animate",
    ],
)
def test_large_libraries_are_imported_when_they_are_used(statement: str) -> None:
    script = f"import sys; {statement}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_the_package_itself_loads_almost_nothing() -> None:
    """Importing casadi, numpy and networkx takes two thirds of what flexblocks takes with the first verb."""
    script = "import sys, flexblocks; print(*[name for name in sys.modules if name.partition('.')[0] == 'flexblocks'])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert len(run.stdout.split()) < 10


PACKAGES = ("flexblocks", *(f"flexblocks.{name}" for name in ("control", "export", "learning", "plot", "optim")))


def source(module: str) -> ast.Module:
    """Return the source of a module, parsed."""
    return ast.parse(inspect.getsource(importlib.import_module(module)))


@pytest.mark.parametrize("name", PACKAGES)
def test_names_that_editors_see_are_those_that_are_there(name: str) -> None:
    package = importlib.import_module(name)
    tree = source(name)
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    places = {node: f"{name}.{node.module}" if node.level else str(node.module) for node in imports}
    registers = [importlib.import_module(places[node]) for node in imports if node.names[0].name == "*"]
    seen = {(places[node], alias.name) for node in imports for alias in node.names if alias.name != "*"}
    seen = {
        (module, own)
        for module, own in seen
        if not isinstance(getattr(importlib.import_module(module), own), ModuleType)
    }
    lists = [node.value for node in block.body if isinstance(node, ast.Assign)]
    written = {own for one in lists for own in ast.literal_eval(one)}
    assert written == {own for _, own in seen}
    assert set(package.__all__) == written.union(*(register.__all__ for register in registers))
    assert len(package.__all__) == len(set(package.__all__))
    for module, own in seen:
        member = getattr(importlib.import_module(module), own)
        assert inspect.unwrap(getattr(package, own)) is inspect.unwrap(member)
        assert inspect.isclass(member) or hasattr(getattr(package, own), "__guarded__")


def test_a_module_does_not_take_the_place_of_its_verb() -> None:
    script = (
        "import flexblocks as fb, flexblocks.compare, flexblocks.assemble;"
        "print(callable(fb.assemble), callable(fb.compare))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "True"]


def test_help_imports_no_command() -> None:
    """It costs what typer and rich cost; one line of help is the first of the docstring."""
    script = f"""
import sys
from flexblocks.__main__ import main
sys.argv = ["flexblocks", "--help"]
try:
    main()
finally:
    heavy = [name for name in {HEAVY!r} if name in sys.modules and name not in ("typer", "rich")]
    print("loaded", heavy, sorted(name for name in sys.modules if name.startswith("flexblocks.cli.")))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "loaded [] ['flexblocks.cli.app', 'flexblocks.cli.commands']" in run.stdout
    for name, (place, text) in COMMANDS.items():
        assert f" {name} " in run.stdout
        module, _, function = place.partition(":")
        tree = source(module)
        node = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function)
        assert (ast.get_docstring(node) or "").partition("\n")[0] == text


def test_a_library_is_there_when_it_is_used() -> None:
    script = (
        "import sys; from flexblocks.libraries import pd, scipy, xr;"
        "print(float(scipy.linalg.det([[2.0]])), scipy.spatial.transform.Rotation.__name__,"
        " pd.DataFrame.__name__, xr.Dataset.__name__, hasattr(scipy, '__path__'))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["2.0", "Rotation", "DataFrame", "Dataset", "False"]
