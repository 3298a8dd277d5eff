"""Accelerations of a chain of rods that bend far, beside SoRoMoX: ``python -m benchmarks.soft_rods``.

A hinge and two curvature functions (Legendre) a link, round rods of silicone under gravity, the same strains in both:
SoRoMoX 0.5 (geometric variable strain in JAX, on the CPU, in double precision) and `fb.StrainModes(2)`. Neither time
contains Python's loop: flexblocks evaluates a function mapped over states, in CasADi's virtual machine and compiled;
SoRoMoX a ``jax.lax.map`` over them, and with ``jax.vmap``, which does many states at once, for comparison.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.competitors import installed
from benchmarks.timing import best_of

LINKS = (1, 2, 5)
STATES = 100
RUNS = 4
# Gauss points of a link in SoRoMoX, which takes no fewer; by default flexblocks has three for two functions.
POINTS = 5


@dataclass(frozen=True)
class SoftRod:
    """A round rod of silicone.

    Attributes
    ----------
    length, radius : float
        [m]
    density, youngs_modulus, gravity : float
        [kg/m3], [Pa], [m/s2]
    """

    length: float = 0.3
    radius: float = 0.01
    density: float = 1100.0
    youngs_modulus: float = 2e6
    gravity: float = 9.81

    @property
    def area(self) -> float:
        return np.pi * self.radius**2

    @property
    def second_moment(self) -> float:
        return np.pi * self.radius**4 / 4


def chain(links: int, rod: SoftRod, points: int | None = None) -> fb.DAE:
    """Return the chain; its sections have rotary inertia, as SoRoMoX' have."""
    model = fb.Model("rods", gravity=(0.0, -rod.gravity, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in range(links):
        joint = model.add(fb.Revolute(f"joint{i}"))
        beam = model.add(
            fb.FlexibleBeam(
                f"link{i}",
                rod.length,
                rod.density * rod.area,
                rod.youngs_modulus * rod.second_moment,
                fb.StrainModes(2, points=points),
                rotary_inertia=True,
                section_inertia=rod.density * rod.second_moment,
                bending="y",
            )
        )
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, beam.frame_a)
        place = beam.frame_b
    return fb.assemble(model)


def states(links: int) -> np.ndarray:
    """Return states (STATES, 6 links): coordinates of a radian, and rates."""
    rng = np.random.default_rng(links)
    return np.hstack([rng.normal(size=(STATES, 3 * links)), rng.normal(size=(STATES, 3 * links))])


def accelerations(dae: fb.DAE, x: np.ndarray) -> np.ndarray:
    """Return the accelerations (STATES, n) at states (STATES, 2 n)."""
    rates = dae.forward_dynamics.map(len(x))(x.T, np.zeros((0, len(x))), np.zeros((0, len(x)))).full()
    return rates[dae.tree.size : 2 * dae.tree.size].T


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the median over states of the largest difference, relative to the largest acceleration."""
    return float(np.median(np.abs(one - other).max(axis=1) / np.abs(other).max(axis=1)))


def main() -> None:
    console = Console(width=140, markup=False)
    there = installed("soromox", console=console)
    rod = SoftRod()
    table = Table("links", "instr.", "VM", "compiled", "VM, 5 points", title="One evaluation [us], and ratios")
    headings = (
        "SoRoMoX",
        "/VM",
        "/compiled",
        "/VM, 5 points",
        "vmap",
        "compiling [s]",
        "3 points differ by",
        "5 points",
    )
    for heading in headings if there else ():
        table.add_column(heading)
    for links in LINKS:
        x, dae, finer = states(links), chain(links, rod), chain(links, rod, POINTS)
        wide = [x.T.copy(), np.zeros((0, STATES)), np.zeros((0, STATES))]
        functions = [each.forward_dynamics.map(STATES) for each in (dae, dae.compile(strict=True), finer)]
        calls = [lambda f=f, wide=wide: f(*wide) for f in functions]
        extra = []
        if there:
            import jax

            from benchmarks.soromox_arm import soromox_accelerations

            one = soromox_accelerations(links, rod, POINTS)
            each, together = jax.jit(lambda x, one=one: jax.lax.map(one, x)), jax.jit(jax.vmap(one))
            start = time.process_time()
            theirs = np.asarray(each(x))
            extra = [f"{time.process_time() - start:.1f}"]
            together(x).block_until_ready()
            calls += [lambda f=f, x=x: f(x).block_until_ready() for f in (each, together)]
            extra += [f"{difference(accelerations(own, x), theirs):.0e}" for own in (dae, finer)]
        vm, compiled, with_more, *others = (1e6 * seconds / STATES for seconds in best_of(RUNS, *calls))
        row = [str(links), str(dae.forward_dynamics.n_instructions())]
        row += [f"{each:.2f}" for each in (vm, compiled, with_more)]
        if others:
            one_by_one, at_once = others
            row += [f"{one_by_one:.0f}", *(f"{one_by_one / each:.0f}" for each in (vm, compiled, with_more))]
            row += [f"{at_once:.0f}", *extra]
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    main()
