"""Accuracy and cost of StrainModes by its shape functions: ``python -m benchmarks.strain_functions``.

First table: errors of the first two frequencies of a clamped beam of unit length, mass and EI; error of the tip's
deflection under a dead force P across it, against the elastica; the largest distance of the tip of a falling bar, bent
by a third of its length, from Exudyn's, which is itself known within 2e-5; operations of forward dynamics of the beam
on a hinge with a load. Second table: operations of forward dynamics that one more link takes in a chain.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import flexblocks as fb
from benchmarks.beam_fidelity import INERTIA, MASS
from benchmarks.beam_loads import cost
from benchmarks.large_deflections import elastica
from flexblocks.beam.discretization import Discretization
from flexblocks.beam.shapes.euler_bernoulli_modes import roots
from flexblocks.dae.operation_counts import operation_counts
from flexblocks.validity.large_deflections import without_warning

# What hangs on the tip of a beam of unit length, mass and rigidity, in its units: nothing, a point, link 2 of Subudhi &
# Morris (2002) with its payload.
LOADS = {"nothing": (0.0, 0.0), "a point mass": (1.0, 0.0), "a payload": (MASS / 0.1, INERTIA / 0.025)}
FORCES = (0.5, 2.0, 10.0)
KINDS = ("polynomials", "modes")
# Far bent motions by other programs: a bar that falls on a hinge, by Exudyn's ANCF cables.
PENDULUM = Path(__file__).parents[1] / "tests" / "oracles" / "references" / "exudyn_pendulum.json"


def frequency_errors(kind: Discretization, mass: float, inertia: float) -> np.ndarray:
    """Return the relative errors of the first two frequencies of a clamped beam."""
    model = fb.Model("cantilever")
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, discretization=kind, bending="y"))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    if mass:
        model.connect(beam.frame_b, model.add(fb.Payload("load", mass, inertia)).frame_a)
    found = np.sort([mode.frequency for mode in fb.linearize(fb.assemble(model)).modes()])[:2]
    return np.abs(found / roots(fb.TipBody(mass, inertia), 2) ** 2 - 1)


def deflection(kind: Discretization, force: float) -> float:
    """Return the deflection of the tip, in lengths, under a dead force across a beam that carries nothing."""
    model = fb.Model("cantilever")
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, discretization=kind, bending="y"))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.WorldForce("pull")).frame_a)
    dae = fb.assemble(model)
    point = fb.equilibrium(dae, u={"pull.force_x": 0.0, "pull.force_y": force, "pull.force_z": 0.0})
    return float(dae.output(point.x, point.u, point.p).full()[dae.y.index("beam.tip_deflection_y"), 0])


def fall_error(kind: Discretization) -> float:
    """Return how far the tip of a falling bar, bent by a third of its length, is from Exudyn's at most, in lengths."""
    known = json.loads(PENDULUM.read_text())
    model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    joint = model.add(fb.Revolute("joint"))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 0.2, 0.1, discretization=kind, bending="y"))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.LumpedMass("tip", 0.0)).frame_a)
    run = fb.simulate(fb.assemble(model), np.array([0.0, *known["t_s"]]), rtol=1e-7, atol=1e-9)
    found = np.column_stack([run["tip.x"], run["tip.y"]])[1:]
    return float(np.linalg.norm(found - known["tip_m"], axis=1).max())


def function_lines() -> Iterator[str]:
    """Yield a table in Markdown: by functions errors of frequencies, the elastica's tip and a motion, and cost."""
    heads = [f"frequencies, tip carries {name}" for name in LOADS] + [f"P l^2/(EI) = {force:g}" for force in FORCES]
    heads += ["falls far bent", "operations"]
    yield f"| functions | n | {' | '.join(heads)} |"
    yield "|---|---|" + "---|" * len(heads)
    for n in (2, 3, 4, 5):
        for functions in KINDS:
            kind = fb.StrainModes(n, functions)
            errors = ["{:.0e}, {:.0e}".format(*frequency_errors(kind, *load)) for load in LOADS.values()]
            errors += [f"{abs(deflection(kind, force) - elastica(force)):.0e} l" for force in FORCES]
            errors += [f"{fall_error(kind):.0e} l", str(cost(kind, stiffening=False))]
            yield f"| {functions} | {n} | {' | '.join(errors)} |"


def chain(links: int, kind: Discretization, in_space: bool) -> fb.Model:
    """Return a chain of hinged beams with a body at each tip; in space hinges are about z and y in turn."""
    model = fb.Model("chain", gravity=(0.0, -9.81, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in range(links):
        axis, bending = ((0, i % 2, 1 - i % 2), "yz") if in_space else ((0, 0, 1), "y")
        joint = model.add(fb.Revolute(f"joint{i}", axis=axis))
        beam = model.add(fb.FlexibleBeam(f"link{i}", 0.5, 0.2, 1.0, discretization=kind, bending=bending))
        inertia = np.diag([1e-3, 2e-3, 2.5e-3]) if in_space else 0.0
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, beam.frame_a)
        model.connect(beam.frame_b, model.add(fb.Payload(f"load{i}", 0.1, inertia)).frame_a)
        place = beam.frame_b
    return model


def cost_lines() -> Iterator[str]:
    """Yield a table in Markdown: operations of forward dynamics that each link more takes."""
    yield "| | planar | in space, bending in both planes |"
    yield "|---|---|---|"
    kinds = (
        fb.AssumedModes(2, tip="free"),
        fb.FiniteElements(2),
        fb.RigidSegments(4),
        *(fb.StrainModes(n) for n in (1, 2, 3)),
    )
    for kind in kinds:
        row = []
        for in_space in (False, True):
            with without_warning():
                daes = [fb.assemble(chain(links, kind, in_space)) for links in (2, 3)]
            few, more = (operation_counts(dae.forward_dynamics)["total"] for dae in daes)
            row.append(str(more - few))
        yield f"| `{kind}` | {' | '.join(row)} |"


if __name__ == "__main__":
    for line in (*function_lines(), "", *cost_lines()):
        print(line)
