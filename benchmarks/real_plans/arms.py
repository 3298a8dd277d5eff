"""Arms of the literature and of the trades, each with the motions that its engineer would plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import flexblocks as fb
from benchmarks.real_plans.desk_arm import desk_arm
from benchmarks.real_plans.torque_boom import torque_boom
from flexblocks import models, optim


@dataclass(frozen=True)
class Arm:
    """An arm with a motion between two postures.

    Attributes
    ----------
    make : callable
        Returns the model.
    start, goal : dict of float
        Of the driven coordinates.
    duration : float
        [s].
    tip : str
        The frame that does the work.
    strength : dict of float
        Limits of the inputs in the shortest time; an input rises to its limit in a tenth of `duration`.
    load : (str, float, float)
        The parameter that differs from load to load, and two values of it.
    objective, limits
        Of every motion but the shortest time.
    leeway : float
        Energy that may be left at the goal [J], where more modes than inputs would have to be brought to rest.
    intervals : int
    axes : str
        In which the tip can be put.
    turns : bool
        Whether there are joints enough for an orientation at a place.
    locked : dict of float
        Coordinates that are held.
    """

    make: Callable[[], fb.Model]
    start: Mapping[str, float]
    goal: Mapping[str, float]
    duration: float
    tip: str
    strength: Mapping[str, float]
    load: tuple[str, float, float]
    objective: Any = "effort"
    limits: Mapping[str, Any] = field(default_factory=dict)
    leeway: float = 0.0
    intervals: int = 30
    axes: str = "xy"
    turns: bool = False
    locked: Mapping[str, float] = field(default_factory=dict)

    def assembled(self, symbolic: tuple[str, ...] = ()) -> fb.DAE:
        """Return the DAE of the arm, with parameters left symbolic."""
        return fb.assemble(self.make(), symbolic=symbolic, locked=dict(self.locked))


def _angles(*values: float) -> dict[str, float]:
    return {f"joint{i}.angle": value for i, value in enumerate(values, 1)}


def _torques(*values: float) -> dict[str, float]:
    return {f"motor{i}.torque": value for i, value in enumerate(values, 1)}


def _revolutes(*values: float) -> dict[str, float]:
    return {f"joint{i}.angle": value for i, value in enumerate(values, 1)}


SPACE_GOAL = {
    "shoulder_yaw": -0.5, "shoulder_pitch": -0.9, "elbow_pitch": 1.4, "wrist_pitch": -0.5, "wrist_yaw": 0.4,
    "wrist_roll": 0.3,
}  # fmt: skip
SPACE_START = dict.fromkeys(SPACE_GOAL, 0.0) | {"shoulder_pitch": -0.6, "elbow_pitch": 0.9}
BOOM_TORQUES = _torques(1.5e6, 8e5, 3e5, 8e4)
BASE = [f"base.{kind}_{axis}" for kind in ("displacement", "rotation") for axis in "xyz"]
CRANE_SIZES = {"slewing_motor.torque": 100.0, "luffing_rope.speed": 1.0, "hoist_rope.speed": 1.0}


def _space_arm(**locked: float) -> Arm:
    return Arm(
        lambda: models.space_arm(start=SPACE_START),
        {f"{name}.angle": angle for name, angle in SPACE_START.items()},
        {f"{name}.angle": angle for name, angle in SPACE_GOAL.items()},
        40.0,
        "payload",
        strength={f"{name}_motor.torque": 1.0 for name in SPACE_GOAL},
        load=("payload.mass", 1000.0, 2000.0),
        # Twelve elastic modes, far faster than the mesh, cannot each be brought to exact rest by six motors; without
        # limits on rates the least effort spins the arm round: 2.5 times the mean ones, of which a quintic needs 1.9.
        leeway=1e-4,
        limits={f"der({name}.angle)": 2.5 * abs(SPACE_GOAL[name] - SPACE_START[name]) / 40.0 for name in SPACE_GOAL},
        intervals=20,
        axes="xyz",
        turns=True,
        locked=locked,
    )


ARMS: dict[str, Arm] = {
    "two links (Subudhi & Morris)": Arm(
        models.subudhi_morris_2002, _angles(0.0, 0.0), _angles(math.pi / 2, math.pi / 6), 2.0, "payload",
        strength=_torques(1.0, 0.5), load=("payload.mass", 0.1, 0.2),
    ),
    "RRP (Theodore & Ghosal)": Arm(
        lambda: models.theodore_ghosal_1995(shapes="fixed"),
        _angles(0.0, 0.3) | {"link3.displacement": 0.3}, _angles(0.8, 0.9) | {"link3.displacement": 0.7}, 2.0,
        "payload", strength={"motor1.torque": 5.0, "motor2.torque": 20.0, "motor3.force": 20.0},
        load=("payload.mass", 0.05, 0.15), axes="xyz",
    ),
    "three links (Yu & Chen)": Arm(
        lambda: models.yu_chen_2019(links=3), _angles(0.8, -0.8, 0.0), _angles(0.3, -0.3, 0.6), 2.0, "mass3",
        strength=_torques(150.0, 60.0, 20.0), load=("mass3.mass", 0.05, 0.15), intervals=60, turns=True,
    ),
    "pump boom, cylinders": Arm(
        lambda: models.concrete_pump(valves="ideal"), _angles(0.9, -0.5, -0.6, -0.5), _angles(0.6, -0.2, -0.9, -0.3),
        20.0, "hose", strength={f"ram{i}.valve": 0.5 for i in range(1, 5)}, load=("hose.mass", 60.0, 120.0),
        intervals=40, turns=True,
    ),
    "pump boom, torques": Arm(
        torque_boom, _angles(0.9, -0.5, -0.6, -0.5), _angles(0.6, -0.2, -0.9, -0.3), 20.0, "hose",
        strength=BOOM_TORQUES, load=("hose.mass", 60.0, 120.0), intervals=40, turns=True,
        # Least effort lets the boom fall, as that spares holding it, and swings it up again: with 107 kJ at most, not
        # with the 30 J of the smoothest torques. Each is taken over its own size.
        objective=optim.Integral(" + ".join(f"(der({name}) / {most})**2" for name, most in BOOM_TORQUES.items())),
    ),
    "luffing crane": Arm(
        models.hoist_crane, {"slewing.angle": 0.0, "luffing.angle": 0.5, "load_z.displacement": 2.0},
        {"slewing.angle": 1.2, "luffing.angle": 0.9, "load_z.displacement": 10.0}, 30.0, "load",
        strength={"slewing_motor.torque": 150.0, "luffing_rope.speed": 0.8, "hoist_rope.speed": 1.0},
        # Torques of 100 N m and winches at 0.5 m/s do not compare as they are.
        objective=optim.Effort(rate_weight=4.0, relative_to=CRANE_SIZES),
        limits={"der(luffing_rope.speed)": 1.0, "der(hoist_rope.speed)": 0.5, "der(slewing_motor.torque)": 100.0},
        load=("load.mass", 1500.0, 3000.0), intervals=60, axes="xyz",
    ),
    "space arm, fixed": _space_arm(**dict.fromkeys(BASE, 0.0)),
    "space arm, floating": _space_arm(),
    "tendon arm": Arm(
        models.tendon_arm, {"tool.y": 0.0, "lower.tension": 2.0}, {"tool.y": 0.05, "lower.tension": 2.0}, 2.0, "tool",
        strength={"upper.speed": 0.05, "lower.speed": 0.05}, load=("tool.mass", 2e-3, 4e-3), intervals=40, axes="y",
        objective=optim.Effort(rate_weight=0.04),
    ),
    "desk arm": Arm(
        desk_arm, _revolutes(0.0, 0.4, -0.8), _revolutes(1.2, 0.8, -0.3), 0.6, "payload",
        strength={f"joint{i}.motor.torque": 0.4 for i in (1, 2, 3)},
        load=("payload.mass", 0.02, 0.05), axes="xyz",
    ),
}  # fmt: skip
