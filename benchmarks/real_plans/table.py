"""Tables of the records of plans: arms by tasks, and every failure with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.real_plans.arms import ARMS
from benchmarks.real_plans.case import Row
from benchmarks.real_plans.tasks import EVERY


def markdown(rows: Sequence[Row]) -> str:
    """Return iterations and seconds of CPU by arm and task, the failures, and what refined plans miss by."""
    rows = [row for row in rows if row.was_asked]
    by_case = {(row.arm, row.task): row for row in rows}
    tasks = [name for name in EVERY if any(row.task == name for row in rows)]
    lines = [f"| arm | states | {' | '.join(tasks)} |", "|---" * (len(tasks) + 2) + "|"]
    for arm in ARMS:
        of_arm = [by_case[arm, task] for task in tasks if (arm, task) in by_case]
        if of_arm:
            states = max(row.states for row in of_arm)
            cells = " | ".join(_cell(by_case.get((arm, task))) for task in tasks)
            lines.append(f"| {arm} | {states or ''} | {cells} |")
    return "\n".join([*lines, "", counts(rows), *_replays(rows)])


def counts(rows: Sequence[Row]) -> str:
    """Return how many plans count, why the others do not, and what was refused before anything was solved."""
    asked = [row for row in rows if row.was_asked and not row.was_refused]
    good = sum(row.counts for row in asked)
    text = [f"{good} of {len(asked)} count, {100 * good / max(len(asked), 1):.0f} %."]
    others = [row for row in asked if not row.counts]
    for head, those in (("The others:", others), ("Refused:", [row for row in rows if row.was_refused])):
        if those:
            text += [head, "", *(f"* {row.arm}, {row.task}: {row.reason}" for row in those)]
    return "\n".join(text)


def _replays(rows: Sequence[Row]) -> list[str]:
    """Return the table of refined plans: intervals, seconds of CPU, and the miss relative to the criterion."""
    refined = [row for row in rows if row.replayed]
    if not refined:
        return []
    by_case = {(row.arm, row.task): row for row in refined}
    tasks = [name for name in EVERY if any(row.task == name for row in refined)]
    lines = ["", f"| arm | {' | '.join(tasks)} |", "|---" * (len(tasks) + 1) + "|"]
    arms = [arm for arm in ARMS if any(row.arm == arm for row in refined)]
    lines += [f"| {arm} | {' | '.join(_replay(by_case.get((arm, task))) for task in tasks)} |" for arm in arms]
    good = sum("misses" not in row.replayed for row in refined)
    return [*lines, "", f"{good} of {len(refined)} refined plans replay."]


def _replay(row: Row | None) -> str:
    if row is None:
        return ""
    share = f"{row.miss:.2g}" if row.miss == row.miss else "-"
    return f"**{share}**" if "misses" in row.replayed else f"{row.replayed}: {share}"


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    text = f"{row.iterations}, {row.cpu:.1f} s"
    return text if row.counts else f"**{text}**"
