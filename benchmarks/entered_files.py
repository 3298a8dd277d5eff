"""How many functions, lines and files of the project a call enters: what a newcomer would have to read to follow it.

    python -m benchmarks.entered_files [--list]

Counted with `sys.setprofile` after everything was imported: named functions that are entered, lambdas and
comprehensions apart, and their lines of code, without comments, docstrings and blank lines. The arm is that of the
README's quick start. `optim.plan` starts from a DAE that was not used before; `simulate` from one
whose forward dynamics stand, with deflections below 1 % of the length; beyond (`simulate far`) the check of their size
derives once how the beam is pulled along its axis. `replay` starts from a plan whose arm was simulated before.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import flexblocks as fb
from flexblocks import optim

FLEXBLOCKS = Path(fb.__file__ or "").resolve().parent
OPTIM = Path(optim.__file__ or "").resolve().parent
HOUSE = {FLEXBLOCKS: "flexblocks", OPTIM: "optim"}


@dataclass(frozen=True)
class Entered:
    """What a call entered.

    Attributes
    ----------
    functions : Counter
        Named functions by file.
    lines : Counter
        Their lines of code by file.
    """

    functions: Counter[str]
    lines: Counter[str]

    def __str__(self) -> str:
        folders = {name.rpartition("/")[0] for name in self.functions}
        return (
            f"{self.functions.total()} functions with {self.lines.total()} lines in {len(self.functions)} files of "
            f"{len(folders)} folders"
        )


def entered(call: Callable[[], Any]) -> tuple[Any, Entered]:
    """Return what a call returns, and what it enters of the project."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    functions, lines = Counter[str](), Counter[str]()
    for code in codes:
        if not code.co_name.startswith("<") and (place := _place(code.co_filename)):
            functions[place] += 1
            lines[place] += len({line for *_, line in code.co_lines() if line})
    return result, Entered(functions, lines)


def _place(name: str) -> str:
    """Return a file's place in the project, empty where it is none of its."""
    if name.startswith("<"):
        return ""
    path = Path(name).resolve()
    for folder in (OPTIM, FLEXBLOCKS):  # the inner ones first, where they lie inside
        if path.is_relative_to(folder):
            return f"{HOUSE[folder]}/{path.relative_to(folder)}"
    return ""


def quick_start() -> fb.Model:
    """Return the arm of the README."""
    model = fb.Model("one flexible link")
    ground = model.add(fb.Ground("ground"))
    motor = model.add(fb.TorqueSource("motor", limit=2.0))
    joint = model.add(fb.Revolute("joint", axis=(0, 0, 1)))
    beam = {"length": 0.5, "linear_density": 0.2, "flexural_rigidity": 1.0, "bending": "y"}
    link = model.add(fb.FlexibleBeam("link", **beam, discretization=fb.AssumedModes(2, tip="auto")))
    load = model.add(fb.Payload("payload", mass=0.1, inertia=0.005))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    return model


def simplest() -> dict[str, Entered]:
    """Return what the simplest plan, simulation and replay enter, by verb."""
    torque, weak = ({"motor.torque": fb.bang_bang(largest, 0.5)} for largest in (0.2, 0.01))
    problem = optim.RestToRest(
        start={"joint.angle": 0.0}, goal={"joint.angle": 1.5}, duration=2.0, input_ends="holding"
    )
    fb.simulate, optim.plan  # noqa: B018  (what they stand in is imported here)
    counts = {}
    dae = fb.assemble(quick_start())
    _, counts["optim.plan"] = entered(lambda: optim.plan(dae, problem))
    dae = fb.assemble(quick_start())
    dae.forward_dynamics  # noqa: B018  (derived here, once and for all)
    _, counts["simulate"] = entered(lambda: fb.simulate(dae, t=(0.0, 2.0), u=weak))
    _, counts["simulate far"] = entered(lambda: fb.simulate(dae, t=(0.0, 2.0), u=torque))
    plan = optim.plan(dae, problem)
    _, counts["replay"] = entered(plan.replay)
    return counts


def main() -> None:
    """Print what each verb enters."""
    for verb, all_of_it in simplest().items():
        print(f"{verb}: {all_of_it}")
        if "--list" in sys.argv:
            for name, count in sorted(all_of_it.functions.items()):
                print(f"    {name}: {count} functions, {all_of_it.lines[name]} lines")


if __name__ == "__main__":
    main()
