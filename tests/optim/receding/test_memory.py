"""How much memory an iteration works in."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import casadi as ca
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.dae.compiler import find_compiler
from flexblocks.optim.receding.compiled_iteration import iteration_source
from flexblocks.optim.receding.iteration_setup import ALONE, SOLVERS

LARGEST = 2_000_000
ARM = {"N": 20, "NX": 48, "NQ": 24, "NU": 6, "NF": 24, "NR": 9, "NT": 42, "NREF": 3, "RATES_": 24}


def shaft() -> fb.DAE:
    """Return a rotor with a torque on it."""
    model = fb.Model("shaft", gravity=(0.0, 0.0, 0.0))
    joint = model.add(fb.Revolute("joint1", axis=(0, 0, 1)))
    motor, load = model.add(fb.TorqueSource("motor1", limit=1.0)), model.add(fb.Payload("load", 0.5, inertia=0.1))
    model.connect(motor.flange_b, joint.axis)
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    return fb.assemble(model)


@pytest.mark.skipif(
    platform.system() != "Linux" or not find_compiler() or not shutil.which("size"), reason="needs gcc and size"
)
@pytest.mark.parametrize("limits", [0, 6])
def test_an_arm_of_48_states_and_20_intervals_takes_less_than_2_mb(tmp_path: Path, limits: int) -> None:
    """The controller by itself, with the state of a run; without the work vector of the arm's functions, a few kB."""
    task = optim.Tracking({"joint1.angle": 0.5}, tolerance=0.01)
    made = optim.MPC(shaft(), task, 0.01, 0.4, 4, {"der(joint1.angle)": 1.0}, rates={"motor1.torque": 9.0})._setup
    x = ca.SX.sym("x")
    functions = {name: ca.Function(function.name(), [x], [x]) for name, function in made.functions.items()}
    sizes = dict(made.sizes) | ARM | {"NLIM": limits, "INPUTS_LIMITED": 1, "NPREV": limits, "NG": 2 * limits}
    sizes |= {"PARAMETERS": "0.0", "CLOCKED": 0}
    source = iteration_source(functions, sizes, made.constants, (*SOLVERS["condensed"], *ALONE), "ctl")[1]
    source = re.sub("#define HOT .*", "#define HOT", source)  # takes a second in place of twenty
    code = tmp_path / "ctl.c"
    code.write_text(f"{source}\nstatic memory one;\nvoid *state_of_a_run(void) {{ return &one; }}\n")
    subprocess.run([str(find_compiler()), "-w", "-c", str(code), "-o", str(tmp_path / "ctl.o")], check=True)
    told = subprocess.run(["size", str(tmp_path / "ctl.o")], check=True, capture_output=True, text=True).stdout
    _, data, bss = map(int, told.splitlines()[1].split()[:3])
    assert 8 * ARM["N"] * ARM["NX"] ** 2 < data + bss < LARGEST  # more than its linearised intervals
    assert "alloc(" not in source
