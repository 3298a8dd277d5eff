"""Time-scale separation: fastest slow pole against slowest fast pole of a split arm."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.control.close_loop import close_loop
from flexblocks.control.law import Bindable
from flexblocks.control.naming import reference_name
from flexblocks.control.references.follow import tracked_variables
from flexblocks.control.two_time_scales.fast_feedback import FastFeedback
from flexblocks.control.two_time_scales.subsystems import SingularPerturbation
from flexblocks.dae.dae import DAE
from flexblocks.linear.linearize import linearize
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import NO_TIME_SCALES

# Below this ratio of fast to slow poles the subsystems cannot be designed separately: singular perturbation neglects
# terms of the order of 1 / ratio. By trial.
LEAST_RATIO = 3.0


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
        """Least fast / slow, the validity of the split; infinite if all slow poles are 0."""
        if not len(self.slow):
            return float("inf")
        return float(
            np.min(self.fast / np.where(self.slow > 0, self.slow, np.nan), initial=np.inf, where=self.slow > 0)
        )


def time_scales(
    split: SingularPerturbation,
    along: Trajectory | Sequence[Mapping[str, float]],
    slow: Bindable | None = None,
    fast: FastFeedback | None = None,
) -> TimeScales:
    """Return the separation of slow and fast poles at postures.

    Parameters
    ----------
    split : SingularPerturbation
    along : Trajectory or sequence of dict
        The postures, as a motion or as slow coordinates by name.
    slow : Bindable, optional
        The law of the slow subsystem; by default it is not controlled.
    fast : FastFeedback, optional
        The law of the fast subsystem; by default it is not controlled.

    Warns
    -----
    FlexblocksWarning
        The ratio is below 3: the time scales are not separate.
    """
    closed = split.slow if slow is None else close_loop(split.slow, slow)
    at = _postures(split, along)
    slowest, fastest = [], []
    # At each posture the slowest pole of the fast subsystem, and the fastest pole of the slow one.
    for posture in at:
        frozen = split.fast(posture)
        A = frozen.A if fast is None else frozen.A - frozen.B @ fast.gain(posture)
        slowest.append(float(np.min(np.abs(np.linalg.eigvals(A)))))
        fastest.append(float(np.max(np.abs(np.linalg.eigvals(_at_rest(closed, posture))), initial=0.0)))
    scales = TimeScales(np.array(fastest), np.array(slowest))
    if scales.ratio < LEAST_RATIO:
        # The posture with the least ratio, for the warning.
        worst = int(np.argmin(scales.fast / np.where(scales.slow > 0, scales.slow, 1e-300)))
        warn(
            f"singular_perturbation: no two time scales: the fastest slow pole is at {scales.slow[worst]:.3g} 1/s, the "
            f"slowest fast one at {scales.fast[worst]:.3g} 1/s (ratio {scales.ratio:.2g}, should be above "
            f"{LEAST_RATIO:g}). Slow down the slow law, or leave the softest blocks out of stiff=[...].",
            NO_TIME_SCALES,
        )
    return scales


def poles_along(closed: DAE, trajectory: Trajectory, samples: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Return times (k,) and frozen-time poles (k, nx) of a DAE linearised at points of a trajectory.

    The points are not equilibria: the poles describe how deviations from the motion start to grow or decay.
    """
    rows = np.unique(np.linspace(0, len(trajectory.t) - 1, samples).astype(int))
    poles = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in rows:
            lin = linearize(closed, {"x": trajectory.x[i, : len(closed.x)], "u": trajectory.u[i]})
            poles.append(np.linalg.eigvals(lin.A))
    return trajectory.t[rows], np.array(poles)


def _postures(split: SingularPerturbation, along: Trajectory | Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """Return the postures as dicts of slow coordinates."""
    if not isinstance(along, Trajectory):
        return [dict(posture) for posture in along]
    names = split.slow.q_names
    return [dict(zip(names, row, strict=True)) for row in zip(*(along[name].tolist() for name in names), strict=True)]


def _at_rest(closed: DAE, posture: Mapping[str, float]) -> np.ndarray:
    """Return A of the slow subsystem at a posture, with its references there."""
    at = dict(posture)
    names = dict(zip(closed.x.names, closed.x.start.tolist(), strict=True)) | at
    at |= {reference_name(name): names[name] for name in tracked_variables(closed) if reference_name(name) in closed.u}
    with warnings.catch_warnings():
        # Without gravity compensation an arm is not at rest there; its poles show how fast it leaves.
        warnings.simplefilter("ignore")
        return linearize(closed, at).A
