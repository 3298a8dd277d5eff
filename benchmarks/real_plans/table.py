"""The table of docs/planning.md: arms by tasks, and every failure with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.real_plans.arms import ARMS
from benchmarks.real_plans.case import Row
from benchmarks.real_plans.tasks import TASKS


def markdown(rows: Sequence[Row]) -> str:
    """Return iterations and seconds of CPU by arm and task, what the refined plans miss by, and the failures."""
    rows = [row for row in rows if row.was_asked]
    by_case = {(row.arm, row.task): row for row in rows}
    tasks = [name for name in TASKS if any(row.task == name for row in rows)]
    lines = [f"| arm | states | {' | '.join(tasks)} |", "|---" * (len(tasks) + 2) + "|"]
    for arm in ARMS:
        of_arm = [by_case[arm, task] for task in tasks if (arm, task) in by_case]
        if of_arm:
            states = max(row.states for row in of_arm)
            cells = " | ".join(_cell(by_case.get((arm, task))) for task in tasks)
            lines.append(f"| {arm} | {states or ''} | {cells} |")
    good = sum(row.counts for row in rows)
    lines += ["", f"{good} of {len(rows)} count, {100 * good / max(len(rows), 1):.0f} %. The others:", ""]
    lines += [f"* {row.arm}, {row.task}: {row.reason}" for row in rows if not row.counts]
    return "\n".join(lines)


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    text = f"{row.iterations}, {row.cpu:.1f} s" + (f", {row.miss:.2g}" if row.miss == row.miss else "")
    return text if row.counts else f"**{text}**"
