"""The public face: every public name once, at the shortest path a user writes, in the sections of the reference."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from typing import Any

# Packages whose ``__all__`` is public, the shortest paths first.
PACKAGES = (
    "flexblocks",
    "flexblocks.models",
    "flexblocks.optim",
    "flexblocks.control",
    "flexblocks.plot",
    "flexblocks.export",
    "flexblocks.learning",
    "flexblocks.studies",
    "flexblocks.interfaces",
    "flexblocks.beam",
    "flexblocks.beam.properties",
    "flexblocks.blocks",
    "flexblocks.simulation",
    "flexblocks.tasks",
    "flexblocks.notebook",
    "flexblocks.schemas",
    "flexblocks.optim.casadi_solver",
)
# What flexblocks itself exports has sections by where it is defined; the first prefix that fits counts.
SECTIONS = (
    ("flexblocks.blocks.bodies", "Bodies and beams"),
    ("flexblocks.blocks.joints", "Joints"),
    ("flexblocks.blocks.drives", "Drives and shafts"),
    ("flexblocks.blocks.forces", "Forces and sensors"),
    ("flexblocks.blocks", "Bodies and beams"),
    ("flexblocks.beam", "Beam fidelities, sections, materials"),
    ("flexblocks.interfaces", "Blocks of your own"),
    ("flexblocks.simulation", "Simulation"),
    ("flexblocks.linear", "Linear models"),
    ("flexblocks.compare", "Studies"),
    ("flexblocks.studies", "Studies"),
    ("flexblocks.errors", "Errors and warnings"),
    ("flexblocks", "Models and equations"),
)
ORDER = (
    "Models and equations",
    "Simulation",
    "Linear models",
    "Joints",
    "Bodies and beams",
    "Beam fidelities, sections, materials",
    "Drives and shafts",
    "Forces and sensors",
    "Blocks of your own",
    "Studies",
    "Errors and warnings",
)
TITLES = {
    "flexblocks.models": "Ready models: `flexblocks.models`",
    "flexblocks.optim": "Motion planning: `flexblocks.optim`",
    "flexblocks.control": "Control: `flexblocks.control`",
    "flexblocks.plot": "Pictures and animations: `flexblocks.plot`",
    "flexblocks.export": "Exports: `flexblocks.export`",
    "flexblocks.learning": "Policies that learn: `flexblocks.learning`",
    "flexblocks.studies": "Studies, more: `flexblocks.studies`",
    "flexblocks.interfaces": "What a block is made of: `flexblocks.interfaces`",
    "flexblocks.beam.properties": "Profiles along beams: `flexblocks.beam.properties`",
    "flexblocks.tasks": "Tasks: `flexblocks.tasks`",
    "flexblocks.notebook": "Notebooks: `flexblocks.notebook`",
    "flexblocks.schemas": "JSON Schemas: `flexblocks.schemas`",
    "flexblocks.optim.casadi_solver": "The Pyomo solver: `flexblocks.optim.casadi_solver`",
}


@dataclass(frozen=True)
class PublicName:
    """A public name.

    Attributes
    ----------
    path : str
        As a user reaches it, ``flexblocks.optim.plan``.
    section : str
        Of the reference.
    value : object
    aliases : tuple of str
        Other public paths of the same object.
    """

    path: str
    section: str
    value: Any
    aliases: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        lines = (getattr(self.value, "__doc__", None) or "").strip().splitlines()
        return lines[0] if lines and self.is_object else ""

    @property
    def is_object(self) -> bool:
        """Whether it is a class or a function, which have docstrings of their own."""
        return isinstance(self.value, type) or callable(self.value)

    @property
    def page(self) -> str:
        """Name of its page below api/; unlike paths, names of files may not differ by case alone."""
        name = self.path.rpartition(".")[2]
        return self.path + ("_class" if isinstance(self.value, type) and name[0].isupper() else "")


def public_names() -> list[PublicName]:
    """Return every public name once, in the order of the packages."""
    paths: dict[int, list[str]] = {}
    values: dict[int, Any] = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            value = getattr(module, name)
            # Functions are guarded in each package, around the same one; constants may be the same object by chance.
            key = id(inspect.unwrap(value)) if callable(value) else hash((package, name))
            paths.setdefault(key, []).append(f"{package}.{name}")
            values.setdefault(key, value)
    return [
        PublicName(first, _section(first, values[key]), values[key], tuple(more))
        for key, (first, *more) in paths.items()
    ]


def _section(path: str, value: Any) -> str:
    package = path.rpartition(".")[0]
    if package != "flexblocks":
        return TITLES[package]
    defined = inspect.unwrap(value).__module__  # guarded functions say that they come from flexblocks itself
    return next(title for prefix, title in SECTIONS if f"{defined}.".startswith(f"{prefix}."))
