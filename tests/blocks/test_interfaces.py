"""The contract of a block: one import for its authors, and what is refused when a block is declared wrongly."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

import pytest

import flexblocks as fb
from arms.chains import chain
from flexblocks import interfaces
from flexblocks.errors import ModelError, NameUnknownError
from flexblocks.interfaces import Block, Physics, flange, inlet, outlet, parameter
from repository import ROOT

PAGE = (ROOT / "docs" / "block_interface.md").read_text()
TABLE = PAGE.partition("Methods of a `Block`")[0]
REFERENCE = re.findall(r"^\| `(\w+)(?:\((.*?)\))?`", TABLE, re.MULTILINE)


def test_the_page_lists_what_the_package_offers():
    assert sorted(name for name, _ in REFERENCE) == sorted(interfaces.__all__)
    assert interfaces.__all__ == sorted(interfaces.__all__, key=lambda name: (not name.isupper(), name.islower(), name))


@pytest.mark.parametrize(("name", "arguments"), [entry for entry in REFERENCE if entry[1]])
def test_signatures_on_the_page_are_those_of_the_code(name, arguments):
    written = re.sub(r"[\[(][^\[\]()]*[\])]", "", arguments)  # the commas inside a default are none between arguments
    names = [part.partition("=")[0].strip().lstrip("*") for part in written.split(",")]
    assert [name for name in names if name] == list(inspect.signature(getattr(interfaces, name)).parameters)


def block_with(*ports):
    @dataclass(frozen=True)
    class Careless(Block):
        def physics(self, frame, local):
            return Physics()

    Careless.ports = ports
    return Careless


@pytest.mark.parametrize(
    ("ports", "message"),
    [
        ((inlet(), inlet("frame_c")), "has the inlets frame_a, frame_c; a block has one"),
        ((inlet(), outlet("frame_a")), "ports = frame_a, frame_a; each must have a name of its own"),
        ((flange("a"), flange("a")), "ports = a, a; each"),
    ],
)
def test_ports_that_contradict_each_other_are_refused(ports, message):
    with pytest.raises(ModelError, match=f"Careless 'c': {message}"):
        block_with(*ports)("c")


@dataclass(frozen=True)
class Weight(Block):
    """A point mass with a number that stands in no equation."""

    mass: float = parameter("kg")
    price: float = parameter("1", default=3.0, symbolic=False)

    ports = (inlet(),)

    def physics(self, frame, local):
        return Physics(kinetic=self.mass / 2 * frame.v.T @ frame.v)


def test_parameters_that_cannot_stay_symbolic_are_refused():
    model = chain(fb.Revolute("hinge"), fb.RigidLink("rod", 0.5), Weight("weight", 2.0))
    assert "weight.mass" in fb.assemble(model, symbolic="all").p.names
    assert "weight.price" not in fb.assemble(model, symbolic="all").p.names
    with pytest.raises(NameUnknownError, match=r"weight\.price.*not a number that can stay symbolic"):
        fb.assemble(model, symbolic="weight.price")
