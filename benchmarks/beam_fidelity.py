"""Accuracy and cost of each beam discretisation: ``python -m benchmarks.beam_fidelity [frequencies | swing | loads]``.

* `frequencies`: link 2 of Subudhi & Morris (2002) clamped, with its payload at the tip; relative errors of the first
  three frequencies against the roots of the frequency equation.
* `swing`: the same link on a hinge with a motor, in a swing of one second; the largest error of the tip deflection
  against ten modes, over its largest value; operations of M(q) and of forward dynamics; the difference of energy and
  work.
* `loads`: the error of the tip's place under a dead force across the beam, in lengths, beside the operations of forward
  dynamics of the same beam on a hinge with a load. Under P l^2/(EI) = 0.1 the tip deflects by 3 % of the length, under
  1 by 30 %, under 5 by 71 %. In the picture, errors below 1e-10 are drawn at 1e-10.

![Error of the tip against operations](../pictures/beam_fidelity.png)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

import flexblocks as fb
from benchmarks.beam_loads import load_lines
from flexblocks.beam.discretization import Discretization
from flexblocks.beam.shapes.euler_bernoulli_modes import roots
from flexblocks.validity.large_deflections import without_warning

FIDELITIES = {
    "AssumedModes(n, tip='auto')": {n: fb.AssumedModes(n, tip="auto") for n in (3,)},
    "AssumedModes(n)": {n: fb.AssumedModes(n, tip="free") for n in (4, 8, 16)},
    "FiniteElements(n)": {n: fb.FiniteElements(n) for n in (2, 4, 8)},
    "RigidSegments(n)": {n: fb.RigidSegments(n) for n in (4, 8, 16)},
    "StrainModes(n)": {n: fb.StrainModes(n) for n in (3, 4, 5)},
    "StrainModes(n, 'modes')": {n: fb.StrainModes(n, "modes") for n in (3,)},
}
# Link 2 of Subudhi & Morris (2002) with its payload.
LENGTH, LINEAR_DENSITY, FLEXURAL_RIGIDITY = 0.5, 0.2, 1.0
MASS, INERTIA = 0.1, 0.005


def exact(count: int) -> np.ndarray:
    """Return the first frequencies [rad/s] from the roots of the frequency equation."""
    tip = fb.TipBody(MASS, INERTIA).relative(LINEAR_DENSITY * LENGTH, LENGTH)
    return roots(tip, count) ** 2 * np.sqrt(FLEXURAL_RIGIDITY / (LINEAR_DENSITY * LENGTH**4))


def model_frequencies(fidelity: Discretization) -> np.ndarray:
    """Return the frequencies [rad/s] of the model, lowest first."""
    model = fb.Model("cantilever")
    ground = model.add(fb.Ground("ground"))
    beam = model.add(
        fb.FlexibleBeam("beam", LENGTH, LINEAR_DENSITY, FLEXURAL_RIGIDITY, discretization=fidelity, bending="y")
    )
    load = model.add(fb.Payload("load", MASS, INERTIA))
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    with without_warning():  # modes of a free tip are what is compared
        return np.sort([mode.frequency for mode in fb.linearize(fb.assemble(model)).modes()])


def lines(count: int = 3) -> Iterator[str]:
    """Yield a table in Markdown: by fidelity the relative errors of the first frequencies."""
    truth = exact(count)
    yield f"| | n | coordinates | {' | '.join(f'{omega:.4f} rad/s' for omega in truth)} |"
    yield "|---|---|---|" + "---|" * count
    for name, sizes in FIDELITIES.items():
        for n, fidelity in sizes.items():
            frequencies = model_frequencies(fidelity)
            errors = frequencies[:count] / truth - 1
            entries = " | ".join(f"{error:.1e}" if abs(error) > 1e-8 else "< 1e-8" for error in errors)
            yield f"| `{name}` | {n} | {len(frequencies)} | {entries} |"


def swinging() -> fb.Model:
    """Return the same beam and load on a hinge with a motor."""
    model = fb.Model("swing")
    ground, motor, joint = (model.add(b) for b in (fb.Ground("ground"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    beam = model.add(
        fb.FlexibleBeam(
            "beam",
            LENGTH,
            LINEAR_DENSITY,
            FLEXURAL_RIGIDITY,
            discretization=fb.AssumedModes(1, tip="free"),
            bending="y",
        )
    )
    load = model.add(fb.Payload("load", MASS, INERTIA))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    return model


def response_lines() -> Iterator[str]:
    """Yield a table in Markdown: by fidelity the deviation of a swing from that of 10 modes, and the operation counts.

    The torque goes to and fro once in a second, 0.01 N m (sin 2 pi t)^3. It is so small that the shortening by bending,
    which segments alone have, is not seen.
    """
    kinds = {(name, n): kind for name, sizes in FIDELITIES.items() for n, kind in sizes.items()}
    named = {f"{name} {n}": kind for (name, n), kind in kinds.items()} | {"reference": fb.AssumedModes(10, tip="auto")}
    torque = {"motor.torque": lambda t: 0.01 * np.sin(2 * np.pi * t) ** 3}
    comparison = fb.compare(swinging(), named, np.linspace(0.0, 1.0, 101), torque, frequencies=0)
    size = np.abs(comparison.responses["reference"][comparison.output]).max()
    yield "| | n | tip deflection in a swing | M(q) | forward dynamics | energy and work differ by |"
    yield "|---|---|---|---|---|---|"
    for name, n in kinds:
        row = comparison.table.loc[f"{name} {n}"]
        cost = f"{row['M operations']:.0f} | {row['forward dynamics operations']:.0f}"
        drift = "< 1e-12 J" if row["energy drift [J]"] < 1e-12 else f"{row['energy drift [J]']:.0e} J"
        yield f"| `{name}` | {n} | {row['difference [m]'] / size:.1e} | {cost} | {drift} |"


PARTS = {"frequencies": lines, "swing": response_lines, "loads": load_lines}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        print(*PARTS[part](), "", sep="\n")
