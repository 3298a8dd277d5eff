"""Frequencies of a cantilever with a tip body, by each fidelity of the beam: ``python -m benchmarks.beam_fidelity``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexblocks as fb
from flexblocks.beam.boundary import roots

FIDELITIES = {
    "AssumedModes(n, tip='auto')": {n: fb.AssumedModes(n, tip="auto") for n in (3,)},
    "AssumedModes(n)": {n: fb.AssumedModes(n) for n in (4, 8, 16)},
    "FiniteElements(n)": {n: fb.FiniteElements(n) for n in (2, 4, 8)},
    "RigidSegments(n)": {n: fb.RigidSegments(n) for n in (4, 8, 16)},
}
# Link 2 of Subudhi & Morris (2002) with its payload.
LENGTH, LINEAR_DENSITY, FLEXURAL_RIGIDITY = 0.5, 0.2, 1.0
MASS, INERTIA = 0.1, 0.005


def exact(count: int) -> np.ndarray:
    """Return the first frequencies [rad/s] from the roots of the frequency equation."""
    tip = fb.TipBody(MASS, INERTIA).relative(LINEAR_DENSITY * LENGTH, LENGTH)
    return roots(tip, count) ** 2 * np.sqrt(FLEXURAL_RIGIDITY / (LINEAR_DENSITY * LENGTH**4))


def found(fidelity: fb.AssumedModes | fb.FiniteElements | fb.RigidSegments) -> np.ndarray:
    """Return the frequencies [rad/s] of the model, lowest first."""
    model = fb.Model("cantilever")
    ground = model.add(fb.Ground("ground"))
    beam = model.add(fb.FlexibleBeam("beam", LENGTH, LINEAR_DENSITY, FLEXURAL_RIGIDITY, discretization=fidelity))
    load = model.add(fb.Payload("load", MASS, INERTIA))
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    return np.sort([mode.frequency for mode in fb.linearize(fb.assemble(model)).modes()])


def lines(count: int = 3) -> Iterator[str]:
    """Yield a table in Markdown: by fidelity the relative errors of the first frequencies."""
    truth = exact(count)
    yield f"| | n | coordinates | {' | '.join(f'{omega:.4f} rad/s' for omega in truth)} |"
    yield "|---|---|---|" + "---|" * count
    for name, sizes in FIDELITIES.items():
        for n, fidelity in sizes.items():
            frequencies = found(fidelity)
            errors = frequencies[:count] / truth - 1
            entries = " | ".join(f"{error:.1e}" if abs(error) > 1e-8 else "< 1e-8" for error in errors)
            yield f"| `{name}` | {n} | {len(frequencies)} | {entries} |"


if __name__ == "__main__":
    for line in lines():
        print(line)
