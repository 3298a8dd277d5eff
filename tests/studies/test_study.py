"""Studies in one process: cases, results, stores that go on, failures by name."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import flexblocks as fb
from flexblocks import studies
from flexblocks.errors import FlexblocksWarning, ParameterError
from flexblocks.studies import journal, pools, results, schedule
from flexblocks.studies.journal import Journal
from flexblocks.studies.outcome import outcome
from flexblocks.studies.stores.memory_store import MemoryStore
from flexblocks.symbolic_pickle import PickleError
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import CASES_WARNED

CASES = fb.studies.grid({"a": [1.0, 2.0, 3.0], "way": ["out", "back"]})
done: list[float] = []


def figures(case):
    """Numbers, arrays, texts and complex numbers of a case; 2 fails, 3 warns."""
    done.append(case["a"])
    if case["a"] == 2.0:
        raise ArithmeticError("two is not liked")
    if case["a"] == 3.0:
        warn("three is large", CASES_WARNED)
    return {
        "number": (case["a"] ** 2 if case["way"] == "out" else -case["a"]),
        "array": (("place",), [case["a"], 1.0], {"units": "m"}),
        "text": f"{case['way']} {case['a']:g}",
        "yes": case["a"] > 1.0,
    }


@pytest.fixture(params=["memory", "study.zarr", "study.nc"])
def store(request, tmp_path: Path) -> Path | None:
    if request.param.endswith(".zarr"):
        pytest.importorskip("zarr")
    return None if request.param == "memory" else tmp_path / request.param


def test_results_errors_and_warnings_by_case(store: Path | None) -> None:
    with pytest.warns(FlexblocksWarning) as told:
        runs = fb.study(figures, CASES, store)
    text = "2 of 6 cases failed, see the variable error: case 2 (a = 2, way = out): ArithmeticError: two is not liked"
    assert any(text in str(one.message) for one in told)
    np.testing.assert_array_equal(runs["number"], [1.0, -1.0, np.nan, np.nan, 9.0, -3.0])
    np.testing.assert_array_equal(runs["array"][4], [3.0, 1.0])
    assert runs["array"].attrs["units"] == "m"
    np.testing.assert_array_equal(runs["yes"], [0.0, 0.0, np.nan, np.nan, 1.0, 1.0])
    assert runs["text"].values.tolist() == ["out 1", "back 1", "", "", "out 3", "back 3"]
    assert runs["state"].values.tolist() == [1, 1, 2, 2, 1, 1]
    assert runs["error"].values[3] == "ArithmeticError: two is not liked"
    assert runs["warning"].values.tolist() == [""] * 4 + ["FlexblocksWarning: three is large"] * 2
    np.testing.assert_array_equal(runs.coords["a"], [1.0, 1.0, 2.0, 2.0, 3.0, 3.0])
    assert runs.coords["way"].values[1] == "back"


@pytest.mark.filterwarnings("ignore::flexblocks.errors.FlexblocksWarning")
def test_started_again_it_does_what_is_missing(store: Path | None) -> None:
    if store is None:
        pytest.skip("nothing is kept")

    first = fb.study(figures, CASES, store)
    done.clear()
    again = fb.study(figures, CASES, store)
    assert done == []
    xr.testing.assert_identical(first.load(), again.load())
    fb.study(figures, CASES, store, retry=True)
    assert done == [2.0, 2.0]


def later(case):
    """Fail with 2 the first time."""
    done.append(case["a"])
    if case["a"] == 2.0 and done.count(2.0) == 1:
        raise ArithmeticError("not yet")
    return case["a"]


@pytest.mark.filterwarnings("ignore::flexblocks.errors.FlexblocksWarning")
def test_what_succeeds_again_has_no_error_left(store: Path | None) -> None:
    if store is None:
        pytest.skip("nothing is kept")
    done.clear()
    first = fb.study(later, {"a": [1.0, 2.0]}, store)
    assert first["error"].values.tolist() == ["", "ArithmeticError: not yet"]
    again = fb.study(later, {"a": [1.0, 2.0]}, store, retry=True)
    assert again["error"].values.tolist() == ["", ""]
    assert again["state"].values.tolist() == [1, 1]


@pytest.mark.filterwarnings("ignore::flexblocks.errors.FlexblocksWarning")
def test_another_study_is_refused_by_name(store: Path | None) -> None:
    if store is None:
        pytest.skip("nothing is kept")
    fb.study(figures, CASES, store)
    with pytest.raises(studies.StoreError, match=r"holds another study: cases\.a .*there and .*here"):
        fb.study(figures, fb.studies.grid({"a": [1.0, 2.0, 4.0], "way": ["out", "back"]}), store)
    with pytest.raises(studies.StoreError, match=r"task\.name is '.*figures' there and '.*lambda.*' here"):
        fb.study(lambda case: 1.0, CASES, store)


def test_identity_sees_the_arm_and_not_the_place_of_code() -> None:
    from flexblocks import models, tasks
    from flexblocks.studies.identity import difference, identity

    cases = fb.studies.grid({"payload.mass": [0.1]})
    model = models.subudhi_morris_2002(links=1)
    first, other = (tasks.Simulate(arm, (0.0, 1.0)) for arm in (model, models.subudhi_morris_2002(links=1)))
    assert difference(identity(first, cases), identity(other, cases)) == ""
    finer = tasks.Simulate(models.subudhi_morris_2002(links=1, modes=3), (0.0, 1.0))
    assert "task.arm.blocks.link1" in difference(identity(first, cases), identity(finer, cases))
    longer = tasks.Simulate(model, (0.0, 2.0))
    assert difference(identity(first, cases), identity(longer, cases)) == "task.t.1 is 1.0 there and 2.0 here"


def test_identity_does_not_see_the_order_of_sets() -> None:
    """Of texts it is another one in each process; of 0 and 8 it is that in which they were put in."""
    from flexblocks.studies.identity import difference, identity

    cases = fb.studies.grid({"a": [1.0]})
    first, other = frozenset([0, 8]), frozenset([8, 0])
    assert list(first) != list(other)
    assert difference(*(identity(partial(square, among=among), cases) for among in (first, other))) == ""
    assert difference(identity(partial(square, among=first), cases), identity(partial(square, among={0}), cases)) != ""
    tests = [eval(f"lambda case: case['a'] in {among}") for among in ("{0, 8}", "{8, 0}", "{0, 9}")]
    assert difference(*(identity(test, cases) for test in tests[:2])) == ""
    assert difference(*(identity(test, cases) for test in tests[1:])) != ""


def test_a_journal_that_was_cut_off_keeps_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "one.journal"
    with Journal(path) as notes:
        for index in range(3):
            notes.begin(index)
            notes.put(index, outcome(lambda case: case["a"], {"a": float(index)}))
        notes.begin(7)
    path.write_bytes(path.read_bytes()[:-5])
    assert [index for index, _ in journal.outcomes(path)] == [0, 1, 2]
    assert journal.begun(path) == []
    with Journal(path) as notes:
        assert notes.finished[2].values == (2.0,)
        notes.put(8, outcome(lambda case: case["a"], {"a": 8.0}))
    assert [index for index, _ in journal.outcomes(path)] == [0, 1, 2, 8]


def test_a_full_disk_loses_nothing_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("zarr")
    from flexblocks.studies.stores.zarr_store import ZarrStore

    def full(self, block):
        raise OSError(28, "No space left on device")

    cases = fb.studies.grid({"a": [1.0, 3.0, 4.0]})
    path = tmp_path / "study.zarr"
    with monkeypatch.context() as patch:
        patch.setattr(ZarrStore, "write", full)
        with pytest.raises(studies.StoreError, match="No space left on device"):
            fb.study(square, cases, path)
    done.clear()
    runs = fb.study(square, cases, path)
    assert len(done) < 3
    np.testing.assert_array_equal(runs["value"], [1.0, 9.0, 16.0])


@pytest.mark.parametrize("takes_results", [False, True])
def test_nothing_is_computed_that_a_full_disk_does_not_take(tmp_path: Path, takes_results: bool) -> None:
    """Ten cases go into journals, the eleventh does not; where results can be written, it goes on without them."""
    records: list[int] = []

    def full(self, *_):
        raise OSError(28, "No space left on device")

    def nearly_full(self, index, content):
        records.append(index)
        return full(self) if len(records) > 20 and content else write(self, index, content)

    cases, write = fb.studies.grid({"a": np.arange(50.0)}), Journal._write
    done.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "_write", nearly_full)
        if takes_results:
            fb.study(square, cases, tmp_path / "study.nc")
        else:
            patch.setattr(MemoryStore, "write", full)
            with pytest.raises(studies.StoreError, match="No space left on device"):
                fb.study(square, cases, tmp_path / "study.nc")
            assert done == list(range(11))
    runs = fb.study(square, cases, tmp_path / "study.nc")
    np.testing.assert_array_equal(runs["value"], np.arange(50.0) ** 2)
    assert len(done) == (50 if takes_results else 51)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")
def test_a_disk_that_is_full_from_the_start_is_told_and_let_go(store: Path | None) -> None:
    if store is None:
        pytest.skip("nothing is kept")
    folder = store.with_name(f"{store.name}.unfinished")
    folder.mkdir()
    (folder / "lock").symlink_to("/dev/full")
    with pytest.raises(studies.StoreError, match=r"unfinished: cannot be written: .*; choose a folder"):
        fb.study(square, fb.studies.grid({"a": [1.0]}), store)
    assert not folder.exists()
    assert fb.study(square, fb.studies.grid({"a": [1.0]}), store)["value"].values.tolist() == [1.0]


def square(case):
    done.append(case["a"])
    return case["a"] ** 2


def test_journals_of_another_study_are_refused_without_its_store(store: Path | None) -> None:
    """A driver that was killed leaves journals; the store may not be there yet, or have been removed since."""
    if store is None:
        pytest.skip("nothing is kept")
    folder, copy = store.with_name(f"{store.name}.unfinished"), store.with_name("copy")
    cases = {"a": [1.0, 2.0]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "square", lambda case: shutil.copytree(folder, copy, dirs_exist_ok=True) and 4.0)
        fb.study(through_square, cases, store)
    (shutil.rmtree if store.is_dir() else Path.unlink)(store)
    copy.rename(folder)
    with pytest.raises(studies.StoreError, match=r"unfinished: holds another study: task\.name is .*through_square"):
        fb.study(square, cases, store)
    done.clear()
    assert fb.study(through_square, cases, store)["value"].values.tolist() == [4.0, 4.0]
    assert done == [2.0]


def through_square(case):
    return square(case)


def test_one_study_at_a_time(tmp_path: Path) -> None:
    def nested(case):
        fb.study(square, CASES, tmp_path / "one.nc")

    with pytest.warns(FlexblocksWarning, match="is at work on this study"):
        runs = fb.study(nested, {"a": [1.0]}, tmp_path / "one.nc")
    assert runs["state"].values.tolist() == [2]


def test_results_of_another_form_are_failures() -> None:
    with pytest.warns(FlexblocksWarning, match=r"case 1 \(n = 3\): the result has 'value' of shape \(3,\), not \(2,\)"):
        runs = fb.study(lambda case: np.zeros(int(case["n"])), {"n": [2, 3, 2]})
    assert runs["state"].values.tolist() == [1, 2, 1]
    with pytest.warns(FlexblocksWarning, match="is a object; must be a number|must be a number, a text"):
        fb.study(lambda case: object(), {"n": [2]})


def test_threads_and_serial_agree(tmp_path: Path) -> None:
    cases = fb.studies.samples({"a": (0.0, 1.0), "b": (1.0, 2.0)}, 64, "sobol", seed=3)
    alone = fb.study(lambda case: case["a"] / case["b"], cases)
    with ThreadPoolExecutor(3) as pool:
        together = fb.study(lambda case: case["a"] / case["b"], cases, executor=pool)
    np.testing.assert_array_equal(alone["value"], together["value"])


class Ending(ThreadPoolExecutor):
    """It takes two batches; of the third one it says that it is shut down, or it drops it."""

    def __init__(self, drops: bool) -> None:
        super().__init__(1)
        self.drops, self.taken = drops, 0

    def submit(self, *arguments):
        self.taken += 1
        if self.taken < 3:
            return super().submit(*arguments)
        if not self.drops:
            raise RuntimeError("cannot schedule new futures after shutdown")
        dropped = Future()
        dropped.cancel()
        dropped.set_running_or_notify_cancel()
        return dropped


@pytest.mark.parametrize(
    ("drops", "message"), [(True, "is gone"), (False, "after shutdown: the executor takes no more")]
)
def test_an_executor_that_is_gone_is_told_with_what_is_finished(drops: bool, message: str) -> None:
    with (
        Ending(drops) as executor,
        pytest.raises(studies.StudyError, match=rf"{message}.*Call study again.*, and with a store") as told,
    ):
        fb.study(square, fb.studies.grid({"a": np.arange(50.0)}), executor=executor)
    state = told.value.dataset["state"].values
    assert 0 < np.count_nonzero(state) < 50
    np.testing.assert_array_equal(told.value.dataset["value"].values[state == 1], np.flatnonzero(state) ** 2.0)


def test_a_cluster_that_grows_gets_more_work() -> None:
    sizes = [1, 3]
    pool = pools.Pool(None, lambda: sizes[0], False)
    assert pool.workers == 1
    sizes.pop(0)
    assert pool.workers == 1  # it is not queried all the time
    pool._counted -= 2 * pools.ASKED
    assert pool.workers == 3


def test_a_store_opens_while_it_is_written(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    path, seen = tmp_path / "study.zarr", []

    def looking(case):
        with xr.open_zarr(path, chunks=None) as runs:
            finished = runs["state"].values == 1
            seen.append(int(finished.sum()))
            if finished.any():
                np.testing.assert_array_equal(runs["value"].values[finished], runs["a"].values[finished] ** 2)
        return case["a"] ** 2

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "EVERY", 0.0)
        patch.setattr(results, "SHARE", np.inf)
        patch.setattr(schedule.Queue, "LARGEST", 1)
        runs = fb.study(looking, {"a": [1.0, 2.0, 3.0, 4.0]}, path)
    assert not runs["error"].values.any()
    assert seen == [0, 1, 2, 3]


def test_what_cannot_travel_is_named() -> None:
    held = threading.Lock()
    with pytest.raises((PickleError, TypeError), match="lock"):
        fb.study(lambda case: held, {"a": [1.0]}, executor=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({}, None), "must be a dict of values by name"),
        (({"a": [1.0, 2.0], "b": [1.0]}, None), r"numbers of values differ \(a: 2, b: 1\)"),
        (({"a": [1.0, float("nan")]}, None), "value 1 is not finite"),
        (({"a": [1.0]}, "study.txt"), r"must end in \.zarr, or in \.nc"),
        (({"a": [1.0]}, None, "many"), "must be None, a number of processes"),
        (({"a": [1.0]}, None, 0), "must be whole and > 0"),
    ],
)
def test_refusals(arguments: tuple, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        fb.study(square, *arguments)


def test_a_grid_that_no_memory_holds_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"1e\+15 cases; must be 1e\+08 at most"):
        fb.studies.grid({f"a{k}": np.arange(1e5) for k in range(3)})
    with pytest.raises(
        ParameterError, match=r"3000 axes with 2, 2, 2, 2, 2, \.\.\. values are more than 6\.34e\+29 cases"
    ):
        fb.studies.grid({f"a{k}": [1.0, 2.0] for k in range(3000)})


def test_a_result_takes_the_place_of_what_varies_under_its_name(store: Path | None) -> None:
    runs = fb.study(
        lambda case: {"a": (("time",), [case["a"], 7.0]), "b": 1.0}, {"a": [1.0, 2.0], "c": [3.0, 4.0]}, store
    )
    assert runs["a"].values.tolist() == [[1.0, 7.0], [2.0, 7.0]]
    assert set(runs.data_vars) == {"a", "b", "error", "warning", "seconds"}
    assert set(runs.coords) == {"c", "state"}


def test_designs() -> None:
    cases = fb.studies.grid({"a": [1.0, 2.0], "b": [1.0, 2.0, 3.0]})
    assert [tuple(case.values()) for case in cases] == [(a, b) for a in (1.0, 2.0) for b in (1.0, 2.0, 3.0)]
    assert fb.studies.table([{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}])[1] == {"a": 2.0, "b": "y"}
    from scipy import stats

    for design in ("latin_hypercube", "sobol", "halton", "random"):
        drawn = fb.studies.samples({"a": (2.0, 3.0), "b": stats.norm(1.0, 0.1)}, 64, design, seed=1)
        again = fb.studies.samples({"a": (2.0, 3.0), "b": stats.norm(1.0, 0.1)}, 64, design, seed=1)
        np.testing.assert_array_equal(drawn.columns["a"], again.columns["a"])
        assert drawn.columns["a"].min() >= 2.0
        assert drawn.columns["a"].max() <= 3.0
        assert stats.kstest(drawn.columns["b"], stats.norm(1.0, 0.1).cdf).pvalue > 0.05
    # One point in each of the 64 strata: what makes it a Latin hypercube.
    strata = np.sort(np.floor(64 * (fb.studies.samples({"a": (0.0, 1.0)}, 64).columns["a"])))
    np.testing.assert_array_equal(strata, np.arange(64))
