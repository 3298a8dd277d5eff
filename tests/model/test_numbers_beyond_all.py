"""Numbers beyond all quantities, as 1e300 m, are refused where they come in, without an error of Python's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import models, optim
from flexblocks.plausibility import LARGEST, computable, needed

DAE = subudhi_morris()
START, GOAL = {"joint1.angle": 0.0}, {"joint1.angle": 1.0}

PLACES: dict[str, Callable[[Any], Any]] = {
    "length": lambda value: fb.FlexibleBeam("b", value, 1.0, 1.0),
    "center": lambda value: fb.Payload("p", 1.0, center=(0.0, value, 0.0)),
    "section": lambda value: fb.Tube(outer=value, inner=0.1),
    "material": lambda value: fb.Material(value, 1e9),
    "gravity": lambda value: fb.Model("arm", gravity=(0.0, 0.0, value)),
    "locked": lambda value: fb.assemble(models.subudhi_morris_2002(), locked={"joint1.angle": value}),
    "end of a run": lambda value: fb.simulate(DAE, (0.0, value)),
    "times of a run": lambda value: fb.simulate(DAE, [0.0, 1.0, value]),
    "times of a batch": lambda value: fb.simulate_batch(DAE, (0.0, value)),
    "start": lambda value: fb.simulate(DAE, (0.0, 1.0), x0={"joint1.angle": value}),
    "input": lambda value: fb.simulate(DAE, (0.0, 1.0), {"motor1.torque": value}),
    "table": lambda value: fb.piecewise_linear([0.0, value], [0.0, 1.0]),
    "posture": lambda value: fb.equilibrium(DAE, {"joint1.angle": value}),
    "duration": lambda value: optim.RestToRest(START, GOAL, value),
    "range of durations": lambda value: optim.RestToRest(START, GOAL, (1.0, value)),
    "goal": lambda value: optim.RestToRest(START, {"joint1.angle": value}, 1.0),
    "pose": lambda value: optim.Pose(position=(0.0, 0.0, value)),
    "limit": lambda value: optim.RestToRest(START, GOAL, 1.0, limits={"motor1.torque": value}),
    "sphere": lambda value: optim.Sphere((0.0, value), 1.0),
    "via": lambda value: optim.Via({"payload.x": value}, fraction=0.5),
}


@pytest.mark.parametrize("value", [1e300, 1e160, -1e61, 10**400], ids=["1e300", "1e160", "-1e61", "10**400"])
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_they_are_refused_where_they_come_in(place: Callable[[Any], Any], value: float) -> None:
    with pytest.raises(fb.FlexblocksError) as refused:
        place(value)
    assert "Overflow" not in str(refused.value)
    assert "ended in" not in str(refused.value)


@pytest.mark.parametrize("text", ["1e300", "-1.0e+200", "9" * 400])
def test_files_that_hold_them_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    models.subudhi_morris_2002().save(path)
    path.write_text(path.read_text().replace("length: 0.5", f"length: {text}"))
    with pytest.raises(fb.FlexblocksError, match=r"length = .*must be (at most 1e60 in magnitude|> 0|a number)"):
        fb.load(path)


def test_what_is_needed_of_numbers() -> None:
    assert computable([0.0, -LARGEST])
    assert not any(computable(value) for value in (np.nan, np.inf, 2 * LARGEST, 10**400))
    assert needed([np.nan, 1e300]) == "finite"
    assert needed(1e300) == "at most 1e60 in magnitude"
