"""Outcome of one case."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from flexblocks.errors import FlexblocksError, UnexpectedError


class Verdict(StrEnum):
    """What became of a case; only the first two are as they should be."""

    OK = "ok"
    REFUSED = "refused by name"
    RAW = "raw exceptions"
    WRONG = "wrong results"
    STUCK = "stuck or crashed"

    @property
    def failed(self) -> bool:
        return self not in (Verdict.OK, Verdict.REFUSED)


@dataclass(frozen=True)
class Outcome:
    """Verdict on a case, and in one line what was wrong or why it was refused."""

    verdict: Verdict
    detail: str = ""


OK = Outcome(Verdict.OK)


def wrong(detail: str) -> Outcome:
    """Return the outcome of a case whose result is wrong."""
    return Outcome(Verdict.WRONG, detail)


def judged(case: Callable[[int], Outcome], seed: int) -> Outcome:
    """Run one case, and judge the exception that comes out of it, if any."""
    try:
        return case(seed)
    except FlexblocksError as error:
        # What the door of the public face could not explain is a raw exception in other words.
        if isinstance(error, UnexpectedError) and isinstance(error.__cause__, Exception):
            return _raw(error.__cause__)
        return Outcome(Verdict.REFUSED, f"{type(error).__name__}: {_one_line(error)}")
    except Exception as error:
        return _raw(error)


def _raw(error: Exception) -> Outcome:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "site-packages" not in frame.filename]
    place = f"{'/'.join(frames[-1].filename.rsplit('/', 3)[1:])}:{frames[-1].lineno}" if frames else "?"
    return Outcome(Verdict.RAW, f"{type(error).__name__} at {place}: {_one_line(error)}")


def _one_line(error: Exception) -> str:
    words = " ".join(str(error).split())
    return words if len(words) <= 300 else f"{words[:300]} ..."
