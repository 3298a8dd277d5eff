"""Results at a prompt and in print: one line, and the table."""

from __future__ import annotations

from typing import Any

import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control, models, optim

LONGEST = 160


def results() -> dict[str, Any]:
    model = models.subudhi_morris_2002(links=1, modes=1)
    dae = fb.assemble(model, symbolic=("payload.mass",))
    arm = fb.assemble(model)
    lin = fb.linearize(arm)
    plan = optim.plan(arm, optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 0.2}, duration=1.0), intervals=8)
    law = control.LQR(Q={"joint1.angle": 1.0}, R=1.0)
    found = [
        model.check(),
        fb.equilibrium(arm),
        fb.simulate(arm, (0.0, 0.1), u={"motor1.torque": 0.1}),
        lin,
        lin.modes(),
        lin.report(),
        fb.linear_grid(dae, {"payload.mass": [0.1, 0.2]}),
        fb.compare(model, [fb.AssumedModes(1), fb.AssumedModes(2)], (0.0, 0.1)),
        fb.choose_damping(model, 0.01),
        fb.studies.grid({"payload.mass": [0.1, 0.2], "modes": list(range(1, 9))}),
        plan,
        plan.replay(),
        plan.audit(),
        control.spillover(law, design=arm, finer=subudhi_morris(links=1, modes=3)),
    ]
    return {type(one).__name__: one for one in found}


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    return results()


def test_a_prompt_shows_one_line(shown: dict[str, Any]) -> None:
    for name, result in shown.items():
        assert repr(result).startswith(f"{name}(")
        assert "\n" not in repr(result), name
        assert len(repr(result)) <= LONGEST, name


def test_print_shows_a_table(shown: dict[str, Any]) -> None:
    for name, result in shown.items():
        assert str(result) != repr(result), name
        if name != "Replay":  # which is a sentence
            assert "\n" in str(result), name
    assert "link1.tip_deflection_y  m" in str(shown["Trajectory"])
    assert "... 6 more" in str(shown["Cases"])
    assert str(shown["Modes"]) in str(shown["LinearModel"])
    assert str(shown["Plan"]) == shown["Plan"].summary()
