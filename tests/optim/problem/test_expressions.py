"""Expressions as text: small ones do not hang, and what is no number is refused by name."""

from __future__ import annotations

import pytest

from flexblocks import optim
from flexblocks.optim.errors import ProblemError
from flexblocks.optim.problem.signals.expression import checked_expression

REFUSED = {
    "9**9**9**9": "'9 \\*\\* 9 \\*\\* 9' is not a finite real number",
    "payload.x ** 9**9**9**9": "is not a finite real number",
    "1/0": "'1 / 0' is not a finite real number",
    "(-1) ** 0.5": "is not a finite real number",
    "log(-1) + payload.x": "'log\\(-1\\)' is not a finite real number",
    "1e400": "is not a finite real number",
    "True": "'True' is no number",
    "sin()": "sin takes 1 argument",
    "atan2(payload.x)": "atan2 takes 2 argument",
    "x\0": "cannot be read",
    "9" * 9_000: "cannot be read|is not a finite",
    "(" * 5_000 + "payload.x" + ")" * 5_000: "cannot be read|nested too deeply",
    "-" * 50_000 + "payload.x": "cannot be read|nested too deeply",
    " + ".join(["payload.x"] * 50_000): "too many terms",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:24])
def test_refused_by_name_and_at_once(text: str) -> None:
    with pytest.raises(ProblemError, match=REFUSED[text]) as refusal:
        optim.Integral(text)
    assert len(str(refusal.value)) < 1000


def test_arithmetic_of_constants_is_that_of_floats() -> None:
    value = checked_expression("it", "2**3**2 + 7/2 - -1").function({})
    assert value == 2.0**9 + 3.5 + 1
    assert isinstance(value, float)
