"""Methods of results that rooms above them write."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import lazy_package, optim
from flexblocks.rich_display import Animated

mpl.use("Agg")

for room in sorted(set(lazy_package.ROOMS.values())):
    importlib.import_module(f"flexblocks.{room}.methods")
REGISTERED = dict(sorted(lazy_package._METHODS.items()))


def classes() -> dict[str, type]:
    kinds = [getattr(package, name) for package in (fb, optim) for name in package.__all__]
    return {kind.__name__: kind for kind in [*kinds, Animated] if inspect.isclass(kind)}


@pytest.mark.parametrize("name", [name for name in REGISTERED if not name.endswith("_")])
def test_a_method_takes_what_its_function_takes(name: str) -> None:
    kind, _, method = name.partition(".")
    _, *own = inspect.signature(getattr(classes()[kind], method)).parameters.values()
    written = list(inspect.signature(REGISTERED[name]).parameters.values())
    if written[0].kind is not inspect.Parameter.VAR_POSITIONAL:  # which takes the object, too
        written = written[1:]
    assert [(p.kind, p.default) for p in own] == [(p.kind, p.default) for p in written]
    named = [[p.name for p in ps if p.kind is not inspect.Parameter.VAR_POSITIONAL] for ps in (own, written)]
    assert named[0] == named[1]


@pytest.mark.slow
def test_results_draw_themselves_without_an_import() -> None:
    """Neither does the program import `flexblocks.plot`, nor does flexblocks itself import Matplotlib."""
    script = """
import sys
import flexblocks as fb
from flexblocks import models
model = models.subudhi_morris_2002(links=1, modes=1)
dae = fb.assemble(model)
run, lin = fb.simulate(dae, (0.0, 0.1), u={"motor1.torque": 0.1}), fb.linearize(dae)
assert "matplotlib" not in sys.modules
import matplotlib
matplotlib.use("Agg")
run.plot(), lin.plot(), model.plot(), lin.operating_point.plot()
print(len(run.plot()), type(run.animate()).__name__, type(lin.animate(mode=2)).__name__)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    count, *kinds = done.stdout.split()
    assert int(count) > 1
    assert kinds == ["Animation", "Animation"]


def test_a_plan_and_its_replay_draw_themselves() -> None:
    dae = subudhi_morris(links=1, modes=1)
    plan = optim.plan(dae, optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 0.5}, 1.0), intervals=10)
    replay = plan.replay()
    _, *series = plan.plot(replay, count=3)
    assert series
    assert len(replay.plot(["motor1.torque"])) == 1
    assert [run.label for run in plan.animate(replay).scene.runs] == ["plan", "replay"]


def test_their_arguments_pass_the_door() -> None:
    lin: Any = fb.linearize(subudhi_morris(links=1, modes=1))
    with pytest.raises(fb.FlexblocksError, match=r"LinearModel.plot: .*reech"):
        lin.plot(reech=3.0)
    with pytest.raises(fb.FlexblocksError, match=r"suffix '\.txt'"):
        lin.save(Path("arm.txt"))
