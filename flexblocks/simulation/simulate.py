"""Simulation: the motion of an arm under given inputs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksWarning
from flexblocks.simulation import sampling as sample
from flexblocks.simulation.errors import SimulationError
from flexblocks.simulation.inputs import inputs
from flexblocks.simulation.interrupt import Interrupt
from flexblocks.simulation.method import checked_method
from flexblocks.simulation.output_times import output_times
from flexblocks.simulation.progress import ProgressBar
from flexblocks.simulation.solver import Solver
from flexblocks.simulation.trajectory import Trajectory


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
    rtol, atol : float
        Tolerances of each step, relative and absolute in the units of each state. Errors of the steps add up: after a
        few seconds of a lightly damped arm expect some hundred times as much.
    step : float, optional
        Step of ``"rk4"`` [s].
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
        The integration could not go on; the error carries what was computed.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> dae = fb.assemble(models.subudhi_morris_2002())
    >>> traj = fb.simulate(dae, (0.0, 2.0), u={"motor1.torque": fb.bang_bang(0.2, 0.5)})
    >>> traj["link1.tip_deflection_y"].shape
    (1001,)
    """
    times, whole = output_times(t, "simulate")
    solver = Solver(dae, checked_method(method, rtol, atol, step, "simulate"))
    values = dae.p.values(p, "simulate: p: ")
    x, _ = consistent_state(dae, x0, values, "simulate: x0: ")
    given = inputs(dae.u, u, times, whole, clocks=dae.clocks)
    with ProgressBar(f"Simulating {dae.name}", times[-1] - times[0], progress) as bar, Interrupt() as interrupt:
        record = solver.integrate(given, values, x, times, interrupt, bar)
    found = sample.trajectory(solver.system(given, values), times, record)
    if record.failure is not None:
        raise SimulationError(
            f"Simulation of '{dae.name}' stopped at t = {record.reached:.9g} s of {times[-1]:.9g} s: {record.failure}. "
            f"{advice(method)} The error's .trajectory holds the {len(found.t)} samples computed.",
            found,
            record.reached,
        )
    if record.interrupted:
        warnings.warn(
            f"Simulation of '{dae.name}' was interrupted at t = {record.reached:.6g} s of {times[-1]:.6g} s; "
            f"the trajectory ends with its sample at {found.t[-1]:.6g} s.",
            FlexblocksWarning,
            stacklevel=2,
        )
    return found


def advice(method: str) -> str:
    """Return what to try when a method could not go on."""
    if method == "rk4":
        return "Take a smaller step (step * highest frequency [rad/s] < 2.8), or method 'auto'."
    return "Check start values and parameters, and whether the motion itself grows without bound; try method 'bdf'."
