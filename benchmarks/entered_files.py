"""How many files of the project a call enters at run time: what a newcomer would have to open to follow it.

    python -m benchmarks.entered_files [--list]

Counted with `sys.setprofile` after everything was imported: a file counts once a function of it is entered. The arm is
that of the README's quick start. `optim.plan` starts from a DAE that nothing was asked of before; `simulate` from one
whose forward dynamics stand, with deflections below 1 % of the length; beyond (`simulate far`) the check of their size
derives once how the beam is pulled along its axis. `replay` starts from a plan whose arm was simulated before.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import flexblocks as fb
from flexblocks import optim

FLEXBLOCKS = Path(fb.__file__ or "").resolve().parent
OPTIM = Path(optim.__file__ or "").resolve().parent
HOUSE = {FLEXBLOCKS: "flexblocks", OPTIM: "optim"}


def entered(call: Callable[[], Any]) -> tuple[Any, Counter[str]]:
    """Return what a call returns, and the files it enters with the number of functions entered in each."""
    codes = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    return result, Counter(place for code in codes if (place := _place(code.co_filename)))


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


def simplest() -> dict[str, Counter[str]]:
    """Return the files that the simplest plan, simulation and replay enter, by verb."""
    torque, weak = ({"motor.torque": fb.bang_bang(largest, 0.5)} for largest in (0.2, 0.01))
    problem = optim.RestToRest(
        start={"joint.angle": 0.0}, goal={"joint.angle": 1.5}, duration=2.0, input_ends="holding"
    )
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
    """Print how many files and folders each verb enters, and which."""
    for verb, files in simplest().items():
        folders = {name.rpartition("/")[0] for name in files}
        print(f"{verb}: {len(files)} files in {len(folders)} folders")
        if "--list" in sys.argv:
            print("\n".join(f"    {name} ({n})" for name, n in sorted(files.items())))


if __name__ == "__main__":
    main()
