"""Random arms: the laws of mechanics hold for each, and its file holds it."""

from __future__ import annotations

from benchmarks.fuzz.laws import LAWS, Trial
from benchmarks.fuzz.outcome import OK, Outcome, wrong


def case(seed: int) -> Outcome:
    """Assemble a random arm and check all laws on it."""
    trial = Trial.of(seed)
    broken = [f"{law.__name__.replace('_', ' ')}: {what}" for law in LAWS if (what := law(trial))]
    return wrong("; ".join(broken)) if broken else OK
