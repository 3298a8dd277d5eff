"""Laws that call code from outside CasADi: what needs no derivatives takes them, what does refuses them by name."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, export, optim
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError, FlexblocksWarning

STIFFNESS, DAMPING, GOAL = 3.0, 0.5, 0.3


class Outside(ca.Callback):
    """A spring and a damper to an angle, in Python."""

    def __init__(self, name: str, **options: Any) -> None:
        ca.Callback.__init__(self)
        self.construct(name, options)

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(2, 1)

    def eval(self, arg: Any) -> list[float]:
        angle, rate = arg[0].full().ravel()
        return [-STIFFNESS * (angle - GOAL) - DAMPING * rate]


PLAIN, DIFFERENCED = Outside("plain_torque"), Outside("differenced_torque", enable_fd=True)


class OutsideLaw(control.Law):
    """The torque of a function."""

    def __init__(self, torque: Any) -> None:
        self.torque = torque

    def bind(self, dae: DAE, actuators: Any) -> control.Bound:
        x = dae.x.symbol
        return control.Bound({"motor1.torque": self.torque(ca.vertcat(x[0], x[1]))})


def inside(angle_and_rate: ca.SX) -> ca.SX:
    return -STIFFNESS * (angle_and_rate[0] - GOAL) - DAMPING * angle_and_rate[1]


@cache
def arm() -> DAE:
    model = fb.Model("lever")
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1", axis=(0, 0, 1)))
    motor = model.add(fb.TorqueSource("motor1", limit=4.0))
    link = model.add(fb.RigidLink("link1", length=0.5, mass=0.3))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    return fb.assemble(model)


@cache
def loop(torque: Any, sample_time: float | None = None) -> DAE:
    law = OutsideLaw(torque)
    return control.close_loop(
        arm(), law if sample_time is None else control.Sampled(law, sample_time), disturbances=True
    )


@pytest.mark.parametrize("sample_time", [None, 0.02])
@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 1e-3}, {"method": "implicit", "rtol": 1e-8}])
def test_motions_are_those_of_the_law_written_out(sample_time: float | None, options: dict) -> None:
    times = np.linspace(0.0, 0.5, 26)
    ours, theirs = (fb.simulate(loop(torque, sample_time), times, **options) for torque in (PLAIN, inside))
    assert np.abs(ours["joint1.angle"] - theirs["joint1.angle"]).max() < 1e-6
    assert abs(ours["joint1.angle"][-1]) > 0.1


def test_steps_and_compiled_loops_take_it() -> None:
    x = arm().x.start
    with pytest.warns(FlexblocksWarning, match="virtual machine takes its steps"):
        step = fb.stepper(loop(PLAIN), 1e-2)
    other = fb.stepper(loop(inside), 1e-2)
    assert np.allclose(step(x, np.zeros(1)), other(x, np.zeros(1)), atol=1e-12)
    compiled = loop(PLAIN).compile()  # a warning in the log
    assert compiled.library is None


@pytest.mark.parametrize(
    "verb",
    [
        fb.linearize,
        fb.equilibrium,
        lambda dae: optim.plan(dae, optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 0.5}, duration=1.0)),
        lambda dae: optim.MPC(dae, optim.Tracking({"joint1.angle": 0.3}, tolerance=1e-2), 0.01, 0.4, 8),
        lambda dae: fb.simulate(dae, (0.0, 0.1), method="bdf"),
    ],
    ids=["linearize", "equilibrium", "plan", "MPC", "bdf"],
)
def test_what_differentiates_names_the_function(verb: Any) -> None:
    with pytest.raises(FlexblocksError, match=r"plain_torque.*enable_fd=True"):
        verb(loop(PLAIN))


@pytest.mark.parametrize("sample_time", [None, 0.02])
def test_what_writes_equations_names_the_function(sample_time: float | None, tmp_path: Path) -> None:
    closed = loop(PLAIN, sample_time)
    with pytest.raises(FlexblocksError, match="plain_torque, code from outside CasADi"):
        export.fmu(closed, tmp_path / "loop.fmu")
    with pytest.raises(FlexblocksError, match="plain_torque, code from outside CasADi"):
        export.equations(closed, "c")
    with pytest.raises(FlexblocksError, match="plain_torque, code from outside CasADi"):
        export.c_code(closed, tmp_path / "loop.c")
    with pytest.raises(FlexblocksError, match=r"'plain_torque'.*cannot be pickled"):
        pickle.dumps(closed)


def test_finite_differences_of_casadi_are_derivatives() -> None:
    ours, theirs = (fb.linearize(loop(torque)) for torque in (DIFFERENCED, inside))
    assert np.allclose(ours.A, theirs.A, rtol=1e-6, atol=1e-6)
    op = fb.equilibrium(loop(DIFFERENCED))
    assert op["joint1.angle"] == pytest.approx(GOAL, abs=1e-6)
