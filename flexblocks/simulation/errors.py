"""What a simulation raises when it cannot go on."""

from __future__ import annotations

from flexblocks.errors import ComputationError
from flexblocks.simulation.trajectory import Trajectory


class SimulationError(ComputationError):
    """The integration stopped before its end.

    Attributes
    ----------
    trajectory : Trajectory
        Everything that was computed up to then, with ``complete`` False.
    time : float
        Time reached [s].
    """

    def __init__(self, message: str, trajectory: Trajectory, time: float) -> None:
        super().__init__(message)
        self.trajectory = trajectory
        self.time = time
