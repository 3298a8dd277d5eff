"""Simulation as a task: the motion of an arm, or of a closed loop, in each case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, listing, nearest
from flexblocks.simulation.simulate import Simulator
from flexblocks.simulation.trajectory import GROUPS, Trajectory
from flexblocks.studies.cases import Case
from flexblocks.studies.outcome import Form, Variable
from flexblocks.tasks.arm import Arms, split


@dataclass(frozen=True)
class Simulate:
    """Simulation of each case; what a case names are parameters, start values and inputs.

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
        More arguments of `flexblocks.simulate`: method, rtol, atol, step, max_steps, time_limit.

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

    def motion(self, case: Case) -> Trajectory:
        """Return the motion of a case."""
        task = self._task
        dae, rest = self._arms.at(case)
        if self._simulator is None or self._simulator.dae is not dae:
            self._simulator, self._form = Simulator(dae, task.t, **task.options), None
        values = split(dae, rest)
        return self._simulator.run(dict(task.u) | values["u"], dict(task.x0) | values["x"], dict(task.p) | values["p"])

    def __call__(self, case: Case) -> tuple[Form, tuple[np.ndarray, ...]]:
        """Return the variables that are kept, with their form."""
        motion = self.motion(case)
        if self._form is None:
            assert self._simulator is not None  # it has made the motion
            self._form = _form(motion, self._task.keep, self._simulator.dae)
        return self._form, tuple(motion[variable.name] for variable in self._form.variables)


def _form(motion: Trajectory, keep: Sequence[str] | None, dae: DAE) -> Form:
    groups = {name: group for group in GROUPS for name in motion.names[group]}
    for name in keep or ():
        if name not in groups:
            raise NameUnknownError(
                f"Simulate: keep: '{dae.name}' has no variable '{name}' ({listing(groups)}).{nearest(name, groups)}"
            )
    variables = tuple(
        Variable(name, ("time",), motion.t.shape, float, (("units", motion.unit(name)), ("group", groups[name])))
        for name in (groups if keep is None else dict.fromkeys(keep))
    )
    return Form(variables, {"time": (("time",), motion.t, (("units", "s"),))}, {"model": motion.model})
