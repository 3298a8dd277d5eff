"""Assembly and right-hand side of an N-link arm against code written by hand, and assembly of N blocks.

``python -m benchmarks.assembly``
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
from benchmarks.lagrange_by_hand import forward_dynamics
from benchmarks.timing import best_of
from flexblocks import models
from flexblocks.errors import ModelWarning

GROWTH = (250, 500, 1000, 2000, 4000, 8000)
# Beams of which none carries what another does are evaluated one by one.
MOST_LOADS = 1000


def evaluation(function: ca.Function, arguments: list[np.ndarray], repeats: int = 2000) -> object:
    """Return a callable that evaluates a function many times without Python in between."""
    mapped = function.map(repeats)
    wide = [np.tile(np.reshape(a, (-1, 1)), repeats) for a in arguments]
    return lambda: mapped(*wide)


def serial_arm(blocks: int, link: Callable[[str], fb.Block]) -> fb.Model:
    """Return a chain of hinges and links."""
    model = fb.Model("chain", gravity=(0.0, -9.81, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in range(blocks // 2):
        joint, body = model.add(fb.Revolute(f"joint{i}")), model.add(link(f"link{i}"))
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, body.frame_a)
        place = body.frame_b
    return model


def growth(console: Console) -> None:
    """Print how the CPU time of assembling grows with the number of blocks."""
    kinds = {
        "rigid links": lambda name: fb.RigidLink(name, length=1.0, mass=1.0),
        "beams, free tip": lambda name: fb.FlexibleBeam(
            name, 1.0, 1.0, 100.0, discretization=fb.AssumedModes(2, tip="free"), bending="y"
        ),
        "beams, each under another load": lambda name: fb.FlexibleBeam(
            name, 1.0, 1.0, 100.0, discretization=fb.AssumedModes(2, tip="auto"), bending="y"
        ),
    }
    table = Table("blocks", *(column for kind in kinds for column in (f"{kind} [s]", "ratio")))
    table.title = "Assembling N blocks, and the ratio to N / 2"
    before = dict.fromkeys(kinds, 0.0)
    for blocks in GROWTH:
        row = [str(blocks)]
        for kind, link in kinds.items():
            if blocks > MOST_LOADS and kind == "beams, each under another load":
                row += ["", ""]
                continue
            model = serial_arm(blocks, link)
            start = time.process_time()
            fb.assemble(model)
            seconds = time.process_time() - start
            row += [f"{seconds:.3f}", f"{seconds / before[kind]:.1f}" if before[kind] else ""]
            before[kind] = seconds
        table.add_row(*row)
    console.print(table)


def main() -> None:
    warnings.simplefilter("ignore", ModelWarning)
    table = Table(
        "links", "blocks [ms]", "by hand [ms]", "ratio", "rhs [us]", "by hand [us]", "ratio", "operations", "by hand"
    )
    for links in range(1, 9):
        model = models.subudhi_morris_2002(links=links, joints="rigid", shapes="as-printed")
        build, by_hand = best_of(
            3, lambda m=model: fb.assemble(m).forward_dynamics, lambda n=links: forward_dynamics(n)
        )
        ours, theirs = fb.assemble(model).forward_dynamics, forward_dynamics(links)
        x, u = 0.1 * np.random.default_rng(0).normal(size=6 * links), np.ones(links)
        np.testing.assert_allclose(np.array(ours(x, u, [])), np.array(theirs(x, u)), rtol=1e-7, atol=1e-9)
        many = 2000
        rhs, rhs_by_hand = best_of(5, evaluation(ours, [x, u, np.zeros(0)], many), evaluation(theirs, [x, u], many))
        table.add_row(
            str(links),
            f"{1e3 * build:.0f}",
            f"{1e3 * by_hand:.0f}",
            f"{build / by_hand:.2f}",
            f"{1e6 * rhs / many:.2f}",
            f"{1e6 * rhs_by_hand / many:.2f}",
            f"{rhs / rhs_by_hand:.2f}",
            str(ours.n_instructions()),
            str(theirs.n_instructions()),
        )
    console = Console(width=120, markup=False)
    console.print(table)
    growth(console)


if __name__ == "__main__":
    main()
