"""An iteration that takes longer than its deadline gives way to the plan before, and counts it."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, export, optim
from flexblocks.dae.compiler import find_compiler
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError
from flexblocks.optim.receding.interpreted.iteration import Iteration
from flexblocks.optim.receding.interpreted.memory import Plan

SAMPLE = 0.01
START = {"joint1.angle": 0.4}
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")


@cache
def arm() -> DAE:
    """Return a lever under weight with a motor on its joint."""
    model = fb.Model("lever", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1", axis=(0, 0, 1)))
    motor, link = (
        model.add(fb.TorqueSource("motor1", limit=4.0)),
        model.add(fb.RigidLink("link1", length=0.5, mass=0.3)),
    )
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    return fb.assemble(model)


@cache
def law(deadline: float | None = None) -> optim.MPC:
    task = optim.Tracking({"joint1.angle": 0.6}, tolerance=0.01)
    return optim.MPC(arm(), task, SAMPLE, 0.4, 8, at=START, deadline=deadline)


@needs_compiler
def test_without_time_the_arm_is_held_where_it_is() -> None:
    motion = fb.simulate(control.close_loop(arm(), law(1e-9)), (0.0, 0.5), x0=START)
    report = law(1e-9).report(motion)
    assert report.fallbacks["late_samples"] == report.steps == 50
    assert report.lost
    assert "late samples 50" in str(report)
    assert np.abs(motion["joint1.angle"] - 0.4).max() < 0.02


@needs_compiler
def test_a_deadline_that_is_kept_changes_nothing() -> None:
    kept, none = (
        fb.simulate(control.close_loop(arm(), law(deadline)), (0.0, 0.5), x0=START) for deadline in (60.0, None)
    )
    assert law(60.0).report(kept).fallbacks["late_samples"] == 0
    assert np.array_equal(kept["joint1.angle"], none["joint1.angle"])


def test_plans_go_on_over_samples_that_are_late() -> None:
    """Three samples by a clock that has stopped ahead: the commands are those that were planned; then it comes back."""
    made, x = law(1e-3)._setup.interpreted, arm().x.values(START)
    ahead, now = [0.0], count()
    late = Iteration(made.functions, made.sizes, made.constants, clock=lambda: next(now) * ahead[0])
    m = Plan(made.sizes)
    late.iterate(m, x, np.zeros(1), np.zeros(0))
    for _ in range(60):
        x, _ = late._intervals.advanced(x, m.last, m.K[0], SAMPLE, np.zeros(0), np.zeros(1))
        ahead[0] = 1.0 if 3 <= m.counters[0] < 6 else 0.0
        planned = m.us[0] + (m.us[1] - m.us[0]) * min(1.0, SAMPLE / made.constants["GRID"][0])
        command = late.iterate(m, x, np.zeros(1), np.zeros(0))
        if ahead[0]:
            assert command == pytest.approx(planned, abs=1e-12)
    assert m.counters[-1] == 3
    assert m.clock[2] == 0
    assert x[0] == pytest.approx(0.6, abs=2e-3)


@needs_compiler
@pytest.mark.slow
def test_the_controller_in_c_keeps_a_deadline_by_a_clock_of_the_caller(tmp_path: Path) -> None:
    files = export.controller(law(1e-3), arm(), SAMPLE, tmp_path / "ctl")
    compiler = str(find_compiler())
    flags = ["-std=c11", "-D_POSIX_C_SOURCE=199309L", "-O2", "-ffp-contract=off"]
    test = [compiler, *flags, str(files[1]), str(files[2]), "-o", str(tmp_path / "test"), "-lm"]
    subprocess.run(test, check=True, capture_output=True)
    subprocess.run([tmp_path / "test"], check=True, capture_output=True)
    library = [compiler, *flags, "-shared", "-fPIC", str(files[1]), "-o", str(tmp_path / "ctl.so"), "-lm"]
    subprocess.run(library, check=True, capture_output=True)
    code = ctypes.CDLL(str(tmp_path / "ctl.so"))
    code.ctl_step.argtypes = [ctypes.c_void_p] * 4
    kind, now, pace = ctypes.CFUNCTYPE(ctypes.c_double), count(), [0.0]
    clock = kind(lambda: next(now) * pace[0])
    ctypes.c_void_p.in_dll(code, "ctl_clock").value = ctypes.cast(clock, ctypes.c_void_p).value
    state, command, none, x = np.zeros(code.ctl_state_size()), np.zeros(1), np.zeros(1), arm().x.values(START)
    commands = []
    for pace[0] in (0.0, 1.0, 0.0):
        assert code.ctl_step(x.ctypes.data, none.ctypes.data, state.ctypes.data, command.ctypes.data) == 0
        commands.append(float(command[0]))
    late = state[code.ctl_state_size() - 1]
    assert late == 1.0
    assert np.all(np.isfinite(commands))


def test_deadlines_that_make_no_sense_are_refused() -> None:
    with pytest.raises(FlexblocksError, match="deadline = 0"):
        optim.MPC(arm(), optim.Tracking({"joint1.angle": 0.6}, tolerance=0.01), SAMPLE, 0.4, 8, deadline=0)
