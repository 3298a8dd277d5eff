"""Errors of linear beam theory at large deflections: ``python -m benchmarks.large_deflections [PART ...]``.

* `elastica`: the tip's deflection of a cantilever under an end force P, against the elastica. The load is a body, and
  the beam weighs a hundredth of a gram, which sets the floor of the smallest errors.
* `pendulum`, `spin-up`: a beam of 1 m and 0.2 kg with 0.2 kg at its tip on a hinge, against rigid segments; the largest
  error of the slow part of the deflection, over the largest deflection, with and without `stiffening`, and the error
  that the library's own warning estimates.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import flexblocks as fb
from flexblocks.beam.discretization import Discretization
from flexblocks.validity.deflection_error import deflection_errors
from flexblocks.validity.large_deflections import without_warning

Fidelity = tuple[str, Discretization, bool]
MODES = fb.AssumedModes(3, tip="auto")
# Those that hold at deflections of any size.
FAR = (fb.RigidSegments(8), fb.RigidSegments(16), fb.StrainModes(2), fb.StrainModes(3), fb.StrainModes(4))
LINEAR: list[Fidelity] = [("linear", MODES, False), ("linear, stiffening", MODES, True)]


def elastica(load: float) -> float:
    """Return the tip's deflection, in lengths, under a transverse end force P l^2/(EI)."""

    def end(curvature: float) -> np.ndarray:
        def rates(_: float, state: np.ndarray) -> list[float]:
            angle, bent, _ = state
            return [bent, -load * np.cos(angle), np.sin(angle)]

        run = solve_ivp(rates, (0.0, 1.0), [0.0, curvature, 0.0], rtol=1e-11, atol=1e-12)
        return run.y[:, -1]

    curvature = brentq(lambda k: end(k)[1], 0.0, load, xtol=1e-12)
    return float(end(curvature)[2])


def cantilever(kind: Discretization, stiffening: bool, load: float) -> tuple[fb.DAE, fb.OperatingPoint]:
    """Return a cantilever of 0.01 g, of unit length and rigidity, under a dead end force."""
    model = fb.Model("cantilever", gravity=(0.0, load, 0.0))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 1e-5, 1.0, discretization=kind, stiffening=stiffening, bending="y"))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.LumpedMass("load", 1.0)).frame_a)
    dae = fb.assemble(model)
    with without_warning():
        return dae, fb.equilibrium(dae)


def print_elastica() -> None:
    names = " | ".join(str(kind) for kind in FAR)
    print(f"| P l^2/(EI) | deflection / l | linear theory off by | expected | {names} |")
    print("|---|---|---|---|" + "---|" * len(FAR))
    for load in (0.1, 0.5, 1.0, 2.0, 5.0, 10.0):
        exact = elastica(load)
        off, expected = {}, 0.0
        for name, kind, stiffening in (("m", MODES, False), *((str(far), far, False) for far in FAR)):
            dae, point = cantilever(kind, stiffening, load)
            y = dae.output(point.x, point.u, point.p).full().ravel()
            off[name] = abs(float(y[dae.y.index("beam.tip_deflection_y")]) / exact - 1)
            if name == "m":
                (error,) = deflection_errors(dae, point.x[None], point.z[None], point.u[None], point.p, at_rest=True)
                expected = error.error
        numbers = " | ".join(f"{100 * off[str(kind)]:.2g} %" for kind in FAR)
        print(f"| {load} | {exact:.3g} | {100 * off['m']:.2g} % | {100 * expected:.2g} % | {numbers} |")


def hinged(kind: Discretization, stiffening: bool, rigidity: float, **model_options: object) -> fb.DAE:
    """Return a beam of 1 m and 0.2 kg with 0.2 kg at its tip, on a driven hinge."""
    model = fb.Model("hinged", **model_options)
    ground, motor, joint = (model.add(b) for b in (fb.Ground("ground"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    beam = model.add(
        fb.FlexibleBeam("beam", 1.0, 0.2, rigidity, discretization=kind, stiffening=stiffening, bending="y")
    )
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.Payload("load", 0.2, 1e-4)).frame_a)
    return fb.assemble(model)


def _compared(
    rigidity: float, times: np.ndarray, u: dict | None, **options: object
) -> tuple[float, list[float], float]:
    """Return the largest deflection, the errors of linear theory relative to it, and what is expected of them."""
    runs, expected = [], 0.0
    for _, kind, stiffening in (("segments", fb.RigidSegments(6), False), *LINEAR):
        dae = hinged(kind, stiffening, rigidity, **options)
        with without_warning():
            run = fb.simulate(dae, times, u, rtol=1e-7, atol=1e-9)
        runs.append(run["beam.tip_deflection_y"])
        if kind is MODES and not stiffening:
            (error,) = deflection_errors(dae, run.x, run.z, run.u, np.zeros(0))
            expected = error.error
    most = float(np.abs(runs[0]).max())
    # Vibrations slip out of phase: what is compared is the slow part of the motion, and the largest deflection.
    return most, [float(np.abs(_slow(run - runs[0])).max()) / most for run in runs[1:]], expected


def _slow(values: np.ndarray) -> np.ndarray:
    """Return a moving average over a tenth of the samples."""
    width = max(len(values) // 10, 1)
    return np.convolve(values, np.ones(width) / width, mode="valid")


def print_pendulum() -> None:
    print("A pendulum that falls from the horizontal, 0.8 s:\n")
    _print_motions(np.linspace(0.0, 0.8, 401), None, gravity=(0.0, -9.81, 0.0))


def print_spin_up() -> None:
    print("A spin-up by a steady torque of 1 N m for 1 s, without gravity, about 11 rad/s in the end:\n")
    _print_motions(np.linspace(0.0, 1.0, 401), {"motor.torque": 1.0})


def _print_motions(times: np.ndarray, u: dict | None, **options: object) -> None:
    print("| EI | largest deflection / l | linear theory off by | with stiffening | expected without |")
    print("|---|---|---|---|---|")
    for rigidity in (20.0, 5.0):
        most, (linear, stiffened), expected = _compared(rigidity, times, u, **options)
        shares = " | ".join(f"{100 * share:.2g} %" for share in (linear, stiffened, expected))
        print(f"| {rigidity:g} N m2 | {100 * most:.2g} % | {shares} |")


PARTS = {"elastica": print_elastica, "pendulum": print_pendulum, "spin-up": print_spin_up}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
        print()
