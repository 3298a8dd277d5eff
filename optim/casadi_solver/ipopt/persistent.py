"""Persistent solver: keeps the compiled program between solves of the same model."""

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
from .config import CasadiPersistentConfig
from .solver import CasadiSolver, Prepared


@SolverFactory.register(
    "casadi_persistent", legacy_name="casadi_persistent", doc="IPOPT through CasADi, kept for re-solves"
)
class CasadiPersistentSolver(CasadiSolver, PersistentSolverBase):
    """Solves one model repeatedly after changes of its data.

    Params and fixed variables become parameters of the program, so that functions, derivatives and solver are built
    once. Values and bounds of variables, values of Params and of fixed variables, parameters of grey boxes and suffixes
    are read before every solve; a variable may be fixed between solves. Any other change since the last solve, such as
    of constraints, expressions, the objective, or an unfixed variable, is detected and the program rebuilt:
    ``results.extra_info.rebuilt`` gives the reason, or None. Changes need not be announced, unless ``auto_updates``
    turns the search for them off.

    With ``warm_start=True`` a solve starts from the multipliers at the end of the last one.
    """

    CONFIG = CasadiPersistentConfig()

    def __init__(self, **kwds: Any):
        super().__init__(**kwds)
        self._kept: tuple[Prepared, Structure, bool] | None = None
        self._why = "first solve"
        self._announced: set[str] = set()

    def set_instance(self, model: BlockData) -> None:
        """Compile `model` now rather than at its first solve.

        Raises
        ------
        UnsupportedModelError
        """
        self._kept = None
        self._prepare(model, self.config)

    def prepare(self) -> None:
        """Prepare the next warm start by factoring at the last solution, which halves its time.

        The preparation phase of real-time iteration (Diehl et al. 2002), for data that arrive late, such as the state
        in model predictive control. Without it the next solve factors if needed.
        """
        if self._kept is not None and self._kept[0].ipopt is not None:
            self._kept[0].ipopt.prepare()

    def set_objective(self, obj: ObjectiveData | None) -> None:
        """Compile the model anew at the next solve. Optional: changes are detected."""
        self._forget("another objective")

    def add_constraints(self, cons: Sequence[ConstraintData]) -> None:
        """Compile the model anew at the next solve. Optional: changes are detected."""
        self._forget("constraints added")

    def remove_constraints(self, cons: Sequence[ConstraintData]) -> None:
        """Compile the model anew at the next solve. Optional: changes are detected."""
        self._forget("constraints removed")

    def add_block(self, block: BlockData) -> None:
        """Compile the model anew at the next solve. Optional: changes are detected."""
        self._forget("block added")

    def remove_block(self, block: BlockData) -> None:
        """Compile the model anew at the next solve. Optional: changes are detected."""
        self._forget("block removed")

    def update_variables(self, variables: Sequence[VarData]) -> None:
        """Compare the variables with the compiled program at the next solve, even if ``auto_updates`` does not.

        Optional otherwise: every solve reads the values and bounds of all variables.
        """
        self._announced.add("update_vars")

    def update_parameters(self) -> None:
        """Compare the Params in exponents with the compiled program at the next solve, as for `update_variables`.

        Optional otherwise: every solve reads the values of all Params.
        """
        self._announced.add("update_parameters")

    def _forget(self, why: str) -> None:
        self._kept, self._why = None, why

    def _prepare(self, model: BlockData, config: Any) -> Prepared:
        if self._kept is not None:
            prepared, structure, compiled = self._kept
            looked_for = {name for name, on in config.auto_updates.value().items() if on} | self._announced
            why = structure.change(model, looked_for) or (None if compiled == config.compile else "option compile")
            self._announced = set()
            if why is None:
                prepared.rebuilt = None
                return prepared
            self._why = why
        self._kept = None  # if anything below fails, no stale program is left
        prepared = Prepared(compile_nlp(model, symbolic=True), self._why)
        self._kept = prepared, Structure(prepared.nlp), config.compile
        return prepared
