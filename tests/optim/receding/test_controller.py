"""Model predictive control as a controller in C: what it commands by itself is what it commands in a loop."""

from __future__ import annotations

import ctypes
import re
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from fmpy.validation import validate_fmu

import flexblocks as fb
from arms.fmu_instance import Fmu
from flexblocks import control, export, models, optim
from flexblocks.dae.compiler import find_compiler
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError

SAMPLE = 0.01


def arm() -> DAE:
    """Return a lever under weight with a motor behind a spring."""
    model = fb.Model("lever", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1", axis=(0, 0, 1)))
    motor, rotor = model.add(fb.TorqueSource("motor1", limit=4.0)), model.add(fb.Rotor("rotor1", inertia=0.01))
    spring = model.add(fb.TorsionalSpring("spring1", stiffness=60.0, damping=0.05))
    link = model.add(fb.RigidLink("link1", length=0.5, mass=0.3))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    return fb.assemble(model)


@pytest.mark.slow
@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("delay", [SAMPLE, 1.5 * SAMPLE])
def test_the_controller_commands_what_the_loop_did(tmp_path: Path, delay: float) -> None:
    """Ten seconds of the Python run, sample by sample; its own test agrees, too; it takes no memory."""
    dae = arm()
    task = optim.Tracking({"joint1.angle": lambda t: 0.4 * np.sin(2.0 * t)}, tolerance=0.01)
    mpc = optim.MPC(dae, task, SAMPLE, 0.4, 8, delay=delay)
    files = export.controller(mpc, dae, SAMPLE, tmp_path / "ctl")
    assert [file.name for file in files] == ["ctl.h", "ctl.c", "ctl_test.c", "CMakeLists.txt"]
    compiler = find_compiler()
    flags = ["-std=c11", "-D_POSIX_C_SOURCE=199309L", "-O2", "-ffp-contract=off"]
    made = [compiler, *flags, str(files[1]), str(files[2]), "-o", str(tmp_path / "test"), "-lm"]
    subprocess.run(made, check=True, capture_output=True)
    told = subprocess.run([tmp_path / "test"], check=True, capture_output=True, text=True).stdout
    assert told.startswith("largest difference of commands")
    library = [compiler, *flags, "-shared", "-fPIC", str(files[1]), "-o", str(tmp_path / "ctl.so"), "-lm"]
    subprocess.run(library, check=True, capture_output=True)
    assert "alloc(" not in files[1].read_text()
    code = ctypes.CDLL(str(tmp_path / "ctl.so"))
    code.ctl_step.argtypes = [ctypes.c_void_p] * 4
    run = fb.simulate(control.close_loop(dae, mpc), SAMPLE * np.arange(1001))
    x = np.column_stack([run[name] for name in dae.x.names])
    state, command = np.zeros(code.ctl_state_size()), np.zeros(1)
    code.ctl_init(state.ctypes.data_as(ctypes.c_void_p))
    commands, released = [], []
    for row in np.ascontiguousarray(x[:-1]):
        none = np.zeros(1)
        assert code.ctl_step(row.ctypes.data, none.ctypes.data, state.ctypes.data, command.ctypes.data) == 0
        commands.append(float(command[0]))
        if delay > SAMPLE:
            code.ctl_release(ctypes.c_void_p(state.ctypes.data), ctypes.c_void_p(command.ctypes.data))
            released.append(float(command[0]))
    assert released[:-1] == (commands[1:] if released else [])
    assert np.abs(np.array(commands) - run["held.motor1.torque"][:-1]).max() < 4.0 * 1e-9


@cache
def behind_an_observer(horizons: bool = False) -> tuple[control.Sampled, DAE]:
    """Return the law on the estimates of a filter, or of a moving horizon, that has one encoder."""
    dae = arm()
    mpc = optim.MPC(dae, optim.Tracking({"joint1.angle": None}, tolerance=0.01), SAMPLE, 0.4, 8)
    rest = fb.equilibrium(dae, x={"joint1.angle": 0.0})
    noise, process = {"rotor1.angle": 1e-4}, {"motor1.torque": 1e-3}
    if horizons:
        observer = optim.MovingHorizon(
            dae, [*noise], noise=noise, process=process, at=rest, sample_time=SAMPLE, horizon=2 * SAMPLE
        )
    else:
        observer = control.SampledKalman([*noise], noise=noise, process=process, at=rest, sample_time=SAMPLE)
    return control.Sampled(control.OutputFeedback(mpc, observer), SAMPLE), dae


@pytest.mark.slow
@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("horizons", [False, True])
def test_a_law_and_its_estimator_in_c_take_measurements_and_command_what_the_loop_did(
    tmp_path: Path, horizons: bool
) -> None:
    """Plan and window are in the state: another one beside it, with another reference, changes nothing."""
    law, dae = behind_an_observer(horizons)
    files = export.controller(law, dae, SAMPLE, tmp_path / "ctl")
    sources = [str(file) for file in files if file.suffix == ".c"]
    assert len(sources) == 3 + horizons
    assert all(Path(source).name in (tmp_path / "ctl" / "CMakeLists.txt").read_text() for source in sources)
    flags = [str(find_compiler()), "-std=c11", "-O1", "-ffp-contract=off"]
    subprocess.run([*flags, *sources, "-o", str(tmp_path / "test"), "-lm"], check=True, capture_output=True)
    told = subprocess.run([tmp_path / "test"], check=True, capture_output=True, text=True).stdout
    assert ", 0 differences" in told
    alone = [source for source in sources if not source.endswith("_test.c")]
    shared = ["-shared", "-fPIC", "-o", str(tmp_path / "ctl.so"), "-lm"]
    subprocess.run([*flags, *alone, *shared], check=True, capture_output=True)
    code = ctypes.CDLL(str(tmp_path / "ctl.so"))
    made = control.controller(law, dae, SAMPLE)
    assert made.measured.names == ("rotor1.angle",)
    times = SAMPLE * np.arange(201)
    run = fb.simulate(control.close_loop(dae, law), times, {"reference.joint1.angle": 0.3})
    kept = [int(size) for size in re.findall(r"double memory\d+\[(\d+)\];", (tmp_path / "ctl" / "ctl.h").read_text())]
    assert len(kept) == 1 + horizons
    states = [np.full(len(made.states) + len(made.parameters) + sum(kept), np.nan) for _ in range(2)]
    command, references = np.zeros(1), [np.array([goal]) for goal in (0.3, -0.2)]
    for state in states:
        code.ctl_init(ctypes.c_void_p(state.ctypes.data))
    commands = []
    for angle in run["rotor1.angle"][:-1]:
        measured = np.array([angle])
        for state, reference in zip(states, references, strict=True):
            places = (ctypes.c_void_p(values.ctypes.data) for values in (measured, reference, state, command))
            code.ctl_step(*places)
            if state is states[0]:
                commands.append(float(command[0]))
    assert np.abs(np.array(commands) - run["motor1.torque"][:-1]).max() < 4.0 * 1e-9
    assert abs(run["joint1.angle"][-1] - 0.3) < 0.01


@pytest.mark.slow
@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
def test_the_controller_as_an_fmu_commands_what_the_loop_did(tmp_path: Path) -> None:
    """Its delay included; two instances side by side are independent."""
    dae = arm()
    task = optim.Tracking({"joint1.angle": lambda t: 0.4 * np.sin(2.0 * t)}, tolerance=0.01)
    mpc = optim.MPC(dae, task, SAMPLE, 0.4, 8, delay=SAMPLE)
    made = control.controller(mpc, dae, SAMPLE)
    path = str(export.fmu(made, tmp_path / "ctl.fmu", "2.0"))
    assert validate_fmu(path) == []
    run = fb.simulate(control.close_loop(dae, mpc), SAMPLE * np.arange(101))
    with Fmu(path, "CoSimulation") as one, Fmu(path, "CoSimulation") as other:
        one.initialize()
        other.initialize()
        commands = []
        for k in range(100):
            one.set({name: float(run[name][k]) for name in made.measured.names})
            one.step(k * SAMPLE, SAMPLE)
            commands.append(one.get("motor1.torque"))
            other.step(k * SAMPLE, SAMPLE)
    assert np.abs(np.array(commands) - run["motor1.torque"][:-1]).max() < 4.0 * 1e-9


def test_a_controller_by_itself_is_told_all_states_of_a_flexible_arm() -> None:
    """And a law of gains on bending is refused as before."""
    dae = fb.assemble(models.subudhi_morris_2002(modes=1))
    task = optim.Tracking({"payload.y": 0.1}, tolerance=0.01)
    limits = {"motor1.torque": 4.0, "motor2.torque": 2.0}
    mpc = optim.MPC(dae, task, SAMPLE, 0.4, 6, limits)
    for law in (mpc, control.Sampled(mpc, SAMPLE)):
        assert control.controller(law, dae, SAMPLE).measured.names == dae.x.names
    with pytest.raises(FlexblocksError, match="which no sensor measures"):
        control.controller(mpc, dae, SAMPLE, measured=["rotor1.angle"])
    with pytest.raises(FlexblocksError, match="which no sensor measures"):
        control.controller(control.LQR({"joint1.angle": 1.0, "joint2.angle": 1.0}, R=1.0, at={}), dae, SAMPLE)


def test_what_cannot_be_a_controller_is_refused(tmp_path: Path) -> None:
    dae = arm()
    task = optim.Tracking({"joint1.angle": 0.2}, tolerance=0.01)
    mpc = optim.MPC(dae, task, SAMPLE, 0.4, 8)
    with pytest.raises(FlexblocksError, match="but the MPC has"):
        export.controller(mpc, dae, 0.02, tmp_path / "ctl")
    with pytest.raises(FlexblocksError, match="must be 'double'"):
        export.controller(mpc, dae, SAMPLE, tmp_path / "ctl", real="float")
    other = optim.MPC(dae, task, SAMPLE, 0.4, 8, solver="hpipm")
    with pytest.raises(FlexblocksError, match="must be 'condensed'"):
        export.controller(other, dae, SAMPLE, tmp_path / "ctl")
    law, dae = behind_an_observer()
    with pytest.raises(FlexblocksError, match="must be 'double' for a law with an MPC"):
        export.controller(law, dae, SAMPLE, tmp_path / "ctl", real="float")
