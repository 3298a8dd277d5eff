"""Time to derive the equations of an N-link arm: ``python -m benchmarks.derivation``.

The arm of Yu & Chen with clamped-free shapes: a joint with a torque and two modes a link, gravity, lumped masses at the
ends. SymPy starts from kinematics written by hand (`benchmarks.sympy_arm`); that both give the same accelerations is
checked before any time is taken.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.competitors import installed
from benchmarks.time_limit import within
from benchmarks.timing import best_of
from flexblocks import models
from flexblocks.models import yu_chen

LIMIT = 120.0  # for one case of SymPy [s]
RECURSIVE = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50)
SYMBOLIC = range(1, 9)
BY_SYMPY = range(1, 4)

# Yu & Chen, Shock and Vibration 2019, 5627271, Table 1 [s], on their machine with their computer algebra system.
PUBLISHED = {
    "Yu & Chen": {1: 0.36, 2: 0.92, 3: 4.21, 4: 21.3, 5: 114.6},
    "traditional": {1: 41.63, 2: 106.28, 3: 212.57, 4: 365.28, 5: 1316.45},
}


def arm(links: int) -> fb.Model:
    return models.yu_chen_2019(links=links, shapes="clamped-free")


def closed_form(model: fb.Model) -> int:
    """Derive M and h with every parameter a symbol; return their number of nonzeros."""
    dae = fb.assemble(model, symbolic="all", dynamics="closed-form")
    return dae.expressions.mass.nnz() + dae.expressions.bias.nnz()


def recursive_times(console: Console) -> None:
    table = Table("links", "assembled [ms]", "+ right-hand side [ms]", "a link [ms]", "instructions", "a link")
    table.title = "flexblocks, recursive, numbers folded in"
    for links in RECURSIVE:
        model = arm(links)
        assembled, derived = best_of(
            5 if links <= 20 else 2,
            lambda m=model: fb.assemble(m),
            lambda m=model: fb.assemble(m).forward_dynamics,
        )
        count = fb.assemble(model).forward_dynamics.n_instructions()
        table.add_row(
            str(links),
            f"{1e3 * assembled:.0f}",
            f"{1e3 * derived:.0f}",
            f"{1e3 * derived / links:.1f}",
            str(count),
            f"{count / links:.0f}",
        )
    console.print(table)


def symbolic_times(console: Console, with_sympy: bool) -> None:
    methods = _methods() if with_sympy else ()
    table = Table("links", "flexblocks [s]")
    table.title = "M and h in closed form, every parameter a symbol; SymPy's methods, Table 1, and ratios to flexblocks"
    for name in (*(method.removesuffix("sMethod") for method in methods), *PUBLISHED):
        table.add_column(f"{name} [s]")
        table.add_column("ratio")
    for links in SYMBOLIC:
        (ours,) = best_of(3, lambda n=links: closed_form(arm(n)))
        row = [str(links), f"{ours:.3f}"]
        for method in methods:
            row += _sympy_cells(method, links, ours) if links in BY_SYMPY else ["", ""]
        for published in PUBLISHED.values():
            row += [f"{published[links]:g}", f"{published[links] / ours:.0f}"] if links in published else ["", ""]
        table.add_row(*row)
    console.print(table)
    console.print(
        "Times of Yu & Chen are printed ones of 2019, on another machine, by another program: see the orders only."
    )


def _methods() -> tuple[str, ...]:
    """Return SymPy's methods, after a check that their accelerations agree with flexblocks'."""
    from benchmarks.sympy_arm import METHODS, accelerations

    rng, parameters = np.random.default_rng(0), []
    for i in (1, 2):
        data = yu_chen.link_data(i)
        parameters += [data.length, data.mass, data.rigidity, data.lumped_mass]
    q, v, u = 0.1 * rng.normal(size=6), rng.normal(size=6), rng.normal(size=2)
    ours = fb.assemble(arm(2)).forward_dynamics(np.concatenate([q, v]), u, []).full().ravel()[6:]
    for method in METHODS:
        theirs = accelerations(method, 2, q, v, u, np.array(parameters), yu_chen.GRAVITY)
        np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-9 * np.abs(ours).max())
    return METHODS


def _sympy_cells(method: str, links: int, ours: float) -> list[str]:
    from benchmarks.sympy_arm import derivation

    seconds = within(LIMIT, derivation, method, links)
    if seconds is None:
        return [f"> {LIMIT:g}", f"> {LIMIT / ours:.0f}"]
    return [f"{seconds:.2f}", f"{seconds / ours:.0f}"]


def main() -> None:
    console = Console(width=120, markup=False)
    there = installed("sympy", console=console)
    recursive_times(console)
    symbolic_times(console, with_sympy="sympy" in there)


if __name__ == "__main__":
    main()
