"""Time to linearise an arm once: ``python -m benchmarks.linearization``.

`flexblocks.linearize` takes the derivatives of inverse dynamics, a column at a time, and the mass matrix from them.
Beside it the two other ways to the same matrices: differentiating the expression of M^-1 (Q - h) ("closed form"), and
the expressions of the derivatives of inverse dynamics with what they have in common ("expressions"). CPU time of a new
DAE, its assembly not counted, everything else derived anew; the matrices are compared before.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import casadi as ca
import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks.statics.balance import motion_residuals

RUNS = 3
# The closed form of more coordinates than these takes minutes.
MOST = 24


def boom(discretization: object, links: int = 4) -> fb.Model:
    """A boom of tapered beams with driven hinges in a vertical plane, 200 kg at its tip."""
    model = fb.Model("boom", gravity=(0.0, -9.81, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in range(1, links + 1):
        motor, rotor = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Rotor(f"rotor{i}", inertia=20.0))
        joint = model.add(fb.Revolute(f"joint{i}"))
        beam = fb.FlexibleBeam(
            f"beam{i}",
            length=5.0,
            linear_density=lambda x: 60.0 - 6.0 * x,
            flexural_rigidity=lambda x: 4e7 * (1 - 0.15 * x),
            discretization=discretization,
            bending="y",
        )
        model.add(beam)
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, beam.frame_a)
        place = beam.frame_b
    model.connect(place, model.add(fb.Payload("payload", mass=200.0)).frame_a)
    return model


def spatial() -> fb.Model:
    """Six hinges about z, y, y, x, y, x, with two beams that bend in both planes and in torsion."""
    model = fb.Model("spatial arm", gravity=(0.0, 0.0, -9.81))
    place = model.add(fb.Ground("ground")).frame_b
    for i, axis in enumerate(((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)), 1):
        motor, joint = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Revolute(f"joint{i}", axis=axis))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        place = joint.frame_b
        body = fb.RigidLink(f"link{i}", length=0.15, mass=1.5, inertia=np.diag([2e-3, 4e-3, 4e-3]))
        if i in (2, 3):
            body = fb.FlexibleBeam(
                f"link{i}", 0.8, 3.0, 2e3, discretization=fb.AssumedModes(2, tip="free"), bending="yz", torsion=True,
                torsional_rigidity=1e3, polar_inertia=1e-3,
            )  # fmt: skip
        model.add(body)
        model.connect(place, body.frame_a)
        place = body.frame_b
    model.connect(place, model.add(fb.Payload("payload", mass=2.0, inertia=(0.01, 0.01, 0.01))).frame_a)
    return model


ARMS: dict[str, Callable[[], fb.Model]] = {
    "boom, 2 modes a link": lambda: boom(fb.AssumedModes(2, tip="free")),
    "boom, 4 elements a link": lambda: boom(fb.FiniteElements(4)),
    "boom, 8 segments a link": lambda: boom(fb.RigidSegments(8)),
    "spatial arm of 6 joints": spatial,
}


def posture(dae: fb.DAE) -> dict[str, float]:
    return {name: 0.3 for name in dae.q_names if name.endswith(".angle") and name.startswith("joint")}


def linearized(dae: fb.DAE) -> tuple[np.ndarray, np.ndarray]:
    lin = fb.linearize(dae, posture(dae), outputs=())
    return lin.A, lin.B


def closed_form(dae: fb.DAE) -> tuple[np.ndarray, np.ndarray]:
    a = ca.solve(ca.densify(dae.expressions.mass), dae.expressions.applied - dae.expressions.bias)
    x, u = dae.x.symbol, dae.u.symbol
    rates = ca.vertcat(dae.v, a)
    function = ca.Function("closed", [x, u], [ca.jacobian(rates, x), ca.jacobian(rates, u)])
    A, B = function(dae.x.values(posture(dae), ""), np.zeros(len(dae.u)))
    return A.full(), B.full()


def expressions(dae: fb.DAE) -> tuple[np.ndarray, np.ndarray]:
    f = motion_residuals(dae)
    x, z, u, p, a, forces = f.sx_in()
    r = f(x, z, u, p, a, forces)
    J = [ca.jacobian(r, group) for group in (x, u, a)]
    function = ca.Function("expressions", [x, u, a], ca.cse([r, *J]))
    at, n = dae.x.values(posture(dae), ""), dae.tree.size
    _, _, _, M = (value.full() for value in function(at, 0.0, 0.0))
    r = function(at, 0.0, 0.0)[0].full()
    _, of_x, of_u, _ = (value.full() for value in function(at, 0.0, -np.linalg.solve(M, r)))
    A = np.vstack([np.eye(2 * n)[n:], -np.linalg.solve(M, of_x)])
    return A, np.vstack([np.zeros((n, len(dae.u))), -np.linalg.solve(M, of_u)])


def cpu_time(way: Callable[[fb.DAE], object], model: fb.Model) -> float:
    """Return the shortest CPU time [s] of a way, each time on a new DAE."""
    best = np.inf
    for _ in range(RUNS):
        dae = fb.assemble(model)
        start = time.process_time()
        way(dae)
        best = min(best, time.process_time() - start)
        if best > 1.0:
            break
    return best


def main() -> None:
    warnings.simplefilter("ignore", fb.FlexblocksWarning)
    table = Table("arm", "states", "linearize [s]", "closed form [s]", "ratio", "expressions [s]", "ratio")
    table.title = "CPU time of one linearisation"
    for name, make in ARMS.items():
        model = make()
        dae = fb.assemble(model)
        ours, row = linearized(dae), []
        seconds = cpu_time(linearized, model)
        for way in (closed_form, expressions):
            if way is closed_form and dae.tree.size > MOST:
                row += ["", ""]
                continue
            for first, second in zip(ours, way(dae), strict=True):
                np.testing.assert_allclose(first, second, rtol=1e-6, atol=1e-9 * np.abs(second).max())
            other = cpu_time(way, model)
            row += [f"{other:.3f}", f"{other / seconds:.1f}"]
        table.add_row(name, str(len(dae.x)), f"{seconds:.3f}", *row)
    Console(width=120, markup=False).print(table)


if __name__ == "__main__":
    main()
