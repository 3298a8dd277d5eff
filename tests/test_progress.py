"""Progress of long work where there is no terminal: a line every few seconds, and silence about what is short."""

from __future__ import annotations

import gc
import sys
import threading
import warnings

import pytest

from flexblocks import progress
from flexblocks.progress import ProgressDisplay


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands at its only entry."""
    now = [100.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return now


def test_a_line_every_few_seconds_without_a_terminal(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressDisplay("Simulating arm", 40.0, None) as bar:
        for second in range(13):
            clock[0] = 100.0 + second
            bar.update(f"t = {second} s", second)
    assert capsys.readouterr().err.splitlines() == [
        "Simulating arm: 12%, t = 5 s, 5 s",
        "Simulating arm: 25%, t = 10 s, 10 s",
    ]


@pytest.mark.parametrize(("show", "seconds"), [(None, 4.9), (False, 60.0)])
def test_silence(clock: list[float], capsys: pytest.CaptureFixture[str], show: bool | None, seconds: float) -> None:
    with ProgressDisplay("Planning arm", None, show) as bar:
        clock[0] += seconds
        bar.update("iteration 7")
    assert capsys.readouterr().err == ""


def test_a_silent_work_has_silent_parts(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressDisplay("Planning arm", None, False), ProgressDisplay("part", None, None) as bar:
        clock[0] += 60.0
        bar.update("iteration 1")
    assert capsys.readouterr().err == ""


def test_short_parts_of_long_work_are_logged(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressDisplay("Planning arm", None, None):
        for part in range(4):
            with ProgressDisplay(f"part {part}", None, None) as bar:
                clock[0] += 3.0
                bar.update("iteration 1")
    assert capsys.readouterr().err.splitlines() == ["part 1: iteration 1, 6 s", "part 3: iteration 1, 12 s"]
    # One after the other, without work that holds them together, they are short and say nothing.
    for part in range(4):
        with ProgressDisplay(f"part {part}", None, None) as bar:
            clock[0] += 3.0
            bar.update("iteration 1")
    assert capsys.readouterr().err == ""


def test_work_in_another_thread_silences_none_here(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    entered, left = threading.Event(), threading.Event()

    def silent() -> None:
        with ProgressDisplay("", None, False):
            entered.set()
            left.wait()

    worker = threading.Thread(target=silent)
    worker.start()
    entered.wait()
    with ProgressDisplay("Planning arm", None, None) as bar:
        clock[0] += 6.0
        bar.update("iteration 1")
    left.set()
    worker.join()
    assert capsys.readouterr().err.splitlines() == ["Planning arm: iteration 1, 6 s"]


def test_work_that_was_cut_off_silences_none_later(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    """An interrupt between entering and the work leaves it entered."""
    ProgressDisplay("", None, False).__enter__()
    gc.collect()
    with ProgressDisplay("Planning arm", None, None) as bar:
        clock[0] += 6.0
        bar.update("iteration 1")
    assert capsys.readouterr().err.splitlines() == ["Planning arm: iteration 1, 6 s"]


def test_in_a_notebook_an_output_changes_and_nothing_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ipywidgets, which a notebook need not have."""
    display = pytest.importorskip("IPython.display")
    shown: list[str] = []

    class Handle:
        def update(self, content: dict[str, str], raw: bool) -> None:
            assert raw
            shown.append(content["text/plain"])

    def begun(content: dict[str, str], raw: bool, display_id: bool) -> Handle:
        shown.append(content["text/plain"])
        return Handle()

    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr(display, "display", begun)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    now = [100.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with ProgressDisplay("Simulating arm", 40.0, None) as bar:
            for second in range(4):
                now[0] = 100.0 + second
                bar.update(f"t = {10 * second} s", 10.0 * second)
    assert shown == ["Simulating arm, 3 s", "Simulating arm 75% t = 30 s, 3 s", "Simulating arm: done, 3 s"]
