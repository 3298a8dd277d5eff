"""A call of every public function that succeeds: what the fuzz of arguments starts from."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl

import flexblocks as fb
from flexblocks import control, export, models, optim, plot

mpl.use("Agg")


@dataclass(frozen=True)
class Call:
    """A public function with arguments that it takes; others have their defaults."""

    function: Callable[..., Any]
    arguments: Mapping[str, Any]

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters, without ``self``."""
        return list(inspect.signature(self.function).parameters)


def _arm() -> fb.Model:
    """Return an arm of two links, one of them flexible, with two motors."""
    model = fb.Model("arm", gravity=(0.0, -9.81, 0.0))
    inboard = model.add(fb.Ground("ground")).frame_b
    for i, fidelity in ((1, fb.Rigid()), (2, fb.AssumedModes(1, tip="free"))):
        motor, joint = model.add(fb.TorqueSource(f"motor{i}", limit=50.0)), model.add(fb.Revolute(f"joint{i}"))
        beam = {
            "length": 0.5,
            "linear_density": 0.2,
            "flexural_rigidity": 10.0,
            "bending": "y",
            "discretization": fidelity,
        }
        link = model.add(fb.FlexibleBeam(f"link{i}", **beam))
        model.connect(motor.flange_b, joint.axis)
        model.connect(inboard, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        inboard = link.frame_b
    model.connect(inboard, model.add(fb.Payload("payload", mass=0.1, inertia=0.005)).frame_a)
    return model


BLOCKS: Mapping[str, Mapping[str, Any]] = {
    "Accelerometer": {}, "Fixed": {}, "FixedTransform": {}, "FixedTranslation": {}, "Ground": {}, "Spherical": {},
    "ForceSensor": {},
    "Universal": {}, "Revolute": {}, "Prismatic": {}, "TorqueSource": {}, "ForceSource": {}, "Friction": {},
    "FlexibleBeam": {"length": 1.0, "linear_density": 1.0, "flexural_rigidity": 1.0},
    "SlidingBeam": {"length": 1.0, "linear_density": 1.0, "flexural_rigidity": 1.0},
    "Track": {"length": 1.0, "linear_density": 1.0, "flexural_rigidity": 1.0},
    "TranslationalSpring": {"stiffness": 1.0},
    "PulleyRope": {"lengths": [1.0, 1.0], "rigidity": 1.0, "radii": [0.1], "inertias": [0.1]},
    "FlexibleJoint": {"inertia": 1.0, "stiffness": 1.0}, "Gear": {"ratio": 2.0}, "LumpedMass": {"mass": 1.0},
    "PDServo": {"kp": 1.0}, "Payload": {"mass": 1.0}, "RigidBody": {"mass": 1.0, "inertia": 1.0},
    "RigidLink": {"length": 1.0}, "Rotor": {"inertia": 1.0}, "TorsionalSpring": {"stiffness": 1.0},
}  # fmt: skip


@cache
def calls() -> dict[str, Call]:
    """Return the calls by name; made once in a process."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    model = _arm()
    dae = fb.assemble(model, symbolic=("payload.mass",))
    rest = {"joint1.angle": 0.1, "joint2.angle": 0.2}
    at = fb.equilibrium(dae, rest)
    lin = fb.linearize(dae, at)
    grid = fb.linear_grid(dae, over={"joint1.angle": (0.1, 0.2)}, at={"joint2.angle": 0.2})
    motion = fb.simulate(dae, (0.0, 0.05), x0=rest)
    goal = {"joint1.angle": 0.3, "joint2.angle": 0.1}
    problem = optim.RestToRest(start=rest, goal=goal, duration=1.0)
    planned = optim.plan(dae, problem, intervals=5)
    compared = fb.compare(
        model, [fb.AssumedModes(1, tip="free"), fb.AssumedModes(2, tip="free")], t=(0.0, 0.02), frequencies=1
    )
    law = control.PD({"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}, kp=20.0, kd=3.0)
    closed = control.close_loop(dae, law)
    split = control.singular_perturbation(dae)
    poses = {"reference.joint1.angle": 0.1, "reference.joint2.angle": 0.2}
    moved = fb.simulate(closed, (0.0, 0.05), x0=rest, u=poses)
    model.save(folder / "arm.yaml")
    export.save_linear(lin, folder / "arm.json")
    export.save_grid(grid, folder / "grid.nc")
    motion.save(folder / "motion.csv")
    planned.save(folder / "plan.nc")
    axes = plot.eigenvalues(lin)
    table: dict[str, Call] = {}

    def call(label: str, function: Callable[..., Any], /, **arguments: Any) -> None:
        table[label] = Call(function, arguments)

    call("assemble", fb.assemble, model=model)
    call("bang_bang", fb.bang_bang, amplitude=1.0, width=0.5)
    call("change_coordinates", fb.change_coordinates, dae=fb.assemble(model), T=[[1.0, 0, 0], [0, 1, 0], [0, 0, 1]],
         names=("a", "b", "c"))  # fmt: skip
    call(
        "compare",
        fb.compare,
        model=model,
        discretizations=[fb.AssumedModes(1, tip="free")],
        t=(0.0, 0.02),
        frequencies=1,
    )
    call("denavit_hartenberg", fb.denavit_hartenberg, rows=[fb.DHRow(a=1.0)])
    call("equilibrium", fb.equilibrium, dae=dae, x=rest)
    call("linear_grid", fb.linear_grid, dae=dae, over={"joint1.angle": (0.1, 0.2)}, at={"joint2.angle": 0.2})
    call("linearize", fb.linearize, dae=dae, at=at, outputs=("payload.x",))
    call("load", fb.load, path=folder / "arm.yaml")
    call("piecewise_constant", fb.piecewise_constant, times=[0.0, 1.0], values=[0.0, 1.0])
    call("piecewise_linear", fb.piecewise_linear, times=[0.0, 1.0], values=[0.0, 1.0])
    call("rediscretize", fb.rediscretize, model=model, to=fb.AssumedModes(1, tip="free"))
    call("reduce", fb.reduce, lin=lin, states=2)
    run = {"t": (0.0, 0.02), "u": {"motor1.torque": 0.1}, "x0": rest, "p": {"payload.mass": 0.2}, "max_steps": 3000}
    call("simulate", fb.simulate, dae=dae, **run)
    call("simulate_batch", fb.simulate_batch, dae=dae, **{**run, "p": {"payload.mass": [0.1, 0.2]}})
    call("stiffen", fb.stiffen, model=model)
    call("Model", fb.Model, name="arm", gravity=(0.0, 0.0, -9.81))
    call("Model.add", _arm().add, block=fb.Ground("other"))
    call("Model.copy", model.copy, replace={"payload": fb.Payload("payload", mass=1.0)})
    call("Model.save", model.save, path=folder / "saved.yaml")
    call("DHRow", fb.DHRow, a=1.0)
    call("Signal", fb.Signal, function=lambda t: t)
    call("OperatingPoint.as_dict", at.as_dict)
    call("LinearGrid.at", grid.at, values={"joint1.angle": 0.15})
    for name in ("modes", "minimal", "report", "to_control"):
        call(f"LinearModel.{name}", getattr(lin, name))
    call("LinearModel.validity", lin.validity, dae=dae)
    call("LinearModel.check", lin.check, dae=dae)
    call("Trajectory.save", motion.save, path=folder / "m.csv")
    call("load a motion", fb.load, path=folder / "motion.csv")
    call("Trajectory.unit", motion.unit, name="payload.x")
    call("Trajectory.__getitem__", motion.__getitem__, name="payload.x")
    for name, arguments in BLOCKS.items():
        call(name, getattr(fb, name), name="block", **arguments)
    for name in ("AssumedModes", "FiniteElements", "RigidSegments", "StrainModes"):
        call(name, getattr(fb, name), n=2)
    call("Rigid", fb.Rigid)
    call("Tube", fb.Tube, outer=0.1, inner=0.05)
    call("Rectangle", fb.Rectangle, width=0.1, height=0.1)
    call("ISection", fb.ISection, height=0.2, width=0.1, web=0.01, flange=0.01)
    call("Material", fb.Material, density=7800.0, youngs_modulus=2.1e11)
    call("TipBody", fb.TipBody, mass=1.0)

    call("optim.RestToRest", optim.RestToRest, start=rest, goal=goal, duration=1.0, limits={"motor1.torque": 9.0})
    call("optim.Phase", optim.Phase, name="move", goal=goal, duration=1.0)
    call("optim.Problem", optim.Problem, start=rest, phases=[optim.Phase("move", goal=goal, duration=1.0)])
    call("optim.Via", optim.Via, values={"joint1.angle": 0.2}, fraction=0.5)
    call("optim.Cuboid", optim.Cuboid, low=(0.0, 0.0, 0.0), high=(1.0, 1.0, 1.0))
    call("optim.HalfSpace", optim.HalfSpace, point=(0.0, 0.0, 0.0), normal=(0.0, 1.0, 0.0))
    call("optim.Sphere", optim.Sphere, center=(0.0, 0.0, 0.0), radius=1.0)
    call("optim.Capsule", optim.Capsule, end_a=(0.0, 0.0, 0.0), end_b=(1.0, 0.0, 0.0), radius=1.0)
    call("optim.KeepApart", optim.KeepApart, links=("link1",), frames=("payload",), radius=0.1)
    call("optim.Follow", optim.Follow, frames="payload", points=((0.0, 0.0), (1.0, 0.0)), tolerance=0.1)
    call("optim.Upright", optim.Upright, frames="payload", tilt=0.1)
    call("optim.SpeedLimit", optim.SpeedLimit, frames="payload", speed=1.0)
    call("optim.KeepOut", optim.KeepOut, region=optim.Sphere((9.0, 0.0, 0.0), 1.0), frames=("payload",))
    call("optim.KeepIn", optim.KeepIn, region=optim.Sphere((0.0, 0.0, 0.0), 9.0), links=("link1",))
    call("optim.Within", optim.Within, expression="payload.x ** 2", low=0.0)
    call("optim.Integral", optim.Integral, expression="payload.x ** 2")
    call("optim.Final", optim.Final, expression="payload.x ** 2")
    call("optim.Tracking", optim.Tracking, paths={"joint1.angle": lambda t: t})
    for name in ("Effort", "Jerk", "Time", "Vibration"):
        call(f"optim.{name}", getattr(optim, name))
    call("optim.plan", optim.plan, dae=dae, problem=problem, intervals=4)
    call("optim.pyomo_model", optim.pyomo_model, dae=dae, problem=problem, intervals=4)
    call("optim.solve", optim.solve, model=optim.pyomo_model(dae, problem, intervals=4))
    call("optim.diagnose", optim.diagnose, model=optim.pyomo_model(dae, problem, intervals=4), max_iter=20)
    call("load a plan", fb.load, path=folder / "plan.nc")
    call("Plan.save", planned.save, path=folder / "p.nc")
    call("Plan.replay", planned.replay)
    call("Plan.audit", planned.audit)

    call("control.PD", control.PD, loops=law.loops, kp=1.0)
    call("control.PID", control.PID, loops=law.loops, kp=1.0, ki=1.0)
    call("control.LQR", control.LQR, Q=1.0, at=at)
    call("control.Luenberger", control.Luenberger, measured=("joint1.angle", "joint2.angle"), at=at)
    call("control.Kalman", control.Kalman, measured=("joint1.angle", "joint2.angle"), at=at)
    call("control.StateFeedback", control.StateFeedback, K=[[0.0] * 6] * 2, at=at)
    call("control.TimeVaryingLQR", control.TimeVaryingLQR, motion=motion, Q=1.0)
    call("control.OutputFeedback", control.OutputFeedback, law=control.LQR(1.0, at=at),
         observer=control.Kalman(("joint1.angle",), at=at))  # fmt: skip
    call("control.LQG", control.LQG, law=control.LQR(1.0, at=at), observer=control.Kalman(("joint1.angle",), at=at))
    call("control.ComputedTorque", control.ComputedTorque, kp=1.0, kd=1.0)
    call("control.Decoupling", control.Decoupling, coordinates=("joint1.angle", "joint2.angle"))
    call("control.FastFeedback", control.FastFeedback, split=split, K=[[0.0] * 2] * 2)
    call("control.Feedforward", control.Feedforward)
    call("control.GravityCompensation", control.GravityCompensation)
    call("control.Sum", control.Sum, laws=law)
    call("control.Sampled", control.Sampled, law=law, sample_time=0.01)
    call("control.Shaper", control.Shaper, times=(0.0, 0.1), amplitudes=(0.5, 0.5))
    call("control.Shaped", control.Shaped, law=law, shaper=control.ZV(10.0, 0.01))
    call("control.SlowFast", control.SlowFast, slow=law, fast=control.FastFeedback(split, [[0.0] * 2] * 2))
    for name in ("EI", "ZV", "ZVD"):
        call(f"control.{name}", getattr(control, name), mode=10.0, damping_ratio=0.01)
    for name in ("quintic", "cycloid"):
        call(f"control.{name}", getattr(control, name), start=0.0, goal=1.0, duration=1.0)
    call("control.close_loop", control.close_loop, dae=dae, law=law)
    call("control.follow", control.follow, closed=closed, wanted=motion)
    call("control.gain_schedule", control.gain_schedule, design=lambda at: [[at["a"]]], over={"a": (0.0, 1.0)})
    for name in ("margins", "open_loop"):
        call(f"control.{name}", getattr(control, name), dae=dae, law=law)
    call("control.monte_carlo", control.monte_carlo, closed=closed, p={"payload.mass": (0.1, 0.2)}, runs=2, u=poses)
    call("control.multipliers", control.multipliers, closed=control.close_loop(dae, control.Sampled(law, 0.01)))
    call("control.poles_along", control.poles_along, closed=closed, trajectory=moved, samples=2)
    call("control.reference", control.reference, motion=control.quintic(0.0, 1.0, 1.0))
    call("control.singular_perturbation", control.singular_perturbation, dae=dae)
    call("control.spillover", control.spillover, law=law, design=dae, finer=dae)
    call("control.time_scales", control.time_scales, split=split, along=[rest])

    call("export.c_code", export.c_code, dae=dae, path=folder / "arm.c")
    call("export.equations", export.equations, dae=dae, form="latex")
    call("export.fmu", export.fmu, dae=dae, path=folder / "arm.fmu", binary=False)
    call("load a grid", fb.load, path=folder / "grid.nc")
    call("load a linear model", fb.load, path=folder / "arm.json")
    call("export.save_equations", export.save_equations, dae=dae, path=folder / "arm.tex")
    call("export.save_grid", export.save_grid, grid=grid, path=folder / "g.nc")
    call("export.save_linear", export.save_linear, lin=lin, path=folder / "l.json")

    call("plot.arm", plot.arm, dae=dae)
    call("plot.comparison", plot.comparison, result=compared)
    call("plot.eigenvalues", plot.eigenvalues, lin=lin)
    call("plot.mode", plot.mode, dae=dae, lin=lin, number=1)
    call("plot.modes", plot.modes, dae=dae, lin=lin)
    call("plot.model", plot.model, model=model)
    call("plot.plan", plot.plan, plan=planned)
    call("plot.region", plot.region, region=optim.Sphere((0.0, 0.0, 0.0), 1.0), ax=axes)
    call("plot.save", plot.save, ax=axes, path=folder / "a.png")
    call("plot.snapshots", plot.snapshots, dae=dae, traj=motion)
    call("plot.stacked", plot.stacked, traj=motion, groups=["payload.x"])
    call("plot.time_series", plot.time_series, traj=motion, names="payload.x")
    call("models.subudhi_morris_2002", models.subudhi_morris_2002)
    call("models.theodore_ghosal_1995", models.theodore_ghosal_1995)
    call("models.yu_chen_2019", models.yu_chen_2019)
    return table
