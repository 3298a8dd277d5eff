"""An integration method with all that it needs built, ready for run after run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.chunks import Pace
from flexblocks.simulation.driven_equations import Equations, System, equations
from flexblocks.simulation.inputs import Inputs
from flexblocks.simulation.interrupt import Interrupt
from flexblocks.simulation.method import Method, automatic, new_stepper
from flexblocks.simulation.progress import ProgressBar
from flexblocks.simulation.run import Record, Run
from flexblocks.simulation.stepper import Stepper


@dataclass(eq=False)
class Solver:
    """Builds equations and integrators at the first run and uses them again for all whose inputs have the same form.

    It belongs to one thread, as its equations do.

    Attributes
    ----------
    dae : DAE
    method : Method
    """

    dae: DAE
    method: Method
    _form: tuple[object, ...] | None = None
    _equations: Equations | None = None
    _steppers: dict[str, Stepper] = field(default_factory=dict)

    def system(self, inputs: Inputs, p: np.ndarray) -> System:
        """Return what is integrated under these inputs with these values of the parameters (np,)."""
        if self._equations is None or inputs.form != self._form:
            self._form, self._equations = inputs.form, equations(self.dae, inputs)
            self._steppers.clear()
        return System(self._equations, p, inputs)

    def integrate(
        self,
        inputs: Inputs,
        p: np.ndarray,
        x: np.ndarray,
        times: np.ndarray,
        interrupt: Interrupt,
        bar: ProgressBar | None = None,
    ) -> Record:
        """Return what a run from the state `x` (nx,) over the output `times` (k,) [s] has reached."""
        system, X = self.system(inputs, p), np.append(x, 0.0)  # no work is done yet
        name = automatic(system, X) if self.method.name == "auto" else self.method.name
        if name not in self._steppers:
            self._steppers[name] = new_stepper(system.equations, name, self.method)
        pace = Pace(times[0], times[-1], self.dae.interpreted.motion.n_instructions(), bar)
        return Run(system, self._steppers[name], times, pace, interrupt).integrate(X)
