"""FMUs of controllers by themselves, coupled with the FMU of the arm."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

import flexblocks as fb
from arms.driven import upright_arm
from arms.fmu_arms import VERSIONS
from arms.fmu_instance import Fmu
from flexblocks import control, export
from flexblocks.dae import compiler

pytestmark = pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")

LOOPS = {"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}
PERIOD, SAMPLES = 0.002, 60


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_arm_and_controller_as_two_fmus_move_as_the_sampled_loop(version: str, tmp_path: Path) -> None:
    """The controller steps first: its sample at the start of a step sees the arm there, and holds over the step."""
    arm = upright_arm(damping=0.01, limit=1.5)
    law = control.Sampled(control.PID(LOOPS, kp=[10.0, 3.0], ki=[5.0, 1.0], kd=[0.5, 0.1]), PERIOD, delay=PERIOD)
    made = control.controller(law, arm, PERIOD)
    files = [str(tmp_path / name) for name in ("controller.fmu", "arm.fmu")]
    for what, path in zip((made, arm), files, strict=True):
        export.fmu(what, path, version)
    assert validate_fmu(files[0]) == []
    described = {v.name: v for v in fmpy.read_model_description(files[0]).modelVariables}
    assert {name for name, v in described.items() if v.causality == "input"} == set(made.dae.u.names)
    assert {name for name, v in described.items() if v.causality == "output"} == set(LOOPS.values())
    assert described["pid.integral[1]"].variability == "discrete"
    reference = {"reference.joint1.angle": 0.3, "reference.joint2.angle": -0.2}
    run = fb.simulate(
        control.close_loop(arm, law), PERIOD * np.arange(SAMPLES + 1), u=reference, rtol=1e-11, atol=1e-13
    )
    with Fmu(files[0], "CoSimulation") as controller, Fmu(files[1], "CoSimulation") as plant:
        controller.initialize()
        plant.initialize()
        found = []
        for k in range(SAMPLES):
            controller.set(reference | {name: plant.get(name) for name in made.measured.names})
            controller.step(k * PERIOD, PERIOD)
            plant.set({name: controller.get(name) for name in LOOPS.values()})
            found.append([controller.get("motor1.torque"), plant.get("joint2.angle")])
            plant.step(k * PERIOD, PERIOD)
    expected = np.column_stack([run["motor1.torque"], run["joint2.angle"]])[:SAMPLES]
    assert np.abs(expected[:, 0]).max() == 1.5
    assert np.array(found) == pytest.approx(expected, abs=1e-7)


def test_an_observer_as_an_fmu_gives_its_estimates(tmp_path: Path) -> None:
    observer = control.Kalman([*LOOPS], process=dict.fromkeys(LOOPS.values(), 1e-2), noise=1e-6)
    made = control.controller(observer, upright_arm(damping=0.01), PERIOD)
    path = str(export.fmu(made, tmp_path / "observer.fmu"))
    assert validate_fmu(path) == []
    told = {"joint1.angle": 0.1, "joint2.angle": -0.05, "motor1.torque": 0.2}
    run = fb.simulate(made.dae, PERIOD * np.arange(20), u=told)
    with Fmu(path, "CoSimulation") as fmu:
        fmu.set(told)
        fmu.initialize()
        for k in range(19):
            fmu.step(k * PERIOD, PERIOD)
            for name in made.outputs.names:
                assert fmu.get(name) == pytest.approx(run[name][k], rel=1e-12, abs=1e-15)
