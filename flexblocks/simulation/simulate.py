"""Simulation of an arm under given inputs and start values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError
from flexblocks.interrupt import Interrupt
from flexblocks.plausibility import warn_of_degrees
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.chunks import DEFAULT_STEPS, checked_budget
from flexblocks.simulation.implicit.settings import RADIUS
from flexblocks.simulation.implicit.slow_start import Given
from flexblocks.simulation.loops import Opened, ahead, at_times, opened, passages, watched_times, words
from flexblocks.simulation.method import MethodName, checked_method
from flexblocks.simulation.run import Record
from flexblocks.simulation.sampling import agree, balances, excesses, known_forces, output_times, sampled_trajectory
from flexblocks.simulation.signals.inputs import inputs
from flexblocks.simulation.signals.noise import with_noise
from flexblocks.simulation.signals.parameters import (
    PICK_UPS,
    Parameters,
    parameters,
    refuse_changes,
    refuse_pick_up,
)
from flexblocks.simulation.signals.prescribed_motion import with_prescribed_motion
from flexblocks.simulation.signals.reference_rates import with_reference_rates
from flexblocks.simulation.solver import Solver, integrate_parts
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.user_warning import warn
from flexblocks.validity.energy_balance import warn_of_balances, warn_of_dissipation
from flexblocks.validity.input_limits import warn_of_limits
from flexblocks.validity.large_deflections import warn_of_large_deflections
from flexblocks.validity.state_ranges import beyond_state_ranges, warn_of_states
from flexblocks.warning_kinds import CHANGE_POINT, INTERRUPTED


class SimulationError(ComputationError):
    """The integration stopped before its end.

    Attributes
    ----------
    trajectory : Trajectory
        The trajectory up to that time, with ``complete`` False.
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
    p: Mapping[str, Any] | Sequence[float] | np.ndarray | None = None,
    method: MethodName = "auto",
    *,
    saturate: bool = False,
    rtol: float = 1e-9,
    atol: float | None = None,
    step: float | None = None,
    highest: float | None = None,
    spectral_radius: float = RADIUS,
    slow_start: bool = False,
    pick_up: Literal["matched", "impact"] = "matched",
    max_steps: float = DEFAULT_STEPS,
    time_limit: float | None = None,
    progress: bool | None = None,
    seed: int | None = 0,
) -> Trajectory:
    """Integrate the equations of motion of an arm.

    Parameters
    ----------
    dae : DAE
        ``dae.with_outputs(("payload.velocity_x",))`` has the motion of frames in the trajectory, too.
    t : tuple of 2 floats, or array (k,)
        Start and end [s], sampled at 1001 evenly spaced times; or increasing output times, as an ndarray or at least
        three.
    u : dict, optional
        Inputs by name; those that are left out are 0. Each is

        * a number;
        * an array (k,) over the output times, or a pair ``(times, values)``, joined by straight lines; two
          values at one time of a pair are a jump, from the first to the second;
        * a function of t, preferably one that also takes a CasADi symbol (see `Signal`);
        * a `Signal`, `piecewise_constant`, `piecewise_linear` or `bang_bang`;
        * a SciPy PPoly, CubicSpline, CubicHermiteSpline or BSpline, applied exactly.

        Rates of references, as ``servo.reference_rate``, are the exact derivatives of their references unless given.
        The integration is split wherever an input jumps or bends, and its steps are as short as 2000 samples of each
        function require, so that no method passes over a pulse that they show; shorter ones need a `Signal` with
        breakpoints. A coordinate that `assemble` has prescribed takes its
        motion by its own name; start values and acceleration are the exact derivatives of that function, or of the
        cubic spline through samples.
    x0 : dict or array (nx,), optional
        Start values; by default those of the blocks. With kinematic loops, coordinates that are left out move as far
        as needed to close them (see `flexblocks.constraints.closed_state`).
    p : dict or array (np,), optional
        Values of the symbolic parameters; by default those of the model. One that changes during the run is a
        `piecewise_constant`, as ``{"payload.mass": fb.piecewise_constant([0.0, 1.0], [0.0, 2.0])}``; see `pick_up`.
        The trajectory's ``changes`` list what each change costs.
    method : str
        ``"auto"``: SUNDIALS IDAS with algebraic variables; CVODES by BDF if the fastest decay exceeds all oscillation
        frequencies; ``"rk8-radau"`` if something oscillates faster than the motion is sampled (``"rk43-radau"`` where
        `rtol` is 1e-5 or more): the explicit Runge-Kutta method ``"rk8"`` (``"rk43"``), or the implicit one
        ``"radau"`` where that takes the lesser effort, by counts; ``"rk8"`` where inputs or samples
        interrupt the motion more often than anything moves; otherwise CVODES by Adams' method, or ``"dop853"`` where
        the equations take more than 20 000 operations; ``"implicit"`` if `highest` is given.
        ``"implicit"`` solves the implicit equations of motion (`DAE.residual`), for stiff arms and loops: by
        generalised alpha with a `step`, else by Radau IIA of three stages whose local errors of displacements are at
        most `rtol` of the arm's length, or `atol` [m]. ``"adams"``,
        ``"bdf"``, ``"idas"`` and the others select one of them. ``"rk4"`` is
        the classical Runge-Kutta method with the fixed `step`, shortened to end at output times and breakpoints;
        ``"semi-implicit"`` likewise, and ``"rk8"`` if it is given a `step`, as those of `flexblocks.stepper`;
        ``"dop853"`` is SciPy's explicit method of order 8, slower and independent of SUNDIALS. All integrators are
        listed in `flexblocks.simulation.integrators.register`.
    saturate : bool
        Whether inputs saturate at the limits of their actuators (``limit`` of a source, the valve of a cylinder), as
        the real ones do: ``run.u`` is what reaches the arm. By default they are applied as given, with a warning.
    rtol : float
        Local error tolerance, relative to how far each state has come from its start. Local errors accumulate: after a
        few seconds of a lightly damped arm expect about a hundred times as much.
    atol : float, optional
        Absolute tolerance, in the unit of each state, with `rtol` relative to the states themselves. By default a
        hundredth of `rtol` for motions of 1 m or 1 rad and more; it follows the size of smaller ones, down to rounding.
    step : float, optional
        Step [s] of ``"rk4"`` and ``"semi-implicit"``, or of ``"rk8"`` in place of error control; of ``"implicit"``.
    highest : float, optional
        Highest frequency that is requested [Hz]: faster vibrations are damped out, by ``"implicit"`` with a twentieth
        of its period as the step.
    spectral_radius : float
        Of ``"implicit"`` with a step, rho_inf: 0 damps most what the step does not resolve, 1 nothing.
    slow_start : bool
        Of ``"implicit"``: whether to begin on the slow manifold, without vibrations that the steps do not resolve.
        What `x0` names is kept, and prescribed motions; other rates are such that what is stiff bends, twists and
        stretches as little as they allow, and along the modes that ``step`` or ``highest`` damps the deflections are
        those that motion, loads and gravity require.
    pick_up : "matched" or "impact"
        What happens where parameters that change raise the inertia. ``"matched"``: the load moves with the arm when it
        is picked up, and rates are continuous. ``"impact"``: the load is at rest, and momentum is conserved in a
        plastic impact, M der(q) = M_before der(q)_before, but for impulses of closed loops and drives of prescribed
        coordinates. Where inertia falls, what is released goes on as it moves, and rates are continuous.
    max_steps : int
        Integration steps, those of failed attempts included, after which the run stops with a SimulationError, so that
        stiff or chattering equations do not run for hours; ``math.inf`` for no limit. Between changes of parameters.
    time_limit : float, optional
        Wall time [s] after which it stops likewise. Both are checked a few times a second, and after what a method
        derives of large equations, which is not interrupted.
    progress : bool, optional
        Whether to show a progress bar; by default in a terminal, if the run will take more than 2 s.
    seed : int, optional
        Of the noise and lost samples of sensors in a closed loop, see `flexblocks.control.Sensor`, that are not given
        in `u`. Runs of one seed are equal, those of others independent; None means none.

    Returns
    -------
    Trajectory
        After Ctrl-C it ends at the time reached, with ``complete`` False and a FlexblocksWarning.

    Raises
    ------
    NameUnknownError
        An input, state or parameter that the arm does not have.
    ParameterError
        A value is not finite, of the wrong length or of the wrong type.
    SimulationError
        The integration failed, or exceeded `max_steps` or `time_limit`; the error holds the trajectory up to then.

    Warns
    -----
    FlexblocksWarning
        It was interrupted; an input exceeds the limit of its actuator, or the command of a loop that was closed with
        ``limits=False``; its loops pass a change point, see `flexblocks.constraints.singularities.change_points`; the
        work done on it differs from what its energy gains and loses by more than a thousandth of the energy that
        passed; or a beam deflects beyond the small deflections that it is modelled for, see `flexblocks.validity`.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> dae = fb.assemble(models.subudhi_morris_2002())
    >>> traj = fb.simulate(dae, (0.0, 2.0), u={"motor1.torque": fb.bang_bang(0.2, 0.5)})
    >>> traj["link1.tip_deflection_y"].shape
    (1001,)
    """
    simulator = Simulator(
        dae,
        t,
        method,
        saturate=saturate,
        rtol=rtol,
        atol=atol,
        step=step,
        highest=highest,
        spectral_radius=spectral_radius,
        slow_start=slow_start,
        pick_up=pick_up,
        max_steps=max_steps,
        time_limit=time_limit,
        seed=seed,
    )
    return simulator.run(u, x0, p, progress)


class Simulator:
    """Simulations of one arm over the same times, with equations and integrators that are built once.

    Use it in one thread only. Arguments are those of `simulate`.
    """

    def __init__(
        self,
        dae: DAE,
        t: tuple[float, float] | Sequence[float] | np.ndarray,
        method: MethodName = "auto",
        *,
        saturate: bool = False,
        rtol: float = 1e-9,
        atol: float | None = None,
        step: float | None = None,
        highest: float | None = None,
        spectral_radius: float = RADIUS,
        slow_start: bool = False,
        pick_up: Literal["matched", "impact"] = "matched",
        max_steps: float = DEFAULT_STEPS,
        time_limit: float | None = None,
        seed: int | None = 0,
    ) -> None:
        # Check all arguments before anything is computed.
        self.dae, self._saturate = dae, saturate
        self._times, self._sampled = output_times(t, "simulate")
        self._settings = checked_method(method, rtol, atol, step, "simulate", highest, spectral_radius, slow_start)
        self._budget = checked_budget(max_steps, time_limit, "simulate")
        self._pick_up = pick_up if pick_up in PICK_UPS else refuse_pick_up(pick_up, "simulate")
        self._seed = seed
        self._solver = Solver(dae, self._settings)

    def run(
        self,
        u: Mapping[str, Any] | None = None,
        x0: Mapping[str, float] | Sequence[float] | np.ndarray | None = None,
        p: Mapping[str, Any] | Sequence[float] | np.ndarray | None = None,
        progress: bool | None = None,
    ) -> Trajectory:
        """Return the motion under these inputs, from these start values, with these parameters.

        Raises
        ------
        FlexblocksError
            As `simulate`.
        """
        dae, times, sampled = self.dae, self._times, self._sampled
        has_loops = bool(dae.tree.loops.closures)
        changes = isinstance(p, Mapping) and any(map(callable, p.values()))
        constant = None if changes else Parameters(np.zeros(0), dae.p.values(p, "simulate: p: ")[None])
        course = constant or parameters(dae, p, times, "simulate", self._pick_up)
        values = course.values[0]
        if dae.tree.prescribed:
            u, x0 = with_prescribed_motion(dae, u, x0, times, sampled, "simulate")
        if any(dae.u.derivative_of):
            u = with_reference_rates(dae, u, times, sampled, "simulate")
        if dae.clocks:
            u = with_noise(dae.clocks, u, times, self._seed, "simulate")
        signals = inputs(dae.u, u, times, sampled, clocks=dae.clocks, saturate=self._saturate)
        x, _ = consistent_state(dae, x0, values, "simulate: x0: ")
        if x0 is not None:
            warn_of_degrees("simulate: x0: ", dae, x0)
        watched = watched_times(dae, times, x, values) if has_loops else times
        # Integrate; a failure or Ctrl-C ends the record early.
        with ProgressDisplay(f"Simulating {dae.name}", times[-1] - times[0], progress) as bar, Interrupt() as interrupt:
            given = _given(dae, x0) if self._settings.implicit else Given()
            run = times, interrupt, bar, self._budget, watched, given
            if not changes:
                whole = self._solver.integrate(signals, values, x, *run)
            else:
                refuse_changes(dae, course, x, "simulate")
                whole = integrate_parts(self._solver, signals, course, x, *run)
        # Evaluate inputs, outputs and energies at the samples.
        system, where = self._solver.system(signals, values), f"simulate: '{dae.name}'"
        record = at_times(whole, watched, times) if has_loops else whole
        trajectory = sampled_trajectory(system, times, record, course)
        if beyond := excesses(system, trajectory):
            warn_of_limits(where, {"": beyond})
        open_from = opened(dae, trajectory, course) if has_loops else None
        if has_loops and open_from is None and (passed := passages(dae, watched, whole, course)):
            warn(f"{where}: {words([passed])}", CHANGE_POINT)
        if record.failure is not None:
            raise _stopped(dae, times, record, course, trajectory, self._settings.advice)
        if open_from is not None:
            raise _came_open(dae, times, open_from)
        forces = None if record.rates is None else known_forces(dae, record)
        along = course.along(trajectory.t) if changes else values
        warn_of_large_deflections(dae, where, trajectory.x, trajectory.z, trajectory.u, along, trajectory.t, forces)
        if dae.tree.state_ranges:
            warn_of_states(where, {"": beyond_state_ranges(dae, trajectory.x, trajectory.t)})
        if trajectory.dissipated is not None:
            warn_of_dissipation(where, {"": (trajectory.dissipated, trajectory.energy)})
        elif changes or not agree(trajectory.energy):
            warn_of_balances(where, balances(dae, trajectory, course))
        if record.interrupted:
            warn(f"{where} was interrupted at t = {record.reached:.6g} s of {times[-1]:.6g} s.", INTERRUPTED)
        return trajectory


def _given(dae: DAE, x0: Any) -> Given:
    """Return what a start gives: by name what is named, as an array all coordinates."""
    if x0 is None:
        return Given()
    if not isinstance(x0, Mapping):
        return Given(tuple(range(dae.tree.size)))
    named = [name in x0 for name in dae.x.names[: 2 * dae.tree.size]]
    coordinates, rates = np.split(np.array(named, dtype=bool), 2)
    return Given(*(tuple(np.flatnonzero(each).tolist()) for each in (coordinates, rates)))


def _stopped(
    dae: DAE, times: np.ndarray, record: Record, course: Parameters, trajectory: Trajectory, advice: str
) -> SimulationError:
    beside = ahead(dae, times, record, course)
    return SimulationError(
        f"Simulation of '{dae.name}' stopped at t = {record.reached:.9g} s of {times[-1]:.9g} s: "
        f"{record.failure}.{beside} {record.advice or advice} "
        f"The error's .trajectory holds the {len(trajectory.t)} samples computed.",
        trajectory,
        record.reached,
    )


def _came_open(dae: DAE, times: np.ndarray, loops: Opened) -> SimulationError:
    return SimulationError(
        f"Simulation of '{dae.name}' is wrong from t = {loops.time:.9g} s of {times[-1]:.9g} s on: "
        f"{loops.words}. The error's .trajectory holds the {len(loops.before)} samples before.",
        loops.before,
        loops.time,
    )


def whole(run: Trajectory) -> Trajectory:
    """Return a simulated motion on which more is built.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C ended it early.
    """
    if not run.complete:
        raise KeyboardInterrupt
    return run
