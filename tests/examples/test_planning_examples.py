"""The examples of planning do what they promise."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models, optim
from flexblocks.optim.strategy.warm_start import start_from
from repository import OPTIM_EXAMPLES


@pytest.fixture
def example(tmp_path):
    """Return a function that loads an example by name, and where its picture goes."""

    def load(name):
        return runpy.run_path(str(OPTIM_EXAMPLES / f"{name}.py")), tmp_path / f"{name}.png"

    return load


def is_picture(path):
    return path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_pick_carry_release(example):
    script, picture = example("pick_carry_release")
    plan = script["main"](str(picture))
    assert plan.status == "optimal"
    assert is_picture(picture)
    replay = plan.replay()
    assert replay.tip_miss < 1e-4
    assert replay.energy_left < 1e-5
    masses = [plan.pyomo_model.phase[name].transcription.p[0] for name in plan.phases]
    assert masses == [0.0, 0.2, 0.0]
    # The same motion with the load in the hand all the time is another one.
    assert (
        plan.objective
        < optim.plan(
            fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",)),
            optim.Problem(
                script["HOME"],
                [optim.Phase(phase.name, phase.goal, phase.duration) for phase in script["problem"]().phases],
                input_ends="holding",
            ),
            intervals=40,
            p={"payload.mass": 0.2},
        ).objective
    )


@pytest.mark.slow
def test_robust_payload(example):
    script, picture = example("robust_payload")
    left = script["main"](str(picture), choices=("one payload", "five payloads"), points=7)
    assert is_picture(picture)
    assert left["mass"].tolist() == pytest.approx(np.linspace(0.0, 0.3, 7).tolist())
    assert left["five payloads"].max() < 3e-4
    assert left["one payload"].max() > 20 * left["five payloads"].max()


@pytest.mark.slow
def test_codesign(example):
    script, picture = example("codesign")
    given, best = script["main"](str(picture))
    assert is_picture(picture)
    assert best.objective < 0.85 * given.objective
    assert best.replay().tip_miss < 1e-4
    assert 3.0 < best.p["spring1.stiffness"] < 6.0
    # It is an optimum: springs a little softer or stiffer take more.
    dae, swing = best.transcribed.dae, script["problem"]({})
    for factor in (0.9, 1.1):
        other = best.p | {"spring1.stiffness": factor * best.p["spring1.stiffness"]}
        model = optim.pyomo_model(dae, swing, intervals=60, p=other)
        start_from(model, best.pyomo_model)
        assert optim.solve(model).objective > best.objective + 1e-3
