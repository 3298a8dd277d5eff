"""Symbolic parameters keep the ranges of the blocks' own: a mass below zero is refused wherever it is told."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("payload.mass", -0.2, "at least 0"),
        ("link1.flexural_rigidity", 0.0, "more than 0"),
        ("link1.damping_ratio", 1.0, "at least 0 and at most"),
    ],
)
def test_parameters_keep_their_ranges(name, value, words):
    dae = fb.assemble(
        models.subudhi_morris_2002(), symbolic=("payload.mass", "link1.flexural_rigidity", "link1.damping_ratio")
    )
    index = dae.p.names.index(name)
    whole = np.where(np.arange(len(dae.p)) == index, value, dae.p.start)
    for p in ({name: value}, whole):
        with pytest.raises(fb.errors.ParameterError, match=f"{name} = {value:g}; must be {words}"):
            fb.simulate(dae, (0, 0.1), p=p)
        with pytest.raises(fb.errors.ParameterError, match=words):
            fb.equilibrium(dae, p=p)
    assert fb.simulate(dae, (0, 0.01), p={"payload.mass": 0.3}).p["payload.mass"] == 0.3
