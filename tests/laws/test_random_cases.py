"""A few of the random cases of ``python -m benchmarks.fuzz``: none ends in a raw exception or a wrong result."""

from __future__ import annotations

import pytest

import flexblocks as fb
from benchmarks.fuzz.outcome import OK, Outcome, Verdict, judged, wrong
from benchmarks.fuzz.register import KINDS


def test_a_refusal_is_told_from_a_raw_exception_and_from_a_wrong_result() -> None:
    def refused(seed: int) -> Outcome:
        raise fb.errors.ModelError(f"no arm {seed}")

    def raw(seed: int) -> Outcome:
        raise ZeroDivisionError(seed)

    verdicts = [judged(case, 7).verdict for case in (refused, raw, lambda _: wrong("off"), lambda _: OK)]
    assert verdicts == [Verdict.REFUSED, Verdict.RAW, Verdict.WRONG, Verdict.OK]
    assert judged(refused, 7).detail == "ModelError: no arm 7"


@pytest.mark.slow  # about a second each
@pytest.mark.filterwarnings("ignore::flexblocks.errors.FlexblocksWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_random_cases(kind: str) -> None:
    outcomes = {seed: judged(KINDS[kind], seed) for seed in range(3)}
    assert not {seed: outcome for seed, outcome in outcomes.items() if outcome.verdict.failed}
    # Most arms are not refused; most wrong arguments are.
    if kind in ("arms", "equilibria", "linearizations"):
        assert sum(outcome.verdict is Verdict.OK for outcome in outcomes.values()) >= 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.errors.FlexblocksWarning")
@pytest.mark.parametrize(
    ("kind", "seed"),
    # A beam of 1.3 mm out of balance by a tenth of its forces beside loop forces of 220 kN.
    # A ball joint whose attitude has derivatives of 1e-322.
    # A plan file whose attempts are text.
    [("equilibria", 70068), ("equilibria", 97014), ("files", 92540)],
)
def test_cases_that_once_failed(kind: str, seed: int) -> None:
    outcome = judged(KINDS[kind], seed)
    assert not outcome.verdict.failed, outcome.detail
