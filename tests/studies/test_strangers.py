"""Journals and stores of studies that come from elsewhere, or were cut off: nothing in them runs."""

from __future__ import annotations

import json
import math
import pickle
import shutil
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import flexblocks as fb
from flexblocks import studies
from flexblocks.studies.journal import HEAD, Journal
from flexblocks.studies.journal import outcomes as outcomes_of
from flexblocks.studies.journals import NOTE, Journals
from flexblocks.studies.outcome import Form, Outcome, Variable, outcome
from flexblocks.studies.record import RecordError, RecordReader, RecordWriter

CASES = fb.studies.grid({"a": [1.0, 2.0, 3.0], "way": ["out", "back"]})


def figures(case: dict[str, Any]) -> dict[str, Any]:
    return {"square": case["a"] ** 2, "pole": case["a"] * 1j, "way": f"{case['way']} and so on"}


texts = st.text()
shapes = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
numbers = st.sampled_from([np.float64, np.complex128, np.float32, np.int8, np.uint64, np.bool_])
of_numbers = arrays.arrays(numbers, shapes)
of_texts = arrays.arrays(object, shapes, elements=texts)
times = arrays.arrays(np.dtype("M8[ns]"), shapes) | arrays.arrays(np.dtype("U3"), shapes)
attribute = st.none() | st.booleans() | st.integers() | st.floats() | texts | of_numbers | st.complex_numbers()
attributes = st.dictionaries(texts, attribute | st.lists(attribute, max_size=2), max_size=2)


def same(one: Any, other: Any) -> bool:
    """Whether two values are alike to the last digit, type and shape, nan included."""
    if isinstance(one, np.ndarray):
        if one.dtype.kind == "U":  # texts are as long as the longest one
            return one.dtype.kind == other.dtype.kind and one.tolist() == other.tolist() and one.shape == other.shape
        return one.dtype == other.dtype and one.shape == other.shape and all(map(same, one.flat, other.flat))
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    if isinstance(one, (complex, np.complexfloating)):
        return same(one.real, other.real) and same(one.imag, other.imag)
    if isinstance(one, np.generic):
        return one.dtype == other.dtype and np.asarray(one).tobytes() == np.asarray(other).tobytes()
    return type(one) is type(other) and (one == other or (one != one and other != other))


@given(st.lists(of_numbers | of_texts | texts | st.floats(), max_size=3), of_numbers | of_texts | times, attributes)
def test_an_outcome_is_what_it_was_before_it_was_a_record(values: list[Any], coordinate: np.ndarray, said: Any) -> None:
    first = outcome(
        lambda _: {f"v{i}": ((), value) if not np.ndim(value) else value for i, value in enumerate(values)}, {}
    )
    assert first.form is not None
    variables = tuple(
        Variable(one.name, one.dims, one.shape, one.kind, tuple(said.items())) for one in first.form.variables
    )
    form = Form(variables, {"t": (("t",), np.asarray(coordinate), tuple(said.items()))}, said)
    asked = Outcome(form, first.values, "", "a warning \ud800", 0.1)
    writer, reader = RecordWriter(), RecordReader()
    got, again = (reader.outcome(writer.record(asked)) for _ in range(2))
    assert got.form is again.form  # which is compared once
    assert same(got.values, asked.values)
    assert got.form is not None
    assert same(got.form.attributes, form.attributes)
    for mine, theirs in zip(got.form.variables, form.variables, strict=True):
        assert (mine.name, mine.dims, mine.shape, mine.kind) == (theirs.name, theirs.dims, theirs.shape, theirs.kind)
        assert same(mine.attributes, theirs.attributes)
    assert same(got.form.coordinates["t"], form.coordinates["t"])
    assert (got.error, got.warning, got.seconds) == (asked.error, asked.warning, asked.seconds)


def test_a_failure_is_what_it_was_before_it_was_a_record() -> None:
    got = RecordReader().outcome(RecordWriter().record(Outcome(None, error="no equilibrium", seconds=2.0)))
    assert (got.form, got.values, got.error, got.seconds) == (None, (), "no equilibrium", 2.0)


@given(st.data())
def test_what_is_no_record_is_refused(data: st.DataObject) -> None:
    record = bytearray(RecordWriter().record(replace(outcome(figures, CASES[0]), seconds=1.0)))
    for _ in range(data.draw(st.integers(1, 3))):
        record[data.draw(st.integers(0, len(record) - 1))] = data.draw(st.integers(0, 255))
    record = record[: data.draw(st.integers(0, len(record)))] if data.draw(st.booleans()) else record
    try:
        got = RecordReader().outcome(bytes(record))
    except RecordError:
        return
    assert [np.shape(value) for value in got.values] == [one.shape for one in got.form.variables if got.form]


class Evil:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    pytest.importorskip("zarr")
    return tmp_path / "study.zarr"


def test_no_journal_of_a_stranger_runs_code(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[dict[str, str]] = []
    monkeypatch.setattr(Journals, "_claim", lambda self, _: notes.append(self._identity))
    fb.study(figures, CASES, store, progress=False)
    monkeypatch.undo()
    shutil.rmtree(store)
    folder, mark = store.with_name("study.zarr.unfinished"), store.with_name("mark")
    folder.mkdir()
    (folder / NOTE).write_text(json.dumps(notes[0]))
    content = pickle.dumps(Evil(mark))
    (folder / "a.journal").write_bytes(HEAD.pack(len(content), zlib.crc32(content), 0) + content)
    with pytest.raises(
        fb.FlexblocksError, match=r"a\.journal: the record of case 0 is no outcome .*Remove the journal"
    ):
        fb.study(figures, CASES, store, progress=False)
    assert not mark.exists()
    # Removed, the study continues.
    (folder / "a.journal").unlink()
    assert fb.study(figures, CASES, store, progress=False)["state"].values.all()


def test_a_case_that_is_none_of_the_study_is_refused(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = store.with_name("study.zarr.unfinished")

    def claim(self: Journals, there: Path) -> None:
        with Journal(there / "a.journal") as journal:
            journal.put(6, outcome(figures, CASES[0]))

    monkeypatch.setattr(Journals, "_claim", claim)
    with pytest.raises(studies.StoreError, match=r"a\.journal: holds a case 6, of 6"):
        fb.study(figures, CASES, store, progress=False)
    assert [index for index, _ in outcomes_of(folder / "a.journal")] == [6]


@pytest.mark.parametrize("where", ["filters", "compressor", "consolidated"])
def test_no_array_of_a_stranger_runs_code(store: Path, where: str) -> None:
    fb.study(figures, CASES, store, progress=False)
    file = store / ("error/.zarray" if where != "consolidated" else ".zmetadata")
    described = json.loads(file.read_text())
    if where == "filters":
        described["filters"] = [{"id": "pickle", "protocol": 5}]
    elif where == "compressor":
        described["compressor"] = {"id": "mine"}
    else:
        described["metadata"]["error/.zarray"]["filters"] = [{"id": "pickle", "protocol": 5}]
    file.write_text(json.dumps(described))
    mark = store.with_name("mark")
    (store / "error" / "0").write_bytes(pickle.dumps(Evil(mark)))
    with pytest.raises(studies.StoreError, match=r"array error names the codec '(pickle|mine)', which may run code"):
        fb.study(figures, CASES, store, progress=False)
    assert not mark.exists()


@pytest.mark.parametrize("at", [1, 3, 8])
def test_a_store_whose_creation_was_cut_off_is_begun_again(
    store: Path, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a kill, which nothing cleans up after: before its first array, between two, and before it is complete."""
    from flexblocks.studies.stores.zarr_store import ZarrStore

    calls, array, consolidate = [], ZarrStore._array, ZarrStore._consolidate

    def cut_off(self: ZarrStore, *arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == at:
            raise SystemExit
        return (array if arguments else consolidate)(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(ZarrStore, "_array", cut_off)
        patch.setattr(ZarrStore, "_consolidate", cut_off)
        try:
            fb.study(figures, CASES, store, progress=False)
        except SystemExit:
            assert len(calls) == at
    runs = fb.study(figures, CASES, store, progress=False)
    assert runs["state"].values.all()
    assert runs["square"].values.tolist() == [1.0, 1.0, 4.0, 4.0, 9.0, 9.0]
    assert not store.with_name("study.zarr.new").exists()


def test_a_form_that_was_not_consolidated_is_there(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from flexblocks.studies.stores.zarr_store import ZarrStore

    def cut_off(self: ZarrStore) -> None:
        if "flexblocks_form" in self._group.attrs:
            raise SystemExit
        consolidate(self)

    consolidate = ZarrStore._consolidate
    with monkeypatch.context() as patch:
        patch.setattr(ZarrStore, "_consolidate", cut_off)
        with pytest.raises(SystemExit):
            fb.study(figures, CASES, store, progress=False)
    assert fb.study(figures, CASES, store, progress=False)["pole"].values[2] == 2j


def test_a_group_of_somebody_else_is_left_alone(store: Path) -> None:
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(str(store), mode="w", zarr_format=2)
    group.create_array("a", shape=(3,), dtype="f8")[...] = 7.0
    with pytest.raises(studies.StoreError, match="is no store of a study"):
        fb.study(figures, CASES, store, progress=False)
    assert math.isclose(zarr.open_group(str(store), mode="r", zarr_format=2)["a"][1], 7.0)


def test_an_empty_group_is_begun(store: Path) -> None:
    pytest.importorskip("zarr").open_group(str(store), mode="w", zarr_format=2)
    assert fb.study(figures, CASES, store, progress=False)["state"].values.all()
