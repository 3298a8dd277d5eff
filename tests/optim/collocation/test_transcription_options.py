"""The options of a transcription: declared once, known everywhere."""

import inspect
from dataclasses import fields

import numpy as np
import pytest

from arms.turns import hinge, swing
from flexblocks import optim
from flexblocks.optim.collocation.transcription_options import TranscriptionOptions

OPTIONS = [option.name for option in fields(TranscriptionOptions)]


@pytest.mark.parametrize("function", [optim.plan, optim.pyomo_model])
def test_options_stand_in_signatures_and_docstrings(function):
    parameters = inspect.signature(function).parameters
    assert [name for name in parameters if name in OPTIONS] == OPTIONS
    assert parameters["intervals"].default == 100
    assert parameters["scheme"].kind is inspect.Parameter.KEYWORD_ONLY
    for name in OPTIONS:
        assert f"\n    {name} : " in function.__doc__


def test_unknown_options_are_refused_by_the_nearest_name():
    with pytest.raises(
        optim.ProblemError, match=r"no option 'interval'\. Did you mean intervals\? There are intervals, "
    ):
        optim.pyomo_model(hinge(), swing(1.0, 2.0), interval=10)


def test_what_was_asked_for_stands_on_the_model():
    asked = {"intervals": np.int64(6), "degree": 2, "scheme": "lobatto", "inputs": "linear"}
    problem = swing(1.0, 2.0, objective=optim.Effort(rate_weight=0.0))
    options = optim.pyomo_model(hinge(), problem, **asked).transcribed.options
    assert options == TranscriptionOptions(intervals=(6,), degree=2, scheme="lobatto", inputs="linear")
    assert type(options.intervals[0]) is int


def test_lists_are_those_of_files():
    options = TranscriptionOptions(intervals=[4, 5], quasi_static=["link1.bending_y[1]"])
    assert options == TranscriptionOptions(intervals=(4, 5), quasi_static=("link1.bending_y[1]",))
    assert options.for_phases(2) is options
    with pytest.raises(optim.ProblemError, match=r"intervals = \(4, 5\); must be one number, or 3"):
        options.for_phases(3)
