"""What an FMU says of itself: valid, and true of the DAE."""

from __future__ import annotations

import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

import flexblocks as fb
from arms.fmu_arms import FOLDER, KINDS, VERSIONS, dae
from flexblocks import export
from flexblocks.export.fmu.names import identifier, structured
from flexblocks.export.fmu.units import base_exponents, modelica_unit

ARMS = ("paper", "algebraic")
RNG = np.random.default_rng(7)


def sources(name: str, version: str, **options: object) -> str:
    """An FMU without a library: the description is the same."""
    return str(export.fmu(dae(name), Path(FOLDER.name, f"{name}.fmu"), version, binary=False, **options))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ARMS)
def test_fmpy_finds_no_problem(name: str, version: str) -> None:
    for kind in (*KINDS, KINDS):
        assert validate_fmu(sources(name, version, kind=kind)) == []
    assert validate_fmu(sources(name, version, outputs=[dae(name).q_names[0]])) == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ARMS)
def test_names_units_and_start_values_are_those_of_the_dae(name: str, version: str) -> None:
    arm, description = dae(name), fmpy.read_model_description(sources(name, version))
    found = {variable.name: variable for variable in description.modelVariables}
    roles = (
        (arm.x, "local", "continuous", "exact"),
        (arm.u, "input", "continuous", "exact"),
        (arm.p, "parameter", "tunable", "exact"),
        (arm.z, "local", "continuous", "approx"),
        (arm.y, "output", "continuous", "calculated"),
    )
    units = {unit.name: unit.baseUnit for unit in description.unitDefinitions}
    for group, causality, variability, initial in roles:
        for variable, unit, start in zip(group.names, group.units, group.start, strict=True):
            given = found.pop(variable)
            assert (given.causality, given.variability, given.initial) == (causality, variability, initial)
            assert given.unit == unit.replace(" ", ".")
            assert (given.start is None) if initial == "calculated" else (float(given.start) == start)
            assert units[given.unit] is not None
    n = arm.tree.size
    rates = [f"der({coordinate},2)" for coordinate in arm.q_names] + [f"der({w})" for w in arm.x.names[2 * n :]]
    assert sorted(found) == sorted(["time", *rates])
    assert [unknown.variable.name for unknown in description.derivatives] == [*arm.x.names[n : 2 * n], *rates]
    assert [unknown.variable.derivative.name for unknown in description.derivatives] == list(arm.x.names)
    assert [unknown.variable.name for unknown in description.outputs] == list(arm.y.names)
    assert description.modelName == arm.name
    assert float(description.defaultExperiment.tolerance) == 1e-9


def test_torque_is_defined_by_base_units_and_keeps_its_limit() -> None:
    model = fb.Model("arm")
    motor, joint = model.add(fb.TorqueSource("motor", limit=2.5)), model.add(fb.Revolute("joint"))
    link = model.add(fb.RigidLink("link", 0.5, 0.1))
    model.connect(motor.flange_b, joint.axis)
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    path = export.fmu(fb.assemble(model), Path(FOLDER.name, "limit.fmu"), binary=False)
    description = fmpy.read_model_description(path)
    torque = {v.name: v for v in description.modelVariables}["motor.torque"]
    assert (float(torque.min), float(torque.max), torque.unit) == (-2.5, 2.5, "N.m")
    unit = {u.name: u.baseUnit for u in description.unitDefinitions}["N.m"]
    assert (unit.kg, unit.m, unit.s, unit.rad, unit.A) == (1, 2, -2, 0, 0)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ARMS)
def test_dependencies_hold_all_that_matters_and_not_everything(name: str, version: str) -> None:
    arm, description = dae(name), fmpy.read_model_description(sources(name, version))
    x, u = arm.x.start + 0.1 * RNG.standard_normal(len(arm.x)), 0.1 * RNG.standard_normal(len(arm.u))
    with pytest.warns(fb.errors.FlexblocksWarning, match="not an equilibrium"):
        lin = fb.linearize(arm, {"x": x, "u": u})
    knowns = (*arm.x.names, *arm.u.names)
    declared = 0
    for unknowns, matrix in ((description.derivatives, [lin.A, lin.B]), (description.outputs, [lin.C, lin.D])):
        for unknown, row in zip(unknowns, np.hstack(matrix), strict=True):
            behind = {variable.name for variable in unknown.dependencies}
            assert {knowns[i] for i in np.flatnonzero(row)} <= behind <= set(knowns)
            declared += len(behind)
    rows = len(arm.x) + len(arm.y)
    assert declared < 0.9 * rows * len(knowns)
    first = description.derivatives[0]
    assert [variable.name for variable in first.dependencies] == [first.variable.name]


def test_chosen_outputs(tmp_path: Path) -> None:
    arm = dae("algebraic")
    names = ("joint.angle", "hard.torque")
    path = export.fmu(arm, tmp_path / "arm.fmu", outputs=names, binary=False)
    description = fmpy.read_model_description(path)
    found = {variable.name: variable.causality for variable in description.modelVariables}
    assert {name for name, causality in found.items() if causality == "output"} == set(names)
    assert set(arm.y.names) <= set(found)


@pytest.mark.parametrize("version", VERSIONS)
def test_one_kind_alone(version: str) -> None:
    description = fmpy.read_model_description(sources("algebraic", version, kind="ModelExchange"))
    assert description.modelExchange is not None
    assert description.coSimulation is None


def test_licence_and_sources_are_inside() -> None:
    with zipfile.ZipFile(sources("algebraic", "3.0")) as archive:
        assert b"MIT License" in archive.read("documentation/licenses/flexblocks.txt")
        assert {"sources/buildDescription.xml", "sources/fmi3.c", "sources/model.h"} <= set(archive.namelist())
        assert "sources/fmi2.c" not in archive.namelist()


@pytest.mark.parametrize(
    ("unit", "exponents"),
    [
        ("1", {}),
        ("rad", {"rad": 1}),
        ("N m s/rad", {"kg": 1, "m": 2, "s": -1, "rad": -1}),
        ("kg m2", {"kg": 1, "m": 2}),
        ("rad/(N m)3", {"kg": -3, "m": -6, "s": 6, "rad": 1}),
        ("m/s2", {"m": 1, "s": -2}),
        ("N m/A", {"kg": 1, "m": 2, "s": -2, "A": -1}),
        ("V/A/s", {"kg": 1, "m": 2, "s": -4, "A": -2}),
        ("Ohm", {"kg": 1, "m": 2, "s": -3, "A": -2}),
        ("1/s", {"s": -1}),
        ("furlong", None),
        ("N (m", None),
        ("N m)", None),
        ("m/s²", None),
    ],
)
def test_units_by_base_units(unit: str, exponents: dict[str, int] | None) -> None:
    assert base_exponents(unit) == exponents


def test_names() -> None:
    assert modelica_unit("N m s/rad") == "N.m.s/rad"
    assert structured("der(arm.joint1.angle)") == "der(arm.joint1.angle)"
    assert structured("der(reference.hub-1.angle,2)") == "der(reference.'hub-1'.angle,2)"
    assert structured("link1.bending_y[12]") == "link1.bending_y[12]"
    assert structured("hub-1.it's") == "'hub-1'.'it\\'s'"
    assert [identifier(text) for text in ("two links", "3 R", "_", "Größe")] == [
        "two_links",
        "model_3_R",
        "model",
        "Gr_e",
    ]
