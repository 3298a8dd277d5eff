"""How far apart the slow and the fast poles of a split arm are."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.control.close_loop import close_loop
from flexblocks.control.law import Law
from flexblocks.control.naming import reference_name
from flexblocks.control.references.follow import followed
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksWarning
from flexblocks.linear.linearize import linearize
from flexblocks.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from flexblocks.control.two_time_scales.fast_feedback import FastFeedback
    from flexblocks.control.two_time_scales.subsystems import SingularPerturbation

# Below this ratio the two subsystems cannot be designed apart from each other.
APART = 3.0


@dataclass(frozen=True, eq=False)
class TimeScales:
    """The fastest slow and the slowest fast pole at k postures.

    Attributes
    ----------
    slow, fast : ndarray (k,)
        Magnitudes of these poles [1/s].
    """

    slow: np.ndarray
    fast: np.ndarray

    @property
    def ratio(self) -> float:
        """Least of fast / slow: the validity of the split. Infinite where no slow motion has a pole but 0."""
        if not len(self.slow):
            return float("inf")
        return float(
            np.min(self.fast / np.where(self.slow > 0, self.slow, np.nan), initial=np.inf, where=self.slow > 0)
        )


def time_scales(
    split: SingularPerturbation,
    along: Trajectory | Sequence[Mapping[str, float]],
    slow: Law | None = None,
    fast: FastFeedback | None = None,
) -> TimeScales:
    """Return how far apart the subsystems are at postures.

    Parameters
    ----------
    split : SingularPerturbation
    along : Trajectory or sequence of dict
        Postures: slow coordinates by name.
    slow : Law, optional
        The law of the slow subsystem, which gives it its poles; without one, it is taken without control.
    fast : FastFeedback, optional
        The law of the fast subsystem; without one, the fast subsystem is taken without control.

    Warns
    -----
    FlexblocksWarning
        The ratio is below 3: no two time scales.
    """
    closed = split.slow if slow is None else close_loop(split.slow, slow)
    at = _postures(split, along)
    slowest, fastest = [], []
    for posture in at:
        frozen = split.fast(posture)
        A = frozen.A if fast is None else frozen.A - frozen.B @ fast.gain(posture)
        slowest.append(float(np.min(np.abs(np.linalg.eigvals(A)))))
        fastest.append(float(np.max(np.abs(np.linalg.eigvals(_at_rest(closed, posture))), initial=0.0)))
    found = TimeScales(np.array(fastest), np.array(slowest))
    if found.ratio < APART:
        worst = int(np.argmin(found.fast / np.where(found.slow > 0, found.slow, 1e-300)))
        warnings.warn(
            f"singular_perturbation: no two time scales: the fastest slow pole is at {found.slow[worst]:.3g} 1/s, the "
            f"slowest fast one at {found.fast[worst]:.3g} 1/s (ratio {found.ratio:.2g}, should be above {APART:g}). "
            "Slow down the slow law, or leave the softest blocks out of stiff=[...].",
            FlexblocksWarning,
            stacklevel=3,
        )
    return found


def poles_along(closed: DAE, trajectory: Trajectory, samples: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Return times (k,) and the poles (k, nx) of a DAE linearised at points of a trajectory, each frozen in time.

    Points are moving and no equilibria: the poles tell what deviations from the motion do at first.
    """
    picked = np.unique(np.linspace(0, len(trajectory.t) - 1, samples).astype(int))
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexblocksWarning)
        for i in picked:
            lin = linearize(closed, {"x": trajectory.x[i, : len(closed.x)], "u": trajectory.u[i]})
            found.append(np.linalg.eigvals(lin.A))
    return trajectory.t[picked], np.array(found)


def _postures(split: SingularPerturbation, along: Trajectory | Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    if not isinstance(along, Trajectory):
        return [dict(posture) for posture in along]
    names = split.slow.q_names
    return [dict(zip(names, row, strict=True)) for row in zip(*(along[name].tolist() for name in names), strict=True)]


def _at_rest(closed: DAE, posture: Mapping[str, float]) -> np.ndarray:
    """Return A of the slow subsystem, its references where it is."""
    at = dict(posture)
    names = dict(zip(closed.x.names, closed.x.start.tolist(), strict=True)) | at
    at |= {reference_name(name): names[name] for name in followed(closed) if reference_name(name) in closed.u}
    with warnings.catch_warnings():
        # Without what holds its weight, an arm is not at rest there; its poles tell how fast it leaves.
        warnings.simplefilter("ignore", FlexblocksWarning)
        return linearize(closed, at).A
