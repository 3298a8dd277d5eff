"""`export.report`: one HTML file of a result, for readers without Python."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from flexblocks.errors import FileFormatError
from flexblocks.export.report.page import page
from flexblocks.export.report.sections import sections_of
from flexblocks.files import write_text
from flexblocks.identification.results.fit import Fit
from flexblocks.linear.linear_model import LinearModel
from flexblocks.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from flexblocks.optim import Audit, Plan, Replay


def report(
    result: Plan | Trajectory | LinearModel | Audit | Fit,
    path: str | Path,
    *,
    replay: Replay | None = None,
    audit: Audit | None = None,
    command: str | None = None,
) -> None:
    """Write a report of a result: one file that opens in any browser, without a network.

    Parameters
    ----------
    result : Plan, Trajectory, LinearModel, Audit or Fit
    path : str or Path
        An ``.html`` file.
    replay : Replay, optional
        Of a plan; by default it is replayed now.
    audit : Audit, optional
        Of a plan, ``plan.audit()``.
    command : str, optional
        What made the result, for the record; by default the command line of this program.

    Raises
    ------
    FileFormatError
        Another suffix, or the file cannot be written.
    ParameterError
        Nothing that a report can be made of.
    """
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise FileFormatError(f"{path}: suffix '{Path(path).suffix}'; a report is saved as .html.")
    made = sections_of(result, replay, audit)
    write_text(Path(path), page(made, command if command is not None else _command_line()))


def _command_line() -> str:
    """Return the command line of this program, without its folder."""
    program, *rest = sys.argv or [""]
    return " ".join([Path(program).name, *rest]).strip()
