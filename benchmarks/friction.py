"""Plans of arms with dry friction, rounded off first and directly: ``python -m benchmarks.friction [OBJECTIVE ...]``.

Two flexible links from rest to rest, weightless or hanging, their motors behind springs or not; dry friction of the
first joint from 0.1 to 2 N m (the second has half of it), where the links' inertia takes about one. Iterations of all
attempts, and by how much the replay misses the goal; bold is what did not converge. ``rounded`` is the sharpest motion
that converged. Objectives: effort, vibration, jerk and time; all if none is named.
"""

from __future__ import annotations

import sys
import warnings
from itertools import product

from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import optim
from flexblocks.optim.collocation.transcription_options import transcription_options
from flexblocks.optim.model.build import model_of
from flexblocks.optim.planner import plan_with
from flexblocks.optim.strategy.solver import Budget, Solver
from flexblocks.optim.strategy.start_options import from_guess

DRY = (0.1, 0.5, 2.0)  # N m
LIMIT = 30.0  # s of each plan
START, GOAL = {"joint1.angle": 0.0, "joint2.angle": 0.0}, {"joint1.angle": 1.0, "joint2.angle": 0.5}


def arm(coulomb: float, *, hung: bool = False, springs: bool = True, velocity: float = 0.01) -> fb.DAE:
    model = fb.Model("arm", gravity=(0.0, -9.81, 0.0) if hung else (0.0, 0.0, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        joint, motor = model.add(fb.Revolute(f"joint{i}")), model.add(fb.TorqueSource(f"motor{i}", limit=20.0))
        friction = model.add(fb.Friction(f"friction{i}", viscous=0.02, coulomb=coulomb / i, velocity=velocity))
        link = fb.FlexibleBeam(f"link{i}", 0.5, 0.4, 20.0, discretization=fb.AssumedModes(1, tip="auto"), bending="y")
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, model.add(link).frame_a)
        if springs:
            rotor = model.add(fb.Rotor(f"rotor{i}", inertia=0.05))
            spring = model.add(fb.TorsionalSpring(f"spring{i}", stiffness=500.0, damping=0.2))
            model.connect(motor.flange_b, rotor.flange_a, friction.flange_b)
            model.connect(rotor.flange_b, spring.flange_a)
            model.connect(spring.flange_b, joint.axis)
        else:
            model.connect(motor.flange_b, friction.flange_b, joint.axis)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", 0.5)).frame_a)
    return fb.assemble(model)


def tasks() -> dict[str, optim.RestToRest]:
    rates = {f"der(motor{i}.torque)": 400.0 for i in (1, 2)}
    return {
        "effort": optim.RestToRest(START, GOAL, 2.0),
        "vibration": optim.RestToRest(START, GOAL, 2.0, "vibration", input_ends="holding"),
        "jerk": optim.RestToRest(START, GOAL, 2.0, optim.Jerk(), input_ends="holding"),
        "time": optim.RestToRest(START, GOAL, (0.2, 5.0), "time", rates),
    }


def outcome(dae: fb.DAE, task: optim.RestToRest, *, rounds: bool) -> str:
    solver = Solver(Budget.of_seconds(LIMIT))
    options = transcription_options({"intervals": 30})
    try:
        if rounds:
            plan = plan_with(dae, task, options, solver=solver)
        else:
            model = model_of(dae, task, options)
            plan = solver.solve("directly", model, from_guess(model.transcribed))
    except optim.PlanError as error:
        count = "?" if error.plan is None else sum(attempt.iterations or 0 for attempt in error.plan.attempts)
        return f"[bold]{count}[/bold]"
    count = sum(attempt.iterations or 0 for attempt in plan.attempts)
    miss = f"{1e3 * plan.replay().tip_miss:.2g} mm"
    return f"{count}, {miss}" + (" (rounded)" if "rounded" in plan.status else "")


def main() -> None:
    warnings.simplefilter("ignore")
    if unknown := set(sys.argv[1:]) - set(tasks()):
        raise SystemExit(f"no objective {', '.join(sorted(unknown))}; there are {', '.join(tasks())}")
    table = Table("hung", "springs", "friction [N m]", "task", "rounded first", "directly", title="Plans with friction")
    for hung, springs, coulomb in product((False, True), (True, False), DRY):
        dae = arm(coulomb, hung=hung, springs=springs)
        for name in sys.argv[1:] or tasks():
            task = tasks()[name]
            found = [outcome(dae, task, rounds=rounds) for rounds in (True, False)]
            table.add_row(*("yes" if each else "no" for each in (hung, springs)), f"{coulomb:g}", name, *found)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
