"""Error against cost of each beam fidelity at three levels of load, drawn for docs/benchmarks/beam_fidelity.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import flexblocks as fb
from flexblocks.beam.discretization import Discretization
from flexblocks.dae.operation_counts import operation_counts
from flexblocks.validity.large_deflections import without_warning

# Dead end forces P l^2/(EI): the tip deflects by 3 %, 30 % and 71 % of the length.
LOADS = (0.1, 1.0, 5.0)
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "beam_fidelity.png"


@dataclass(frozen=True)
class Family:
    """A kind of discretisation with its sizes, as it is drawn."""

    name: str
    kinds: tuple[Discretization, ...]
    marker: str
    stiffening: bool = False


FAMILIES = (
    Family("AssumedModes(1 ... 4)", tuple(fb.AssumedModes(n, tip="free") for n in (1, 2, 3, 4)), "o"),
    Family("the same, stiffening", tuple(fb.AssumedModes(n, tip="free") for n in (1, 2, 3, 4)), "s", True),
    Family("FiniteElements(1, 2, 4)", tuple(fb.FiniteElements(n) for n in (1, 2, 4)), "^"),
    Family("the same, stiffening", tuple(fb.FiniteElements(n) for n in (1, 2, 4)), "v", True),
    Family("RigidSegments(2, 4, 8, 16)", tuple(fb.RigidSegments(n) for n in (2, 4, 8, 16)), "D"),
    Family("StrainModes(1 ... 6)", tuple(fb.StrainModes(n) for n in (1, 2, 3, 4, 5, 6)), "*"),
)


def elastica_tip(load: float) -> np.ndarray:
    """Return the place (2) of the tip, in lengths, under a dead force across the straight beam, P l^2/(EI)."""

    def end(curvature: float) -> np.ndarray:
        def rates(_: float, state: np.ndarray) -> list[float]:
            angle, bent, _, _ = state
            return [bent, -load * np.cos(angle), np.cos(angle), np.sin(angle)]

        return solve_ivp(rates, (0.0, 1.0), [0.0, curvature, 0.0, 0.0], rtol=1e-12, atol=1e-13).y[:, -1]

    curvature = brentq(lambda k: end(k)[1], 0.0, load, xtol=1e-13)
    return end(float(np.asarray(curvature)))[2:]


def _beam(kind: Discretization, stiffening: bool) -> fb.FlexibleBeam:
    return fb.FlexibleBeam("beam", 1.0, 1e-6, 1.0, kind, stiffening=stiffening, bending="y")


def tip_error(kind: Discretization, stiffening: bool, load: float) -> float:
    """Return how far the tip of a cantilever is from the elastica's, in lengths."""
    model = fb.Model("cantilever")
    beam = model.add(_beam(kind, stiffening))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.LumpedMass("tip", 1e-6)).frame_a)
    model.connect(beam.frame_b, model.add(fb.WorldForce("pull")).frame_a)
    dae = fb.assemble(model)
    point = fb.equilibrium(dae, u={"pull.force_x": 0.0, "pull.force_y": load, "pull.force_z": 0.0})
    y = dae.output(point.x, point.u, point.p).full().ravel()
    tip = np.array([y[dae.y.index(f"tip.{axis}")] for axis in "xy"])
    return float(np.linalg.norm(tip - elastica_tip(load)))


def cost(kind: Discretization, stiffening: bool) -> int:
    """Return the operations of forward dynamics of the beam on a hinge, with a body at its tip."""
    model = fb.Model("swing", gravity=(0.0, -9.81, 0.0))
    joint, beam = model.add(fb.Revolute("joint")), model.add(replace(_beam(kind, stiffening), linear_density=0.2))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.Payload("load", 0.1, 1e-3)).frame_a)
    return operation_counts(fb.assemble(model).forward_dynamics)["total"]


def load_lines() -> Iterator[str]:
    """Draw the picture, and yield its numbers as a table in Markdown."""
    import matplotlib.pyplot as plt

    heads = [f"P l^2/(EI) = {load:g}" for load in LOADS]
    yield f"| | operations | {' | '.join(heads)} |"
    yield "|---|---|" + "---|" * len(LOADS)
    figure, axes = plt.subplots(1, len(LOADS), figsize=(11.0, 4.4), sharey=True, layout="constrained")
    for family in FAMILIES:
        with without_warning():
            costs = [cost(kind, family.stiffening) for kind in family.kinds]
            errors = [[tip_error(kind, family.stiffening, load) for load in LOADS] for kind in family.kinds]
        for kind, operations, row in zip(family.kinds, costs, errors, strict=True):
            name = f"`{kind}`" + ", stiffening" * family.stiffening
            yield f"| {name} | {operations} | {' | '.join(f'{error:.0e} l' for error in row)} |"
        style = {"marker": family.marker, "linestyle": "--" if family.stiffening else "-", "label": family.name}
        for axis, column in zip(axes, zip(*errors, strict=True), strict=True):
            axis.loglog(costs, np.maximum(column, 1e-10), **style)
    for axis, head in zip(axes, heads, strict=True):
        axis.set_title(head.replace("P l^2/(EI)", r"$P\,l^2/EI$"))
        axis.set_xlabel("operations of forward dynamics")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("error of the tip's place / length")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.savefig(PICTURE, dpi=130)
