"""The benchmark of real plans as a study: hard limits, reasons, and what is finished stays finished."""

import itertools
import os
import subprocess
import sys
import time
from collections import deque

import pytest

from benchmarks.real_plans.alone import NoAnswerError, alone
from benchmarks.real_plans.case import NOT_ASKED, Row
from benchmarks.real_plans.table import markdown
from repository import ROOT


def test_the_table_counts_what_was_asked():
    rows = [
        Row("desk arm", "joints", 18, "converged", 10, 1.25),
        Row("desk arm", "tip", 18, "converged", 10, 1.25, "20 intervals", 0.5),
        Row("desk arm", "moving", 0, "failed: its process died of SIGABRT", 0, float("nan")),
        Row("desk arm", "pose", 0, NOT_ASKED, 0, 0.0),
    ]
    table = markdown(rows)
    assert "| desk arm | 18 | 10, 1.2 s | 10, 1.2 s | **" in table
    assert "| desk arm | 20 intervals: 0.5 |" in table
    assert "2 of 3 count, 67 %" in table
    assert "* desk arm, moving: failed: its process died of SIGABRT\n" in table + "\n"


@pytest.mark.slow
def test_a_call_alone_ends_whatever_it_does():
    assert alone(divmod, (7, 2), 60.0, 60.0) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        alone(divmod, (7, 0), 60.0, 60.0)
    with pytest.raises(
        NoAnswerError, match="no answer within 1 s of CPU"
    ):  # a loop in C, which no signal of Python's ends
        alone(deque, (itertools.repeat(0), 0), 1.0, 60.0)
    with pytest.raises(NoAnswerError, match=r"no answer within 0\.5 s"):
        alone(time.sleep, (60.0,), 60.0, 0.5)
    with pytest.raises(NoAnswerError, match="died of SIGABRT"):
        alone(os.abort, (), 60.0, 60.0)


@pytest.mark.slow
def test_plans_that_are_finished_are_not_planned_again(tmp_path):
    command = [sys.executable, "-m", "benchmarks.real_plans", "--arms", "two links", "--tasks", "joints,pose"]
    command += ["--store", str(tmp_path / "plans.nc")]
    first, again = (
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout for _ in range(2)
    )
    told, _, table = first.partition("\n")
    assert told.startswith("two links (Subudhi & Morris), joints: converged, ")
    assert "1 of 1 count, 100 %" in table
    assert again == table  # the seconds, too
