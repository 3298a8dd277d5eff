"""Linear models in files: everything comes back, and other programs find what they look for."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from one_link import DCMotor, HardeningSpring, cantilever, joint_arm

import flexblocks as fb
from flexblocks import export, models
from flexblocks.errors import FileFormatError

SUFFIXES = (".mat", ".json", ".npz")
LINK = fb.RigidLink("link", length=0.5, mass=0.1)


def linear_models() -> dict[str, fb.LinearModel]:
    one_of_each = joint_arm(beam=LINK, drive=(DCMotor("motor"), HardeningSpring("hard")))
    beam = fb.FlexibleBeam("beam", 0.5, 0.2, 1.0, discretization=fb.AssumedModes(1))
    everything = fb.assemble(one_of_each, symbolic=("link.mass",))
    return {
        "paper": fb.linearize(fb.assemble(models.subudhi_morris_2002())),
        "current, algebraic variable, parameter": fb.linearize(
            everything, fb.equilibrium(everything, x={"joint.angle": 0.2})
        ),
        "no inputs, one mode": fb.linearize(fb.assemble(cantilever(beam))),
        "no outputs": fb.linearize(fb.assemble(cantilever(beam)), outputs=()),
    }


MODELS = linear_models()


def same(first: object, second: object) -> bool:
    """Whether two records are equal, entry by entry."""
    if isinstance(first, np.ndarray):
        return isinstance(second, np.ndarray) and first.shape == second.shape and np.array_equal(first, second)
    if isinstance(first, dict):
        return (
            isinstance(second, dict) and list(first) == list(second) and all(same(first[k], second[k]) for k in first)
        )
    if hasattr(first, "__dataclass_fields__"):
        return type(first) is type(second) and all(
            same(getattr(first, field.name), getattr(second, field.name)) for field in fields(first)
        )
    return first == second


@pytest.mark.parametrize("suffix", [*SUFFIXES, ".MAT"])
@pytest.mark.parametrize("name", MODELS)
def test_round_trip(tmp_path: Path, name: str, suffix: str) -> None:
    lin = MODELS[name]
    path = tmp_path / f"arm{suffix}"
    export.save_linear(lin, path)
    again = export.load_linear(str(path))
    assert same(lin, again)
    assert str(again.modes()) == str(lin.modes())


def test_mat_file_holds_what_matlab_calls_a_state_space_model(tmp_path: Path) -> None:
    lin = MODELS["paper"]
    export.save_linear(lin, tmp_path / "arm.mat")
    found = scipy.io.loadmat(tmp_path / "arm.mat")
    for matrix in "ABCDE":
        np.testing.assert_array_equal(found[matrix], getattr(lin, matrix))
    for kind, names, units in (
        ("State", lin.states, lin.state_units),
        ("Input", lin.inputs, lin.input_units),
        ("Output", lin.outputs, lin.output_units),
    ):
        # A cell array: a column of objects, each a text.
        assert found[f"{kind}Name"].dtype == object
        assert found[f"{kind}Name"].shape == (len(names), 1)
        assert [str(cell[0]) for cell in found[f"{kind}Name"][:, 0]] == list(names)
        assert [str(cell[0]) for cell in found[f"{kind}Unit"][:, 0]] == list(units)
    assert found["Name"] == ["Subudhi & Morris 2002, 2 links"]
    np.testing.assert_array_equal(found["OperatingState"], lin.operating_point.x[:, None])


def test_json_file_reads_without_flexblocks(tmp_path: Path) -> None:
    lin = MODELS["paper"]
    export.save_linear(lin, tmp_path / "arm.json")
    found = json.loads((tmp_path / "arm.json").read_text())
    assert (found["Format"], found["Version"]) == ("flexblocks linear model", 1)
    np.testing.assert_array_equal(found["A"], lin.A)
    assert found["InputUnit"] == ["N m", "N m"]


def test_npz_file_needs_no_pickle(tmp_path: Path) -> None:
    lin = MODELS["paper"]
    export.save_linear(lin, tmp_path / "arm.npz")
    with np.load(tmp_path / "arm.npz", allow_pickle=False) as found:
        np.testing.assert_array_equal(found["B"], lin.B)
        assert found["StateName"].tolist() == list(lin.states)


@pytest.mark.parametrize("function", [lambda path: export.save_linear(MODELS["paper"], path), export.load_linear])
@pytest.mark.parametrize("name", ["arm.csv", "arm"])
def test_unknown_suffix(tmp_path: Path, function, name: str) -> None:
    with pytest.raises(FileFormatError, match=r"must be one of \.mat, \.json, \.npz"):
        function(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_and_missing_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"arm{suffix}"
    with pytest.raises(FileFormatError, match="there is no such file"):
        export.load_linear(path)
    path.write_bytes(b"not a file of this kind")
    with pytest.raises(FileFormatError, match=f"not a readable {suffix} file"):
        export.load_linear(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Version": 2}, r"version 2; this flexblocks reads 'flexblocks linear model', version 1"),
        ({"Format": "something"}, "format 'something'"),
        ({"B": [[1.0]]}, r"'B' holds 1 numbers; must be 16 x 2"),
        ({"StateName": None}, r"holds no 'StateName'"),
        ({"A": [["a"] * 16] * 16}, "'A' does not hold numbers"),
    ],
)
def test_files_of_another_kind(tmp_path: Path, change: dict, words: str) -> None:
    path = tmp_path / "arm.json"
    export.save_linear(MODELS["paper"], path)
    record = json.loads(path.read_text()) | change
    path.write_text(json.dumps({name: value for name, value in record.items() if value is not None}))
    with pytest.raises(FileFormatError, match=words):
        export.load_linear(path)


def test_a_json_list_is_no_linear_model(tmp_path: Path) -> None:
    (tmp_path / "arm.json").write_text("[1, 2]")
    with pytest.raises(FileFormatError, match="not a readable"):
        export.load_linear(tmp_path / "arm.json")
