"""The table at the end of a run of several folders: how long the tests of each took, the longest first."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

SHOWN = 12
"""Number of folders with a line of their own; what is left is one line."""


class FolderDurations:
    """Sum of durations by folder; with `pytest -n`, reports of all workers come to the process that prints."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the set-up, the call or the tear-down of a test."""
        self.seconds[str(PurePosixPath(report.nodeid.partition("::")[0]).parent)] += report.duration

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Print the table."""
        if len(self.seconds) < 2:
            return
        ordered = sorted(self.seconds.items(), key=lambda each: -each[1])
        lines = ordered[:SHOWN]
        if rest := ordered[SHOWN:]:
            lines.append((f"{len(rest)} other folders", sum(seconds for _, seconds in rest)))
        lines.append(("total, of all workers", sum(self.seconds.values())))
        terminalreporter.section("durations by folder")
        for name, seconds in lines:
            terminalreporter.write_line(f"{seconds:8.1f} s  {name}")


def pytest_configure(config: pytest.Config) -> None:
    """Register the table in the process that prints."""
    config.pluginmanager.register(FolderDurations(), "folder_durations_table")
