"""Efforts of integration methods: CPU time predicted from counts, so that choices by it are always the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from flexblocks.simulation.integrators.driven_equations import DrivenEquations

# Times [s], roughly, as only their ratios matter. An instruction of CasADi's virtual machine, and
# one of machine code; what is added to an explicit step, to an iteration and to factors; an entry of their matrices.
INTERPRETED, COMPILED = 5.5e-9, 5e-10
STEP, ITERATION, FACTORS = 5e-6, 6e-5, 3e-4
ENTRY, INVERTED = 1.5e-9, 2e-9
# Instructions of a Jacobian, as a share of those of the equations in each of its columns, and the time to derive one.
SHARE, DERIVED = 0.4, 4e-7


@dataclass
class Effort:
    """What the steps of a collocation method have taken so far.

    Attributes
    ----------
    equations : DrivenEquations
    stages : int
    total : float
        [s]
    """

    equations: DrivenEquations
    stages: int
    total: float = 0.0
    _evaluation: float = field(init=False)

    def __post_init__(self) -> None:
        dae = self.equations.dae
        self._evaluation, self._size = _evaluation_effort(self.equations), len(dae.x) + 1
        self._columns = dae.interpreted.motion.n_instructions() * self._size

    @property
    def beginning(self) -> float:
        """What it takes to derive the Jacobian [s]."""
        return DERIVED * self._columns

    @property
    def _iteration(self) -> float:
        return self.stages * (self._evaluation + ENTRY / 2 * self._size**2) + ITERATION

    @property
    def of_step(self) -> float:
        """What a step of five iterations takes, without factors [s]."""
        return 5 * self._iteration

    def add_iteration(self) -> None:
        self.total += self._iteration

    def add_factors(self) -> None:
        self.total += FACTORS + INVERTED * self.stages / 2 * (self._size / 2) ** 3

    def add_jacobian(self) -> None:
        self.total += INTERPRETED * SHARE * self._columns


def step_effort(equations: DrivenEquations, evaluations: int) -> float:
    """Return what a step of an explicit method takes, of so many evaluations [s]."""
    return STEP + evaluations * _evaluation_effort(equations)


def _evaluation_effort(equations: DrivenEquations) -> float:
    dae = equations.dae
    return dae.interpreted.motion.n_instructions() * (INTERPRETED if dae.library is None else COMPILED)
