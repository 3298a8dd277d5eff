"""The registers: what a file may name is what the packages define and `flexblocks` offers."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest

import flexblocks as fb
from flexblocks import beam, blocks, shapes
from flexblocks.beam import DISCRETIZATIONS, SECTIONS, VALUES
from flexblocks.blocks import ALL_BLOCKS
from flexblocks.blocks.joints.compound_joints import SerialHinges
from flexblocks.shapes import SHAPES
from flexblocks.shapes.shape import Shape


def defined(package: ModuleType, *bases: type) -> set[type]:
    """Return the concrete public subclasses that the modules of a package define."""
    modules = [importlib.import_module(m.name) for m in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    classes = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    return {
        kind
        for kind in classes
        if issubclass(kind, bases) and not inspect.isabstract(kind) and kind.__module__.startswith(package.__name__)
    }


def test_every_block_of_the_library_is_registered():
    bases = {SerialHinges}  # without parameters of its own
    concrete = {kind for kind in defined(blocks, fb.Block, fb.Composite) if not kind.__name__.startswith("_")}
    assert concrete - bases == set(ALL_BLOCKS)


def test_every_discretisation_and_section_is_registered():
    assert defined(beam, fb.Discretization) == set(DISCRETIZATIONS)
    assert defined(beam, fb.Section) == set(SECTIONS)


def test_every_shape_is_registered():
    assert defined(shapes, Shape) - {Shape} == set(SHAPES)


@pytest.mark.parametrize("kind", [*ALL_BLOCKS, *VALUES, *SHAPES], ids=lambda kind: kind.__name__)
def test_what_is_registered_is_offered(kind):
    assert getattr(fb, kind.__name__) is kind
    assert kind.__name__ in fb.__all__
