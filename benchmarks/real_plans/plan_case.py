"""The task of the study: an arm and one of its tasks, planned in a fresh process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from benchmarks.real_plans.alone import NoAnswerError, alone
from benchmarks.real_plans.case import REFINEMENT, Row, case
from flexblocks.studies.outcome import DONE

ELSE = 120.0  # s of CPU for imports, the arm, its task and what solvers still do when they are stopped
PATIENCE = 4.0  # times the CPU time: other processes have the processors, too


@dataclass(frozen=True)
class PlanCase:
    """Plan of a case, which names `arm` and `task`.

    Parameters
    ----------
    limit : float
        CPU time after which a plan is stopped, as by Ctrl-C [s]; six times that for its refinement, see
        `REFINEMENT`. What does not stop is ended after twice that time.
    replays : bool
        Whether plans are refined until they replay.
    """

    limit: float
    replays: bool
    label: ClassVar[str] = "real plans"

    def __call__(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the row of one case, without its names."""
        cpu = 2 * self.limit * (1 + 1.5 * REFINEMENT if self.replays else 1) + ELSE
        arm, task = names["arm"], names["task"]
        try:
            row = alone(case, (arm, task, self.limit, self.replays), cpu, PATIENCE * cpu)
        except NoAnswerError as error:
            row = Row(arm, task, 0, f"failed: {error}", 0, np.nan)
        if row.was_asked:
            print(row, flush=True)  # while others are at work
        return {name: value for name, value in asdict(row).items() if name not in names}


def rows(runs: Any) -> list[Row]:
    """Return the rows of the study that are there, in the order of its cases."""
    return [_row(runs.isel(case=index)) for index in range(runs.sizes["case"]) if runs["state"].values[index]]


def _row(run: Any) -> Row:
    arm, task = (str(run[name].values) for name in ("arm", "task"))
    if run["state"] != DONE:  # a defect of what is planned, or its worker was killed
        return Row(arm, task, 0, f"failed: {run['error'].values}", 0, np.nan)
    whole = {name: int(run[name]) for name in ("states", "iterations")}
    texts = {name: str(run[name].values) for name in ("status", "replayed")}
    return Row(arm, task, **whole, **texts, **{name: float(run[name]) for name in ("cpu", "miss")})
