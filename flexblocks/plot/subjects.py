"""What pictures show: the motion and the arm of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from flexblocks.optim import Plan, Replay


def motion_of(shown: Trajectory | Plan | Replay) -> Trajectory:
    """Return the motion of a trajectory, a plan or a replay."""
    return shown if isinstance(shown, Trajectory) else shown.trajectory


def arm_of(shown: Any, where: str) -> DAE:
    """Return the arm of a result.

    Raises
    ------
    ParameterError
        It is no result, or does not know its arm.
    """
    result = getattr(shown, "trajectory", shown)
    if isinstance(result, DAE):
        return result
    if not hasattr(result, "dae"):
        raise ParameterError(
            f"{where}: {type(shown).__name__} is of no arm; must be a DAE, or a result of one, such as a Trajectory."
        )
    if result.dae is None:
        raise ParameterError(
            f"{where}: {type(shown).__name__} that does not know its arm, as after reading it from a file that holds "
            "none; give it the DAE it came from: result.of(dae)."
        )
    return result.dae
