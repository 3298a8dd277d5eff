"""The example of learning: a policy that damps a flexible link, beside laws that are designed for it."""

from __future__ import annotations

import runpy
import sys

import pytest

from repository import EXAMPLES

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: nothing is learned.")


@pytest.mark.slow
def test_a_policy_learns_to_damp_and_is_no_better_than_the_regulator(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost is quadratic, of which the regulator is all but the least; the policy comes near within 20 steps."""
    monkeypatch.setattr(sys, "argv", ["learn_to_damp.py", "20"])
    costs = runpy.run_path(str(EXAMPLES / "learn_to_damp.py"))["main"]()
    none, pd, regulator, learned = costs.values()
    assert regulator < pd < none
    assert 0.98 * regulator < learned < 1.3 * regulator
