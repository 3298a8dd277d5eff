"""Simulation: the motion of an arm under given inputs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, FlexblocksWarning
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.chunks import DEFAULT_STEPS, checked_budget
from flexblocks.simulation.inputs import inputs
from flexblocks.simulation.interrupt import Interrupt
from flexblocks.simulation.method import checked_method
from flexblocks.simulation.sampling import output_times, sampled_trajectory
from flexblocks.simulation.solver import Solver
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


def simulate(
    dae: DAE,
    t: tuple[float, float] | Sequence[float] | np.ndarray,
    u: Mapping[str, Any] | None = None,
    x0: Mapping[str, float] | Sequence[float] | np.ndarray | None = None,
    p: Mapping[str, float] | Sequence[float] | np.ndarray | None = None,
    method: str = "auto",
    *,
    rtol: float = 1e-9,
    atol: float = 1e-11,
    step: float | None = None,
    max_steps: float = DEFAULT_STEPS,
    time_limit: float | None = None,
    progress: bool | None = None,
) -> Trajectory:
    """Integrate the equations of motion of an arm.

    Parameters
    ----------
    dae : DAE
    t : tuple of 2 floats, or array (k,)
        From when to when [s], with 1001 evenly spaced samples; or rising output times, as an ndarray or at least three.
    u : dict, optional
        Inputs by name; those that are not given are 0. Each one is

        * a number;
        * an array (k,) over the output times, or a pair ``(times, values)``, joined by straight lines;
        * a function of t, best one that also takes a CasADi symbol (see `Signal`);
        * a `Signal`, `piecewise_constant`, `piecewise_linear` or `bang_bang`;
        * a scipy PPoly, CubicSpline, CubicHermiteSpline or BSpline, applied exactly.

        The integration is split wherever an input jumps or bends.
    x0 : dict or array (nx,), optional
        Start values; those that are not given are the blocks'. Where loops are closed, those that are not given move
        as far as closes them (see `flexblocks.constraints.closed_state`).
    p : dict or array (np,), optional
        Values of the parameters that are symbolic; the rest as in the model.
    method : str
        ``"auto"``: SUNDIALS' idas with algebraic variables, else cvodes with Adams' method, or with BDF if something
        decays faster than anything oscillates. ``"adams"``, ``"bdf"``, ``"idas"`` name one of them.
        ``"rk4"`` is the classical Runge-Kutta method with the fixed `step`, shortened to end at output times and
        breakpoints; ``"dop853"`` SciPy's explicit method of order 8, slower and independent of SUNDIALS.
        All integrators stand in `flexblocks.simulation.integrators.register`.
    rtol, atol : float
        Tolerances of each step, relative and absolute in the units of each state. Errors of the steps add up: after a
        few seconds of a lightly damped arm expect some hundred times as much.
    step : float, optional
        Step of ``"rk4"`` [s].
    max_steps : int
        Steps after which a run ends that has not come to its end, with a SimulationError; ``math.inf`` for any number.
        Stiff or chattering equations end so, instead of going on for hours.
    time_limit : float, optional
        The same for wall time [s]. Both are looked at a few times a second.
    progress : bool, optional
        Whether to show a progress bar; by default in a terminal, if the run will take more than 2 s.

    Returns
    -------
    Trajectory
        After Ctrl-C it ends where the run was, with ``complete`` False and a FlexblocksWarning.

    Raises
    ------
    NameUnknownError
        An input, state or parameter that the arm does not have.
    ParameterError
        Something given is not finite, of the wrong length or of the wrong kind.
    SimulationError
        The integration could not go on, or took more than `max_steps` or `time_limit`; the error carries what was
        computed.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> dae = fb.assemble(models.subudhi_morris_2002())
    >>> traj = fb.simulate(dae, (0.0, 2.0), u={"motor1.torque": fb.bang_bang(0.2, 0.5)})
    >>> traj["link1.tip_deflection_y"].shape
    (1001,)
    """
    # Check all that was given before anything is computed.
    times, whole = output_times(t, "simulate")
    settings = checked_method(method, rtol, atol, step, "simulate")
    budget = checked_budget(max_steps, time_limit, "simulate")
    solver = Solver(dae, settings)
    values = dae.p.values(p, "simulate: p: ")
    x, _ = consistent_state(dae, x0, values, "simulate: x0: ")
    signals = inputs(dae.u, u, times, whole, clocks=dae.clocks)
    # Integrate; a failure or Ctrl-C ends the record early.
    with ProgressDisplay(f"Simulating {dae.name}", times[-1] - times[0], progress) as bar, Interrupt() as interrupt:
        record = solver.integrate(signals, values, x, times, interrupt, bar, budget)
    # Inputs, outputs and energies at the samples.
    trajectory = sampled_trajectory(solver.system(signals, values), times, record)
    if record.failure is not None:
        raise SimulationError(
            f"Simulation of '{dae.name}' stopped at t = {record.reached:.9g} s of {times[-1]:.9g} s: {record.failure}. "
            f"{record.advice or settings.advice} "
            f"The error's .trajectory holds the {len(trajectory.t)} samples computed.",
            trajectory,
            record.reached,
        )
    if record.interrupted:
        warnings.warn(
            f"Simulation of '{dae.name}' was interrupted at t = {record.reached:.6g} s of {times[-1]:.6g} s; "
            f"the trajectory ends with its sample at {trajectory.t[-1]:.6g} s.",
            FlexblocksWarning,
            stacklevel=2,
        )
    return trajectory
