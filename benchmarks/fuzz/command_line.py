"""Bad command lines: commands with arguments that are missing, odd or out of range."""

from __future__ import annotations

import os
import tempfile
import warnings
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from typer.testing import CliRunner

from benchmarks.fuzz.outcome import OK, Outcome, wrong
from benchmarks.fuzz.public_functions import calls
from flexblocks.cli.app import app

COMMANDS = (
    "check arm.yaml", "check arm.yaml --json", "simulate arm.yaml --time 0.02 --samples 3",
    "simulate arm.yaml --time 0.02 --input motor1.torque=sine:1,2 --x0 joint1.angle=0.1 --out m.csv",
    "simulate arm.yaml --time 0.02 --input motor1.torque=bang-bang:1,0.01 --plot a.png",
    "linearize arm.yaml --start joint1.angle=0.1", "linearize arm.yaml --outputs payload.x --out l.json",
    "export arm.yaml --out arm.fmu", "export arm.yaml --out arm.c", "models", "compare arm.yaml --time 0.02",
    "plan arm.yaml --goal joint1.angle=0.2 --duration 1 --intervals 3 --limit motor1.torque=20",
    "plan subudhi_morris_2002 --set links=1 --goal joint1.angle=0.2 --duration 1 --intervals 3",
    "simulate subudhi_morris_2002 --set links=2 --time 0.01",
)  # fmt: skip
ODD = (
    "", "x", "-1", "nan", "inf", "1e400", "=", "a=b", "a=", "=1", "joint1.angle=x", "joint1.angle=nan",
    "motor1.torque=1", "joint1.angle=1,2,3", "motor1.torque=sine:1", "motor1.torque=step:x,y", "motor1.torque=no.csv:a",
    "links=x", "links=-1", "nowhere/x.yaml", "/", ".", "arm.yaml", "\x00", "\udcff", "--", "--help", "--no-such",
    "9" * 500, "free", "0.5,0.1", "../../x.nc", "a.nc", "a.txt", "a.png", "x.y.z", "--json", "--set", "💥", " ", "0",
    "1e-300", "links=99999999999999", "motor1.torque=bang-bang:1,-1", "joint1.angle=1e300",
)  # fmt: skip


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    calls()["assemble"].arguments["model"].save(folder / "arm.yaml")
    return folder


def case(seed: int) -> Outcome:
    """Run a command in which one or two words are replaced, removed or added."""
    rng = np.random.default_rng(seed)
    words = COMMANDS[seed % len(COMMANDS)].split()
    for _ in range(int(rng.integers(1, 3))):
        i, odd = int(rng.integers(1, len(words) + 1)), ODD[int(rng.integers(len(ODD)))]
        deed = int(rng.integers(4))
        words = words[:i] + ([] if deed == 0 else [odd]) + words[i + (deed != 1) :]
    os.chdir(_folder())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = CliRunner().invoke(app, words)
        plt.close("all")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return OK if result.exit_code in (0, 1, 2) else wrong(f"exit code {result.exit_code}")
