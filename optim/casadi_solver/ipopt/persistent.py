"""The solver that keeps what it made for the next solve of the same model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyomo.contrib.solver.common.base import PersistentSolverBase
from pyomo.contrib.solver.common.factory import SolverFactory
from pyomo.core.base.block import BlockData
from pyomo.core.base.constraint import ConstraintData
from pyomo.core.base.objective import ObjectiveData
from pyomo.core.base.var import VarData

from ..program.nlp import compile_nlp
from ..program.staleness import Structure
from .solver import CasadiSolver, Prepared


@SolverFactory.register(
    "casadi_persistent", legacy_name="casadi_persistent", doc="IPOPT through CasADi, kept for re-solves"
)
class CasadiPersistentSolver(CasadiSolver, PersistentSolverBase):
    """Solves one model again and again after its numbers have changed.

    Params and fixed variables become parameters of the program, so that functions, derivatives and solver are made
    once. Values and bounds of variables, values of Params and of fixed variables, parameters of grey boxes and suffixes
    are read anew for every solve; a variable may be fixed between solves. Whatever else has changed since the last
    solve, such as constraints, expressions, the objective, or a variable set free, is noticed and the program made
    anew: ``results.extra_info.rebuilt`` says why, and is None if nothing was made. Nothing has to be announced.

    With ``warm_start=True`` a solve starts from the multipliers at the end of the last one.
    """

    CONFIG = CasadiSolver.CONFIG()

    def __init__(self, **kwds: Any):
        super().__init__(**kwds)
        self._kept: tuple[Prepared, Structure, bool] | None = None
        self._why = "first solve"

    def set_instance(self, model: BlockData) -> None:
        """Compile `model` now instead of at its first solve.

        Raises
        ------
        UnsupportedModelError
        """
        self._kept = None
        self._prepare(model, self.config)

    def prepare(self) -> None:
        """Prepare the next warm start, which then takes half the time: factor at the last solution.

        For solves whose numbers come late, as those of the state in model predictive control: prepare while they are
        waited for (the preparation phase of real-time iterations; Diehl et al. 2002). Without it the next solve does it
        where needed.
        """
        if self._kept is not None and self._kept[0].ipopt is not None:
            self._kept[0].ipopt.prepare()

    def set_objective(self, obj: ObjectiveData | None) -> None:
        """Compile the model anew at the next solve. Not needed: changes are found."""
        self._forget("another objective")

    def add_constraints(self, cons: Sequence[ConstraintData]) -> None:
        """Compile the model anew at the next solve. Not needed: changes are found."""
        self._forget("constraints added")

    def remove_constraints(self, cons: Sequence[ConstraintData]) -> None:
        """Compile the model anew at the next solve. Not needed: changes are found."""
        self._forget("constraints removed")

    def add_block(self, block: BlockData) -> None:
        """Compile the model anew at the next solve. Not needed: changes are found."""
        self._forget("block added")

    def remove_block(self, block: BlockData) -> None:
        """Compile the model anew at the next solve. Not needed: changes are found."""
        self._forget("block removed")

    def update_variables(self, variables: Sequence[VarData]) -> None:
        """Do nothing: every solve reads the values and bounds of all variables."""

    def update_parameters(self) -> None:
        """Do nothing: every solve reads the values of all Params."""

    def _forget(self, why: str) -> None:
        self._kept, self._why = None, why

    def _prepare(self, model: BlockData, config: Any) -> Prepared:
        if self._kept is not None:
            prepared, structure, compiled = self._kept
            why = structure.change(model) or (None if compiled == config.compile else "option compile")
            if why is None:
                prepared.rebuilt = None
                return prepared
            self._why = why
        self._kept = None  # whatever goes wrong below, nothing old is left
        prepared = Prepared(compile_nlp(model, symbolic=True), self._why)
        self._kept = prepared, Structure(prepared.nlp), config.compile
        return prepared
