"""Single implicit steps under held inputs: of steppers, of rollouts, of sampled loops."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.dae.dae import DAE
from flexblocks.simulation.implicit.displacements import displacements
from flexblocks.simulation.implicit.input_table import InputTable
from flexblocks.simulation.implicit.interpreted_kernel import InterpretedKernel
from flexblocks.simulation.implicit.newton_matrix import SingularMatrix
from flexblocks.simulation.implicit.settings import DONE, ImplicitProblem, ImplicitSettings


def step_problem(dae: DAE, spectral_radius: float) -> ImplicitProblem:
    """Return the settings of single steps of an arm: displacements are measured at its start."""
    x, z = consistent_state(dae, None, dae.p.start, "stepper: x0: ")
    sizes = displacements(dae, x, z, dae.p.start)
    settings = ImplicitSettings(1.0, 1.0, spectral_radius)
    held = held_inputs(dae, x, np.zeros(len(dae.u)), 1.0)
    return ImplicitProblem(dae, settings, sizes, held, np.zeros(1), dae.p.start)


def held_inputs(dae: DAE, x: np.ndarray, u: np.ndarray, h: float) -> InputTable:
    """Return held inputs u (nu,) over a step of h [s] from 0, and the prescribed motions that they are, from x."""
    n, columns = dae.tree.size, list(dae.tree.prescribed_columns)
    a = u[[prescription.input for prescription in dae.tree.prescribed]]
    q, v, none = x[:n][columns], x[n : 2 * n][columns], np.zeros(len(columns))
    rows = [np.stack([u, 0 * u, 0 * u]), np.stack([q, h * v, h * h / 2 * a]), np.stack([v, h * a, none])]
    ends = np.array([0.0, h])
    return InputTable(ends, np.array([0, 1]), ends, np.hstack(rows).T[None])


class HeldSteps:
    """Steps of one run on CasADi's virtual machine; as ``implicit_advance`` of the compiled kernel.

    Parameters
    ----------
    problem : ImplicitProblem
    """

    def __init__(self, problem: ImplicitProblem) -> None:
        self._problem, self._kernel = problem, InterpretedKernel(problem)
        self._u, self._p = np.zeros(0), np.zeros(0)

    def advance(self, X: np.ndarray, u: np.ndarray, p: np.ndarray, h: float) -> np.ndarray:
        """Return the state with work X (nx + 1,) after a step of h [s] under held inputs u (nu,).

        A state whose motion is that after the last step continues with its accelerations, which jump by what inputs and
        first-order states change; another one begins anew.

        Raises
        ------
        RuntimeError
            The step fails.
        """
        at, n, x = self._kernel.integration, self._problem.dae.tree.size, X[:-1]
        goes_on = at.is_started and np.array_equal(at.x[: 2 * n], x[: 2 * n]) and np.array_equal(self._p, p)
        known = goes_on and np.array_equal(at.x, x) and np.array_equal(self._u, u)
        try:
            if not goes_on:
                self._kernel = InterpretedKernel(self._problem)
                at = self._kernel.integration
                at.set_state(0.0, 0, x, self._problem.dae.z.start)
                at.set_parameters(p)
            elif not known:
                at.leave()
                at.set_state(at.t, 0, x, at.z)
            at.t, at.inputs, self._u, self._p = 0.0, held_inputs(self._problem.dae, x, u, h), u.copy(), p.copy()
            before = at.work[0]
            if (not known and not at.start()) or self._kernel.equal_step(h) != DONE:
                raise RuntimeError("an implicit step fails")
        except SingularMatrix:
            raise RuntimeError("an implicit step meets a singular matrix") from None
        return np.append(at.x, X[-1] + at.work[0] - before)
