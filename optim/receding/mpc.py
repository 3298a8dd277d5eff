"""Model predictive control in real time: a law that plans over a receding horizon at every sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.control.design.arm_model import ArmModel
from flexblocks.control.law import Bound, Law
from flexblocks.control.laws.sampled import Sampled
from flexblocks.control.measured import Measured
from flexblocks.control.naming import reference_name
from flexblocks.control.reference_inputs import References
from flexblocks.control.saturation import Actuators
from flexblocks.control.sensing.sensed_arm import without_sensors
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.interfaces.variables import Variables, variables
from flexblocks.simulation.trajectory import Trajectory

from ..problem.objectives.objective import Objective
from ..problem.objectives.tracking import Tracking
from ..problem.path_constraints import checked_path
from ..problem.path_constraints.path_constraint import PathConstraint
from .compiled_iteration import CompiledIteration
from .iteration_setup import Setup, checked_limits, setup
from .report import Report, report_of


class MPC(Law):
    """Model predictive control: at every sample the inputs that track signals best over a receding horizon.

    One real-time iteration (Diehl, Bock & Schloeder 2005) a sample: implicit Runge-Kutta steps of the equations of
    motion over a grid, one Newton step of their optimality conditions, a quadratic programme.

    Parameters
    ----------
    dae : DAE
        The prediction model. `control.close_loop` takes any arm that has its states and inputs by name, or an observer
        of them, as in ``OutputFeedback(mpc, SampledKalman(...))``.
    objective : Tracking
        The signals to track, their references, and their tolerances. A path of None is an input of the closed loop,
        ``reference.payload.x``; all others are known ahead, over time since the first sample [s].
    sample_time : float
        [s]
    horizon : float
        How far ahead it plans [s].
    intervals : int
        Of the horizon; their lengths are a geometric series whose first is the sample time.
    limits : dict, optional
        By input, in place of its own limit, and by state or signal, such as ``payload.y`` or ``link1.largest_stress``,
        a magnitude or (low, high). Those of inputs hold; the others are soft: they are kept where they can be.
    path : PathConstraint or sequence, optional
        What `optim.RestToRest` takes, as ``KeepOut(Sphere(...), links="link2")``; soft, too.
    rates : dict, optional
        Largest rate of each input [its unit/s], by name; these hold.
    effort : float or dict, optional
        What of each input, beyond what holds the arm in its posture, counts as a signal that is off by its tolerance;
        by default a tenth of its limit.
    inputs : sequence of str, optional
        The inputs that it drives, by default the actuators.
    delay : float
        From the sample to the moment its command takes effect [s], of any length. It predicts over it.
    disturbance_time : float or None
        Time in which its estimate of a constant generalised force follows what the arm does otherwise than predicted
        [s], which makes it free of offsets; None for no estimate. By default a third of the horizon.
    deadline : float, optional
        Time [s] by the wall clock after which an iteration gives up and a fall-back acts. Such runs depend on the
        machine and its load; by default there is none.
    at : dict, optional
        States of the posture in whose neighbourhood it works, which gives scales and terminal cost; by default the
        start values. Loops are closed by what is not named.
    solver : str
        Of the quadratic programme. ``"condensed"``: primal-dual active sets on the Riccati recursion, and where limits
        on states or rates act an interior-point method without the states, of the library's own; ``"hpipm"``: HPIPM
        with BLASFEO, from CasADi's wheel.
    name : str
        Prefix of its states, the memory of a run.

    Attributes
    ----------
    grid : ndarray (intervals,)
        Lengths [s].
    cost_to_go_left_out : float or None
        Share of the regulator's cost-to-go that the terminal cost cannot express by the signals and what holds the arm;
        None where there is no such regulator, so that the terminal cost is the distance of the signals alone.

    Notes
    -----
    States of the closed loop are its counters and a key to its plan, which follows from the plan's content, so that
    runs, copies and pickles are independent of each other. A run that goes on in another process begins a plan anew. It
    has no derivatives: `linearize`, `equilibrium` and plans refuse it, as all sampled loops.

    Its code is compiled when a loop is first closed with it, and kept as that of `DAE.compile`. Where there is no C
    compiler, NumPy takes the same iterations many times as slowly, with a warning; such a loop cannot be pickled.

    Raises
    ------
    FlexblocksError
        An unknown name; a value out of range; a limit that excludes the range of an actuator or joint; a posture that
        does not close the loops; a model with algebraic variables or sampled controllers; or, with that solver,
        CasADi's wheel has no HPIPM.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import control, models, optim
    >>> dae = fb.assemble(models.subudhi_morris_2002(modes=1))
    >>> task = optim.Tracking({"payload.x": 0.9, "payload.y": 0.1}, tolerance=1e-3)
    >>> mpc = optim.MPC(dae, task, sample_time=2e-3, horizon=0.6, limits={"motor1.torque": 4.0, "motor2.torque": 2.0})
    >>> loop = control.close_loop(dae, mpc)
    >>> run = fb.simulate(loop, (0.0, 0.02))
    >>> mpc.report(run).lost
    False
    """

    def __init__(
        self,
        dae: DAE,
        objective: Objective,
        sample_time: float,
        horizon: float,
        intervals: int = 20,
        limits: Mapping[str, float | tuple[float, float]] | None = None,
        *,
        path: PathConstraint | Sequence[PathConstraint] = (),
        rates: Mapping[str, float] | None = None,
        effort: float | Mapping[str, float] | None = None,
        inputs: Sequence[str] | str | None = None,
        delay: float = 0.0,
        disturbance_time: float | str | None = "auto",
        deadline: float | None = None,
        at: Mapping[str, float] | None = None,
        solver: Literal["condensed", "hpipm"] = "condensed",
        name: str = "mpc",
    ) -> None:
        if not isinstance(objective, Tracking):
            raise ParameterError(
                f"MPC: objective = {objective!r}; must be an optim.Tracking of named signals, with their tolerances."
            )
        self.dae, self.objective, self.name = dae.interpreted, objective, name
        self.sample_time = _number("sample_time", sample_time, 0.0)
        self.horizon, self.intervals = _number("horizon", horizon, 0.0), _whole("intervals", intervals)
        if self.horizon < self.sample_time * self.intervals * (1 - 1e-9):
            raise ParameterError(
                f"MPC: horizon = {horizon!r} s is shorter than {intervals} intervals of the sample time "
                f"{sample_time!r} s; must be as long at least. Take fewer intervals or a longer horizon."
            )
        self.delay = 0.0 if _is_zero(delay) else _number("delay", delay, 0.0)
        if disturbance_time == "auto":
            disturbance_time = self.horizon / 3
        elif disturbance_time is not None:
            disturbance_time = _number("disturbance_time", disturbance_time, 0.0)
        self.disturbance_time = disturbance_time
        self.deadline = None if deadline is None else _number("deadline", deadline, 0.0)
        self.limits: Mapping[str, tuple[float, float]] = checked_limits(limits, "limits")
        self.path = checked_path("MPC: path", path)
        self.rates: Mapping[str, float] = dict(rates or {})
        self.effort, self.inputs = effort, inputs
        self.at: Mapping[str, float] = dict(at or {})
        self.solver = solver
        self._setup: Setup = setup(self)

    @property
    def grid(self) -> np.ndarray:
        """Lengths of the intervals [s]."""
        return self._setup.grid

    @property
    def cost_to_go_left_out(self) -> float | None:
        """Share of the regulator's cost-to-go that the terminal cost leaves out; None where there is no regulator."""
        return self._setup.left_out

    @cached_property
    def iteration(self) -> ca.Function:
        """One iteration, function (state, x, references, p) -> state, command."""
        made = self._setup.iteration
        return made.foreign.function() if isinstance(made, CompiledIteration) else made

    @property
    def states(self) -> Variables:
        """The states that it adds to a closed loop: counters, the estimated force, and a key to its memory."""
        return self._setup.states(self.name)

    @property
    def predicted_delay(self) -> float:
        """From a sample to the moment its command takes effect [s], over which it predicts."""
        return self.delay

    @property
    def driven(self) -> tuple[str, ...]:
        """The inputs that it drives."""
        return self._setup.inputs

    @property
    def reference_variables(self) -> Variables:
        """References of all signals, those that are known ahead included."""
        made = self._setup
        names = [reference_name(signal) for signal in self.objective.paths]
        return variables("reference", list(zip(names, made.signal_units, made.start_values, strict=True)))

    @property
    def predicts_from_states(self) -> bool:
        """Whether a controller by itself measures all states."""
        return True

    @property
    def release(self) -> float | None:
        """From a sample to the moment in it at which a command takes effect [s]; None for the sample itself."""
        return self._setup.release

    @property
    def memory_size(self) -> int:
        """How many numbers the memory of a run is."""
        return self._setup.memory_size

    def controller_source(self, name: str) -> str:
        """Return the C code of the law by itself, with functions ``name_init`` and ``name_step``."""
        return self._setup.controller_source(name)

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        return Sampled(self, self.sample_time).bind(dae, actuators)

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        del actuators
        if sample_time != self.sample_time:
            raise ParameterError(
                f"MPC: sampled every {sample_time!r} s, but made for {self.sample_time!r} s; must be the same."
            )
        made = self._setup
        plant = without_sensors(dae)
        image = ArmModel(self.dae, dae, {}, "MPC")
        x = image.in_arm_symbols(self.dae.x.symbol)
        same = self.dae.tree is plant.tree
        p = plant.p.symbol if same else ca.SX(ca.DM(self.dae.p.start))
        references, now = References(), []
        starts = made.start_values
        for i, (signal, path) in enumerate(self.objective.paths.items()):
            unit = made.signal_units[i]
            known = ca.SX(0) if path is not None else references.of(Measured(signal, ca.SX(0), unit, starts[i]))
            now.append(known)
        states = self.states
        memory, command = self.iteration(states.symbol, x, ca.vertcat(*now), p)
        commands = dict(zip(made.inputs, ca.vertsplit(command), strict=True))
        return Bound(commands, references.variables(), states, (memory - states.symbol) / sample_time)

    def designed_on(self, model: DAE) -> MPC:
        return self

    def report(self, run: Trajectory) -> Report:
        """Return what the iterations of a run did.

        Parameters
        ----------
        run : Trajectory
            Of a loop that this law has closed. Times are those of the iterations at its samples, as far as they were
            taken in this process and lately.

        Raises
        ------
        ParameterError
            The run is not of such a loop.
        """
        made = self._setup.iteration
        return report_of(self.name, self.states.names, made, isinstance(made, CompiledIteration), run)

    def without_deadline(self) -> MPC:
        """Return the law whose iterations take as long as they take."""
        again, (*arguments, options) = self.__reduce__()
        return again(*arguments, options | {"deadline": None})

    def __reduce__(self) -> Any:
        options = {
            "limits": self.limits,
            "path": self.path,
            "rates": self.rates,
            "effort": self.effort,
            "inputs": self.inputs,
            "delay": self.delay,
            "disturbance_time": self.disturbance_time,
            "deadline": self.deadline,
            "at": self.at,
            "solver": self.solver,
            "name": self.name,
        }
        return _again, (self.dae, self.objective, self.sample_time, self.horizon, self.intervals, options)

    def __repr__(self) -> str:
        return (
            f"MPC({self.dae.name!r}, {self.objective}, sample_time={self.sample_time:g}, horizon={self.horizon:g}, "
            f"intervals={self.intervals})"
        )


def _again(dae: DAE, objective: Tracking, sample_time: float, horizon: float, intervals: int, options: dict) -> MPC:
    return MPC(dae, objective, sample_time, horizon, intervals, **options)


def _number(name: str, value: Any, least: float) -> float:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not least < float(value) < np.inf:
        raise ParameterError(f"MPC: {name} = {value!r}; must be a number > {least:g}.")
    return float(value)


def _is_zero(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and float(value) == 0.0


def _whole(name: str, value: Any) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 2:
        raise ParameterError(f"MPC: {name} = {value!r}; must be a whole number >= 2.")
    return int(value)
