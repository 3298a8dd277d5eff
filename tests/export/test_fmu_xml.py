"""modelDescription.xml is read by every parser whatever names hold, and holds the ranges of parameters."""

from __future__ import annotations

import sys
import xml.sax
import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.dom import minidom
from xml.etree import ElementTree

import fmpy
import pytest

import flexblocks as fb
from arms.fmu_arms import VERSIONS
from flexblocks import export
from flexblocks.export.fmu.names import structured
from flexblocks.interfaces import parameter
from flexblocks.interfaces.block_variables import Variable
from flexblocks.interfaces.parameters import FRACTION, NONZERO, POSITIVE
from flexblocks.interfaces.physics import Physics

HOSTILE = (
    "arm\x00\x07\x1b[2J", "arm\x0b\x0c\x85\u2028", "arm\ufffe\uffff", "arm\x9f", "<arm>&\"'", "]]>", "\U0001f9be arm",
    "arm \u202e", "arm\r\n\ttwo",
)  # fmt: skip


@dataclass(frozen=True)
class Heater(fb.Block):
    """Has a unit that nobody expects, and parameters of all ranges."""

    unit: str = "W"
    gain: float = parameter("1", NONZERO, default=1.0)
    share: float = parameter("1", FRACTION, default=0.5)
    size: float = parameter("m", POSITIVE, default=1.0)
    offset: float = parameter("m", default=0.0)

    def inputs(self) -> tuple[Variable, ...]:
        return (Variable("power", self.unit),)

    def physics(self, frame: object, local: object) -> Physics:
        return Physics()


def exported(path: Path, version: str, name: str = "arm", unit: str = "W") -> str:
    """Return modelDescription.xml of a pendulum with a heater."""
    model = fb.Model(name)
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge", damping=0.1))
    bob = model.add(fb.Payload("bob", mass=1.0, center=(0.5, 0.0, 0.0)))
    model.add(Heater("heater", unit))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, bob.frame_a)
    fields = ("gain", "share", "size", "offset")
    dae = fb.assemble(model, symbolic=("bob.mass", "hinge.damping", *(f"heater.{field}" for field in fields)))
    export.fmu(dae, path / "arm.fmu", version, binary=False)
    with zipfile.ZipFile(path / "arm.fmu") as archive:
        return archive.read("modelDescription.xml").decode("utf-8")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_three_parsers_read_names_and_units_of_any_characters(text: str, version: str, tmp_path: Path) -> None:
    # Units of letters that cannot be printed are refused when the arm is assembled.
    unit = "".join(letter for letter in text if letter.isprintable())
    description = exported(tmp_path, version, name=text, unit=unit)
    name = ElementTree.fromstring(description).get("modelName")
    assert name == minidom.parseString(description).documentElement.getAttribute("modelName")
    xml.sax.parseString(description.encode(), xml.sax.ContentHandler())
    # What XML has characters for comes back as it was, but for line breaks.
    kept = [letter for letter in text if letter.isprintable()]
    assert [letter for letter in name if letter in kept] == kept
    assert all(letter.isprintable() or letter in "\u202e\x85\u2028" for letter in name)


@pytest.mark.parametrize("version", VERSIONS)
def test_ranges_of_parameters_are_min_and_max(version: str, tmp_path: Path) -> None:
    exported(tmp_path, version)
    read = {v.name: v for v in fmpy.read_model_description(tmp_path / "arm.fmu").modelVariables}
    ranges = {
        "bob.mass": (0.0, None), "hinge.damping": (0.0, None), "heater.gain": (None, None),
        "heater.offset": (None, None), "heater.share": (0.0, 1.0), "heater.size": (0.0, None),
    }  # fmt: skip
    for name, (low, high) in ranges.items():
        for value, bound in ((read[name].min, low), (read[name].max, high)):
            assert (value is None) == (bound is None), name
            assert bound is None or float(value) == pytest.approx(bound, abs=1e-15)
    # Where the bound itself is refused, it lies outside, by the least that every reader knows.
    assert float(read["heater.size"].min) == sys.float_info.min
    assert 1 - 1e-15 < float(read["heater.share"].max) < 1


def test_names_that_differ_beyond_ascii_stay_different() -> None:
    assert structured("j\xe4.angle") == "'j{00e4}'.angle"
    assert len({structured(f"j{letter}.angle") for letter in "\xe4\xf6\xfc\u4e00\x07"}) == 5
    assert all(
        structured(f"j{letter}").isascii() and structured(f"j{letter}").isprintable() for letter in "\x07\xe4\ud800"
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_the_default_experiment_is_whole(tmp_path: Path, version: str) -> None:
    model = fb.Model("wheel")
    model.add(fb.Ground("ground"))
    model.add(fb.Revolute("joint"))
    model.add(fb.Payload("load", mass=1.0, inertia=1.0))
    model.connect("ground.frame_b", "joint.frame_a")
    model.connect("joint.frame_b", "load.frame_a")
    dae = fb.assemble(model)
    export.fmu(dae, tmp_path / "wheel.fmu", version, tolerance=1e-7, stop_time=2.5, binary=False)
    experiment = fmpy.read_model_description(str(tmp_path / "wheel.fmu")).defaultExperiment
    told = (experiment.startTime, experiment.stopTime, experiment.tolerance, experiment.stepSize)
    assert tuple(map(float, told)) == (0.0, 2.5, 1e-7, 0.005)
    with pytest.raises(fb.FlexblocksError, match="stop_time"):
        export.fmu(dae, tmp_path / "wheel.fmu", version, stop_time=0.0)
