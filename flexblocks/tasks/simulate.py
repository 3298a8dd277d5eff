"""Simulation as a task: the motion of an arm, or of a closed loop, in each case."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, meant, suggestion
from flexblocks.simulation.sampling import output_times
from flexblocks.simulation.signals.inputs import inputs
from flexblocks.simulation.signals.parameters import change, parameters
from flexblocks.simulation.simulate import Simulator
from flexblocks.simulation.trajectory import ENERGIES, GROUPS, Trajectory
from flexblocks.studies.cases import Case
from flexblocks.studies.outcome import Form, Variable
from flexblocks.tasks.arm import Arms, split


@dataclass(frozen=True)
class Simulate:
    """Simulation of each case; a case names parameters, start values and inputs.

    Parameters
    ----------
    arm : DAE, Model or callable
        Of a Model, parameters that vary are left symbolic. A function, ``flexblocks.models.yu_chen_2019`` for one,
        takes what its arguments name from the case, and returns a Model or a DAE.
    t : tuple of 2 floats, or array (k,)
        As for `flexblocks.simulate`.
    u, x0, p : dict, optional
        Inputs, start values and parameters that all cases share, as for `flexblocks.simulate`.
    keep : sequence of str, optional
        Variables that are kept; by default all.
    law : control law, optional
        Closes the loop; see `flexblocks.control.close_loop`.
    options : dict, optional
        More arguments of `flexblocks.simulate`: method, saturate, rtol, atol, step, max_steps, time_limit.

    Notes
    -----
    A run that stops before its end is a case that failed.
    """

    arm: Any
    t: Any
    u: Mapping[str, Any] = field(default_factory=dict)
    x0: Mapping[str, float] = field(default_factory=dict)
    p: Mapping[str, float] = field(default_factory=dict)
    keep: Sequence[str] | None = None
    law: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What the study is called."""
        return f"simulations of {getattr(self.arm, 'name', None) or getattr(self.arm, '__name__', 'arms')}"

    def prepare(self, names: tuple[str, ...]) -> Simulations:
        """Return what simulates the cases one by one."""
        return Simulations(self, Arms(self.arm, names, self.law))

    def __call__(self, case: Case) -> Trajectory:
        """Return the motion of one case."""
        return self.prepare(tuple(case)).motion(case)


class Simulations:
    """Simulations with equations and integrators that are built once."""

    def __init__(self, task: Simulate, arms: Arms) -> None:
        self._task, self._arms = task, arms
        self._simulator: Simulator | None = None
        self._form: Form | None = None
        if arms.only is not None:
            _check(task, arms.only)

    def motion(self, case: Case) -> Trajectory:
        """Return the motion of a case."""
        task = self._task
        dae, rest = self._arms.at(case)
        if self._simulator is None or self._simulator.dae is not dae:
            self._simulator, self._form = _simulator(task, dae), None
        values = split(dae, rest)
        return self._simulator.run(dict(task.u) | values["u"], dict(task.x0) | values["x"], dict(task.p) | values["p"])

    def __call__(self, case: Case) -> tuple[Form, tuple[np.ndarray, ...]]:
        """Return the variables that are kept, with their form."""
        motion = self.motion(case)
        if self._form is None:
            assert self._simulator is not None  # it has made the motion
            self._form = _form(motion, self._task.keep, self._simulator.dae)
        return self._form, tuple(motion[variable.name] for variable in self._form.variables)


def _check(task: Simulate, dae: DAE) -> None:
    """Refuse what would let every case fail: times, options, names of inputs, start values, parameters and variables.

    Raises
    ------
    ParameterError, NameUnknownError
    """
    _simulator(task, dae)
    for name, shared in (("u", task.u), ("x0", task.x0), ("p", task.p)):
        if not isinstance(shared, Mapping):
            raise ParameterError(f"Simulate: {name} = {shared!r}; must be a dict by name.")
    times, sampled = output_times(task.t, "Simulate")
    if not dae.tree.prescribed:  # whose motion is given like inputs
        inputs(dae.u, dict(task.u), times, sampled, clocks=dae.clocks)
        dae.x.values(task.x0, "Simulate: x0: ")
    if change(task.p):
        parameters(dae, task.p, times, "Simulate")
    else:
        dae.p.values(task.p, "Simulate: p: ")
    if isinstance(task.keep, str) or not isinstance(task.keep, (Sequence, type(None))):
        raise ParameterError(f"Simulate: keep = {task.keep!r}; must be a list of names of variables.")
    known = (*dae.x.names, *dae.z.names, *dae.u.names, *dae.y.names, *ENERGIES)
    _check_kept(task.keep or (), known, dae)


def _simulator(task: Simulate, dae: DAE) -> Simulator:
    allowed = list(inspect.signature(Simulator).parameters)[2:]
    for name in task.options if isinstance(task.options, Mapping) else (task.options,):
        if name not in allowed:
            told = f"must be a dict with some of {', '.join(allowed)}."
            raise ParameterError(f"Simulate: options: {name!r}{meant(name, allowed, told)}")
    return Simulator(dae, task.t, **task.options)


def _check_kept(keep: Sequence[str], known: Collection[str], dae: DAE) -> None:
    for name in keep:
        if name not in known:
            raise NameUnknownError(f"Simulate: keep: '{dae.name}' has no variable '{name}'{suggestion(name, known)}")


def _form(motion: Trajectory, keep: Sequence[str] | None, dae: DAE) -> Form:
    groups = {name: group for group in GROUPS for name in motion.names[group]}
    _check_kept(keep or (), groups, dae)
    variables = tuple(
        Variable(name, ("time",), motion.t.shape, float, (("units", motion.unit(name)), ("group", groups[name])))
        for name in (groups if keep is None else dict.fromkeys(keep))
    )
    return Form(variables, {"time": (("time",), motion.t, (("units", "s"),))}, {"name": motion.name})
