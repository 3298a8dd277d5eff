"""Errors of reduced linear models: ``python -m benchmarks.reduction``."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks.errors import ComputationError


def arm(links: int = 2, elements: int = 7, damping: float = 0.005) -> fb.DAE:
    """Planar arm of finite elements with a payload; two links of 7 elements have 60 states."""
    model = fb.Model("arm")
    last: fb.Block = model.add(fb.Ground("ground"))
    for k in range(1, links + 1):
        joint, motor = model.add(fb.Revolute(f"joint{k}")), model.add(fb.TorqueSource(f"motor{k}"))
        mesh = fb.FiniteElements(elements)
        link = model.add(
            fb.FlexibleBeam(f"link{k}", 0.5, 0.2, 1.0, discretization=mesh, damping_ratio=damping, bending="y")
        )
        model.connect(motor.flange_b, joint.axis)
        model.connect(last.frame_b, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        last = link
    model.connect(last.frame_b, model.add(fb.Payload("payload", 0.1, 0.005)).frame_a)
    return fb.assemble(model)


def response(lin: fb.LinearModel, frequencies: np.ndarray) -> np.ndarray:
    """Return the transfer function (k, ny, nu) at frequencies (k,) [rad/s]."""
    identity = np.eye(len(lin.A))
    return np.array([lin.C @ np.linalg.solve(1j * w * identity - lin.A, lin.B) + lin.D for w in frequencies])


def main() -> None:
    table = Table("method", "damping ratio", "states", "largest error up to the third elastic mode")
    for damping in (0.005, 0.0):
        dae = arm(damping=damping)
        point = fb.equilibrium(dae, x={"joint1.angle": 0.0, "joint2.angle": 0.7})
        lin = fb.linearize(dae, point, outputs=("payload.x", "payload.y"))
        third = [mode.frequency for mode in lin.modes() if mode.eigenvalue != 0][2]
        frequencies = np.geomspace(0.1, third, 300) * (1 + 1e-6)
        whole = response(lin, frequencies)
        size = np.linalg.norm(whole, 2, axis=(1, 2))
        for method in ("residualized", "modal", "balanced"):
            try:
                reduced = fb.reduce(lin, 12, method)
            except ComputationError as error:
                table.add_row(method, f"{damping:g}", "", f"refused: {error}")
                continue
            error = np.linalg.norm(whole - response(reduced, frequencies), 2, axis=(1, 2)) / size
            states = f"{len(lin.states)} to {len(reduced.states)}"
            table.add_row(method, f"{damping:g}", states, f"{100 * np.max(error):.2f} %")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
