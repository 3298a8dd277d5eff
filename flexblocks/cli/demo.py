"""`flexblocks demo`: from blocks to a planned motion, on the arm of Subudhi & Morris (2002)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import JsonOption
from flexblocks.cli.check import summary
from flexblocks.cli.demo_pictures import draw
from flexblocks.cli.linearize import mode_data, mode_row
from flexblocks.cli.report import print_json, print_line, print_table, write_json
from flexblocks.export import save_linear
from flexblocks.files import expanded
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import linearize
from flexblocks.modeling.model_file import load_model
from flexblocks.simulation import Trajectory, bang_bang, simulate
from flexblocks.simulation.simulate import whole

GOAL = {"joint1.angle": math.pi / 2, "joint2.angle": math.pi / 6}
DURATION = 3.0  # [s]: slow enough for the linear theory of its beams
LIMITS = {"motor1.torque": 4.0, "motor2.torque": 2.0}


@dataclass
class Stopwatch:
    """Wall time of each step [s]; prints each step when it is done."""

    quiet: bool
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str, what: str) -> Iterator[None]:
        started = perf_counter()
        yield
        self.seconds[name] = perf_counter() - started
        if not self.quiet:
            print_line(f"{self.seconds[name]:7.2f} s  {what}")


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder for results and pictures.")] = Path("out"),
    intervals: Annotated[int, typer.Option("--intervals", help="Mesh intervals of the plan.")] = 100,
    json: JsonOption = False,
) -> None:
    """Compose, check, simulate, linearise, export, plan and replay the two-link flexible arm, with pictures."""
    from flexblocks import models, optim

    out = expanded(out)
    out.mkdir(parents=True, exist_ok=True)
    stopwatch = Stopwatch(quiet=json)
    with stopwatch.step("compose", "composed from blocks, saved to arm.yaml and read back"):
        models.subudhi_morris_2002().save(out / "arm.yaml")
        model = load_model(out / "arm.yaml")
    with stopwatch.step("assemble", "checked and assembled into one symbolic DAE: check.json"):
        dae = assemble(model)
        write_json(out / "check.json", summary(model, dae))
    with stopwatch.step("simulate", "simulated for 5 s, bang-bang of 0.2 N m on both motors: swing.nc, swing.csv"):
        pulse = bang_bang(0.2, 0.5)
        swing = whole(simulate(dae, (0.0, 5.0), u={"motor1.torque": pulse, "motor2.torque": pulse}))
        swing.save(out / "swing.nc")
        swing.save(out / "swing.csv")
    with stopwatch.step("linearize", "linearised at rest: modes.json, arm.mat, arm.npz"):
        lin = linearize(dae, outputs=("payload.x", "payload.y"))
        write_json(out / "modes.json", [mode_data(mode) for mode in lin.modes()])
        save_linear(lin, out / "arm.mat")
        save_linear(lin, out / "arm.npz")
    told = f"planned (0, 0) to (pi/2, pi/6) rad in {DURATION:g} s with least effort, {intervals} intervals: plan.nc"
    with stopwatch.step("plan", told):
        problem = optim.RestToRest(start=dict.fromkeys(GOAL, 0.0), goal=GOAL, duration=DURATION, limits=LIMITS)
        plan = optim.plan(dae, problem, intervals=intervals)
        plan.trajectory.save(out / "plan.nc")
    with stopwatch.step("replay", "replayed the plan in an independent simulation: replay.nc"):
        replay = plan.replay()
        replay.trajectory.save(out / "replay.nc")
    with stopwatch.step("draw", "drew the pictures"):
        pictures = draw(out, model, lin, swing, replay.trajectory)
    with stopwatch.step("animate", "animated plan and replay, for a browser: animation.html"):
        from flexblocks import plot

        plot.animate(plan, replay).save(out / "animation.html")
    results = numbers(lin, swing, plan, replay)
    write_json(out / "summary.json", {"numbers": results, "seconds": stopwatch.seconds})
    if json:
        print_json({"numbers": results, "seconds": stopwatch.seconds, "pictures": pictures})
        return
    rows = [mode_row(number, mode) for number, mode in enumerate(lin.modes(), 1)]
    print_table("Modes at rest, arm stretched out", ("mode", "rad/s", "Hz", "damping ratio", "energy"), rows)
    rows = [(*name.rsplit(" [", 1), value) for name, value in results.items()]
    print_table("Results", ("", "unit", "value"), [(name, unit.rstrip("]"), value) for name, unit, value in rows])
    print_line(f"Pictures: {', '.join(pictures)}; animation.html opens in a browser. Everything is in {out}/.")


def numbers(lin: LinearModel, swing: Trajectory, plan: Any, replay: Any) -> dict[str, float]:
    """Return the results of the demonstration, by name with unit."""
    elastic = [mode.frequency for mode in lin.modes() if mode.frequency > 0][:3]
    imbalance = swing["kinetic_energy"] + swing["potential_energy"] - swing["work"]
    peaks = {
        f"{motion}: largest tip deflection of {link} [mm]": 1e3 * float(np.abs(traj[f"{link}.tip_deflection_y"]).max())
        for motion, traj in (("bang-bang", swing), ("plan", replay.trajectory))
        for link in ("link1", "link2")
    }
    return {
        **{f"elastic frequency {number} [rad/s]": float(value) for number, value in enumerate(elastic, 1)},
        **peaks,
        "bang-bang: largest |energy - work| [J]": float(np.abs(imbalance - imbalance[0]).max()),
        "plan: objective, integral of u^2 + 0.01 u'^2 [N2 m2 s]": float(plan.objective),
        **{f"plan: largest {name} [N m]": float(np.abs(replay.trajectory[name]).max()) for name in LIMITS},
        "replay: tip misses the goal by [mm]": 1e3 * float(replay.tip_miss),
        "replay: energy left at the goal [J]": float(replay.energy_left),
    }
