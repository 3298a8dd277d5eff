"""Random arms: the laws of mechanics hold for each, and its file holds it."""

from __future__ import annotations

from contextlib import nullcontext

from benchmarks.fuzz import common_subexpressions
from benchmarks.fuzz.laws import LAWS
from benchmarks.fuzz.laws.trial import Trial
from benchmarks.fuzz.outcome import OK, Outcome, wrong

# One arm in so many has its common subexpressions taken out, as users have it: a fifth of the time of a case, and
# nothing that depends on the arm.
AS_USERS = 8


def case(seed: int) -> Outcome:
    """Assemble a random arm and check all laws on it."""
    with common_subexpressions.left_in() if seed % AS_USERS else nullcontext():
        trial = Trial.of(seed)
        broken = [f"{law.__name__.replace('_', ' ')}: {what}" for law in LAWS if (what := law(trial))]
    return wrong("; ".join(broken)) if broken else OK
