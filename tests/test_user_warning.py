"""Warnings name the line of the user, whatever the way through the library."""

from __future__ import annotations

import warnings
from functools import cache

import pytest

import flexblocks as fb
from arms.chains import chain
from flexblocks.errors import FlexblocksWarning


@cache
def falling() -> fb.DAE:
    return fb.assemble(
        chain(fb.Revolute("hinge"), fb.RigidLink("rod", length=1.0, mass=1.0), gravity=(0.0, -9.81, 0.0))
    )


CALLS = {
    "a constructor": lambda: fb.Material(density=7850.0, youngs_modulus=210.0),
    "a function": lambda: fb.linearize(falling(), at={"hinge.angle": 0.3}),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_line_is_the_users(call) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    ours = [one for one in told if issubclass(one.category, FlexblocksWarning)]
    assert ours
    assert {one.filename for one in ours} == {__file__}
