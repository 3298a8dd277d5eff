"""Start on the slow manifold: a motion with which a stiff arm begins to move without vibrating.

Rates that keep loops closed and have the least kinetic energy put most of it into vibrations, where bars are stiff and
light. Those on the slow manifold bend and twist as little as the motion allows: they have the least elastic power, v'
K v with the stiffness matrix K, and among these the least kinetic energy. Deflections: see `slow_deflections`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.implicit.damped_modes import are_damped
from flexblocks.simulation.implicit.displacements import Displacements
from flexblocks.simulation.implicit.slow_deflections import MovingPosture, with_slow_deflections

# What kinetic energy counts beside elastic power [1/s2], so that coordinates without stiffness have rates, too.
OF_INERTIA = 1e-3
# Coordinates that neither bend anything nor move mass of their own, such as joints at a cut, are scaled as if they did.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Given:
    """What of a start stays as it is.

    Attributes
    ----------
    coordinates, rates : tuple of int
        Coordinates that have been given, and those whose rates have.
    """

    coordinates: tuple[int, ...] = ()
    rates: tuple[int, ...] = ()


def on_slow_manifold(
    dae: DAE,
    x: np.ndarray,
    z: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    given: Given,
    displacements: Displacements,
    step: float | None,
    radius: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return a state x (nx,) on the slow manifold, and its rates (n + nw,).

    Deflections are those of the modes that steps damp; without a step, which damps nothing, they stay.

    Parameters
    ----------
    dae : DAE
    x, z, u, p : ndarray
        A consistent state, algebraic variables, inputs and parameters.
    given : Given
    displacements : Displacements
    step : float or None
        [s]
    radius : float
        Spectral radius at infinite frequency.

    Raises
    ------
    ComputationError
        See `with_slow_deflections`.
    """
    n, prescribed = dae.tree.size, dae.tree.prescribed_columns
    kept = sorted({*given.coordinates, *prescribed})
    posture = MovingPosture(dae, z, u, p, displacements, np.setdiff1d(np.arange(n), kept))
    rates_kept = np.array(sorted({*given.rates, *prescribed}), dtype=int)

    def moving(x: np.ndarray) -> np.ndarray:
        return with_slow_rates(posture, x, rates_kept)

    if step is None:
        return moving(x), np.zeros(len(x) - n)
    x, accelerations = with_slow_deflections(posture, x, lambda omega: are_damped(omega, step, radius), moving)
    return x, np.append(accelerations, np.zeros(len(x) - 2 * n))


def with_slow_rates(posture: MovingPosture, x: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return a state x (nx,) with rates on the slow manifold, of which those at `kept` (k,) stay."""
    n, N, at_rest = posture.dae.tree.size, len(x) - posture.dae.tree.size, x.copy()
    at_rest[n : 2 * n] = 0.0
    differences = posture.differences(at_rest, np.zeros(N))
    K, M = differences.along(1.0, 0.0, 0.0)[:n, :n], differences.along(0.0, 0.0, 1.0)[:n, :n]
    K, J = (K + K.T) / 2, differences.along(0.0, 1.0, 0.0)[posture.closures, :n]
    free, m = np.setdiff1d(np.arange(n), kept), len(J)
    v = np.zeros(n)
    v[kept] = x[n : 2 * n][kept]
    A = (K + OF_INERTIA * M)[np.ix_(free, free)]
    stiffness = np.abs(np.diag(A))
    scale = np.sqrt(np.maximum(stiffness, ROUNDING * max(stiffness.max(initial=0.0), 1.0)))
    C = J[:, free] / scale
    whole = np.block([[A / np.outer(scale, scale), C.T], [C, np.zeros((m, m))]])
    right = np.concatenate([-(K + OF_INERTIA * M)[np.ix_(free, kept)] @ v[kept] / scale, -J @ v])
    v[free] = np.linalg.lstsq(whole, right, rcond=1e-13)[0][: len(free)] / scale
    slow = x.copy()
    slow[n : 2 * n] = v
    return slow
