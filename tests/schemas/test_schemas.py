"""JSON Schemas: what the library writes follows them, what it refuses does not, and those shipped are up to date."""

from __future__ import annotations

import copy
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

import flexblocks as fb
from flexblocks import models, optim
from flexblocks.cli import app
from flexblocks.cli.planning.request import KEYS, read_request
from flexblocks.cli.planning.template import TEMPLATE
from flexblocks.errors import FileFormatError
from flexblocks.modeling.model_data import to_data
from flexblocks.modeling.schema_reference import schema_address
from flexblocks.modeling.yaml_json import read_document
from flexblocks.optim.problem.serialization import to_data as problem_data
from flexblocks.schemas import SCHEMAS, document_schema, text_of
from repository import ROOT


@cache
def validator(kind: str) -> Any:
    return jsonschema.Draft202012Validator(document_schema(kind))


def complaints(kind: str, data: Any) -> list[str]:
    """Return the places of what is wrong with a document."""
    plain = json.loads(json.dumps(data))
    return ["/".join(map(str, error.absolute_path)) for error in validator(kind).iter_errors(plain)]


@pytest.mark.parametrize("kind", SCHEMAS)
def test_schemas_that_are_shipped_are_those_of_the_blocks(kind: str) -> None:
    shipped = files("flexblocks.schemas").joinpath(f"{kind}.schema.json").read_text(encoding="utf-8")
    made = text_of(document_schema(kind))
    assert shipped == made, f"flexblocks schema {kind} --out flexblocks/schemas/{kind}.schema.json writes it anew"
    assert json.loads(made)["$id"] == schema_address(kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SCHEMAS)
def test_schemas_are_schemas(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(document_schema(kind))


def test_models_of_the_literature_and_machines_follow_the_schema() -> None:
    arms = [getattr(models, name)() for name in models.__all__]
    written = [to_data(arm, arm.name) for arm in arms if isinstance(arm, fb.Model)]
    assert len(written) > 5
    assert [complaints("model", one) for one in written] == [[] for _ in written]


def documents() -> list[Path]:
    return [path for folder in ("examples", "optim", "tests", "docs") for path in (ROOT / folder).rglob("*.yaml")]


def test_files_of_the_repository_follow_their_schemas(tmp_path: Path) -> None:
    template = tmp_path / "template.yaml"
    template.write_text(TEMPLATE)
    kinds = []
    for path in [*documents(), template]:
        data = read_document(path)
        kinds.append("problem" if "problem" in data else "model")
        assert complaints(kinds[-1], data) == [], path
        assert path.read_text().splitlines()[0] == f"# yaml-language-server: $schema={schema_address(kinds[-1])}"
    assert "problem" in kinds


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_saved_models_name_their_schema_and_are_read_again(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"arm{suffix}"
    arm = models.subudhi_morris_2002()
    arm.save(path)
    text = path.read_text()
    if suffix == ".json":
        assert json.loads(text)["$schema"] == schema_address("model")
    else:
        assert text.startswith(f"# yaml-language-server: $schema={schema_address('model')}\n")
    assert complaints("model", json.loads(text) if suffix == ".json" else yaml.safe_load(text)) == []
    assert to_data(fb.load(path), "") == to_data(arm, "")


def changed(data: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of a document with another value at a place; without it where the value is `...`."""
    other = copy.deepcopy(data)
    inside = other
    for step in place[:-1]:
        inside = inside[step]
    if value is ...:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    return other


WRONG_MODELS = {
    "format": (("flexblocks",), 2),
    "type": (("blocks", "link1", "type"), "FlexibelBeam"),
    "no type": (("blocks", "link1", "type"), ...),
    "argument": (("blocks", "link1", "lenght"), 1.0),
    "missing": (("blocks", "link1", "length"), ...),
    "sign": (("blocks", "link1", "length"), -1.0),
    "words": (("blocks", "link1", "length"), "1 m"),
    "shape": (("blocks", "joint1", "axis"), [0.0, 1.0]),
    "choice": (("blocks", "link1", "bending"), "x"),
    "part": (("blocks", "link1", "discretization"), {"type": "Rectangle", "width": 1.0, "height": 1.0}),
    "count": (("blocks", "link1", "discretization"), {"type": "AssumedModes", "n": 2.5}),
    "port": (("connections", 0, 0), "motor1"),
    "key": (("gravitation",), [0.0, 0.0, 0.0]),
    "name": (("name",), ""),
}


@pytest.mark.parametrize("case", WRONG_MODELS)
def test_what_the_library_refuses_does_not_follow_the_schema(tmp_path: Path, case: str) -> None:
    """Each is refused by `fb.load` as well: the schema says nothing that the library does not."""
    place, value = WRONG_MODELS[case]
    data = json.loads(json.dumps(to_data(models.subudhi_morris_2002(), "arm")))
    assert complaints("model", data) == []
    wrong = changed(data, place, value)
    assert complaints("model", wrong)
    (tmp_path / "arm.json").write_text(json.dumps(wrong))
    with pytest.raises(FileFormatError):
        fb.load(tmp_path / "arm.json")


WRONG_PROBLEMS = {
    "key": (("limits",), {}),
    "no model": (("model",), ...),
    "argument": (("problem", "gaol"), {}),
    "missing": (("problem", "goal"), ...),
    "limit": (("problem", "limits", "motor1.torque"), [1.0, 2.0, 3.0]),
    "term": (("problem", "objective"), [{"type": "Efort"}]),
    "region": (("problem", "path", 0, "region"), {"type": "Sphere", "center": [0.6, 0.4]}),
    "constraint": (("problem", "path", 0, "frame"), "payload"),
    "option": (("transcription", "interval"), 30),
    "audit": (("audit",), {"finer": {"type": "AssumedMode", "n": 4}}),
}


@pytest.mark.parametrize("case", WRONG_PROBLEMS)
def test_wrong_problems_do_not_follow_the_schema(tmp_path: Path, case: str) -> None:
    place, value = WRONG_PROBLEMS[case]
    data = read_document(ROOT / "examples" / "quarter_turn.yaml")
    wrong = changed(data, place, value)
    assert complaints("problem", wrong)
    (tmp_path / "problem.json").write_text(json.dumps(wrong))
    with pytest.raises(FileFormatError):
        read_request(tmp_path / "problem.json")


def test_every_kind_of_problem_follows_the_schema() -> None:
    """Phases, via points, poses, moving goals and every kind of objective, as the library itself writes them."""
    path = [
        optim.KeepOut(optim.Cuboid((0, 0), (1, 1)), frames=("payload",), margin=0.1),
        optim.KeepOut(optim.Capsule((0, 0), (1, 1), 0.1), links=("link1",), radius=0.1),
        optim.SpeedLimit("payload", speed=1.0),
        optim.Upright("payload"),
    ]
    a, b = {"joint1.angle": 0.0}, {"joint1.angle": 1.0}
    pose = {"payload": optim.Pose(position=(1.0, None, 0.0))}
    problems = [
        optim.RestToRest(a, b, 2.0, path=path, limits={"motor1.torque": (None, 1.0)}),
        optim.RestToRest(a, b, "free", objective="time", via=[optim.Via({"joint1.angle": 0.5}, fraction=0.5)]),
        optim.RestToRest(a, pose, (1.0, 2.0), objective=optim.Effort(0.5) + 2.0 * optim.Jerk()),
        optim.Problem(a, [optim.Phase("out", b, 1.0), optim.Phase("back", a, 1.0, p={"payload.mass": 0.0})]),
        optim.Problem(pose, [optim.Phase("through", None, 1.0, passing=b), optim.Phase("back", pose, 1.0)]),
    ]
    for problem in problems:
        written = {"model": "arm.yaml", "problem": problem_data(problem, "problem")}
        assert complaints("problem", written) == [], problem


def test_keys_of_problem_files_are_those_that_are_read() -> None:
    assert set(document_schema("problem")["properties"]) == {*KEYS, "$schema"}


def test_the_command_prints_writes_and_knows_blocks_of_a_users_own(tmp_path: Path) -> None:
    own = tmp_path / "own_bodies.py"
    own.write_text(
        "from dataclasses import dataclass\n"
        "from flexblocks.beam import AssumedModes\n\n\n"
        "@dataclass(frozen=True)\n"
        "class MyModes(AssumedModes):\n"
        "    extra: float = 1.0\n"
    )
    run = CliRunner()
    printed = run.invoke(app, ["schema", "problem"])
    assert json.loads(printed.output) == document_schema("problem")
    out = tmp_path / "own.schema.json"
    made = run.invoke(app, ["schema", "model", "--import", str(own), "--out", str(out)])
    assert made.exit_code == 0, made.output
    schema = json.loads(out.read_text())
    assert schema["$defs"]["MyModes"]["properties"]["extra"] == {"type": "number", "default": 1.0}
    kinds = schema["$defs"]["FlexibleBeam"]["properties"]["discretization"]["properties"]["type"]["enum"]
    assert "MyModes" in kinds
