"""Time of one evaluation of the accelerations of an N-link arm: ``python -m benchmarks.right_hand_side``.

flexblocks has the arm of Yu & Chen with a joint and two modes a link; MuJoCo and Pinocchio have its lumped counterpart
with a joint and two springs a link (`benchmarks.lumped_arm`), that is as many coordinates, three times as many bodies.
No time contains Python's loop:

* flexblocks evaluates a function mapped over 1000 states, in CasADi's virtual machine (VM) and compiled.
* MuJoCo takes 250 Runge-Kutta steps with `mujoco.rollout`, four evaluations each; contacts and constraints are off.
* Pinocchio's ``aba`` is called 1000 times from Python. The time of as many calls for an arm of no joints is taken off.
  It has no springs: they would be added to the torques by the caller, at a cost that is not counted.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.competitors import installed
from benchmarks.lumped_models import lumped_yu_chen
from benchmarks.timing import best_of
from flexblocks import models

LINKS = (1, 2, 5, 10, 20)
EVALUATIONS = 1000
RUNS = 20


def state(links: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return small coordinates, rates and torques."""
    rng = np.random.default_rng(links)
    return 0.01 * rng.normal(size=3 * links), 0.1 * rng.normal(size=3 * links), np.ones(links)


def mapped(function: ca.Function, links: int) -> Callable[[], object]:
    """Return a call that evaluates a right-hand side (x, u, p) at as many states as there are evaluations."""
    q, v, u = state(links)
    wide = [np.tile(column[:, None], EVALUATIONS) for column in (np.concatenate([q, v]), u, np.zeros(0))]
    many = function.map(EVALUATIONS)
    return lambda: many(*wide)


def mujoco_rollout(links: int) -> Callable[[], object]:
    import mujoco
    from mujoco import rollout

    from benchmarks.mujoco_arm import mujoco_model

    model = mujoco_model(lumped_yu_chen(links), step=1e-6)
    data = mujoco.MjData(model)
    data.qpos, data.qvel, torque = state(links)
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, start, kind)
    control = np.tile(torque, (1, EVALUATIONS // 4, 1))
    return lambda: rollout.rollout(model, data, start[None], control)


def pinocchio_calls(links: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return the calls for an arm, and as many for an arm of no joints."""
    import pinocchio as pin

    from benchmarks.pinocchio_arm import pinocchio_model

    def calls(model: pin.Model, q: np.ndarray, v: np.ndarray, torque: np.ndarray) -> Callable[[], object]:
        data, aba = model.createData(), pin.aba

        def run() -> None:
            for _ in range(EVALUATIONS):
                aba(model, data, q, v, torque)

        return run

    q, v, _ = state(links)
    nothing = np.zeros(0)
    return calls(pinocchio_model(lumped_yu_chen(links)), q, v, q), calls(pin.Model(), nothing, nothing, nothing)


def check_lumped_arms(links: int = 3) -> None:
    """Check that MuJoCo's and Pinocchio's arms have the same accelerations, so that their times are comparable."""
    import mujoco
    import pinocchio as pin

    from benchmarks.mujoco_arm import mujoco_model
    from benchmarks.pinocchio_arm import pinocchio_model

    arm, (q, v, torque) = lumped_yu_chen(links), state(links)
    model = mujoco_model(arm, step=1e-3)
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.ctrl = q, v, torque
    mujoco.mj_forward(model, data)
    force = -arm.stiffness * q
    force[arm.joints] += torque
    other = pinocchio_model(arm)
    accelerations = pin.aba(other, other.createData(), q, v, force)
    np.testing.assert_allclose(accelerations, data.qacc, rtol=1e-9, atol=1e-9 * np.abs(data.qacc).max())


def main() -> None:
    console = Console(width=120, markup=False)
    there = installed("mujoco", "pin", console=console)
    if len(there) == 2:
        check_lumped_arms()
    table = Table("links", "coord.", "instr.", "VM", "compiled", "/VM", title="One evaluation [us], and ratios")
    for name in ["MuJoCo"] * ("mujoco" in there) + ["Pinocchio"] * ("pin" in there):
        for heading in (name, "/VM", "/compiled"):
            table.add_column(heading)
    for links in LINKS:
        dae = fb.assemble(models.yu_chen_2019(links=links, shapes="clamped-free"))
        things = [mapped(dae.forward_dynamics, links), mapped(dae.compile(strict=True).forward_dynamics, links)]
        if "mujoco" in there:
            things.append(mujoco_rollout(links))
        if "pin" in there:
            things += pinocchio_calls(links)
        interpreted, compiled, *others = (1e6 * seconds / EVALUATIONS for seconds in best_of(RUNS, *things))
        if "pin" in there:
            empty = others.pop()
            others[-1] -= empty
        times = [f"{interpreted:.2f}", f"{compiled:.2f}", f"{compiled / interpreted:.2f}"]
        for other in others:
            times += [f"{other:.2f}", f"{other / interpreted:.2f}", f"{other / compiled:.1f}"]
        table.add_row(str(links), str(3 * links), str(dae.forward_dynamics.n_instructions()), *times)
    console.print(table)


if __name__ == "__main__":
    main()
