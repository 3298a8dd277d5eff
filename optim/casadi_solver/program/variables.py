"""The free and fixed Pyomo variables of a nonlinear program, in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from pyomo.core.base.var import VarData

from .constants import numeric_value
from .errors import UnsupportedModelError


@dataclass
class ProgramVariables:
    """The columns of a program: free variables, then the fixed ones that grey boxes take as parameters.

    Fixed variables are substituted, not bounded: a fixed initial state then leaves no redundant column.
    """

    free: list[VarData] = field(default_factory=list)
    fixed: list[VarData] = field(default_factory=list)
    _position: dict[int, int] = field(default_factory=dict)  # fixed ones count -1, -2, ...

    def add(self, variables: Iterable[VarData]) -> None:
        """Add variables; those already present keep their positions.

        Raises
        ------
        UnsupportedModelError
            A free variable is integer or binary.
        """
        position = self._position
        for var in variables:
            if id(var) in position:
                continue
            if var.fixed:
                self.fixed.append(var)
                position[id(var)] = -len(self.fixed)
                continue
            if not var.is_continuous():
                raise UnsupportedModelError(
                    f"Var '{var.name}' has the domain {var.domain}; IPOPT needs continuous variables. Fix it, or relax "
                    "it with TransformationFactory('core.relax_integer_vars')."
                )
            position[id(var)] = len(self.free)
            self.free.append(var)

    def __contains__(self, key: int) -> bool:
        return key in self._position

    def positions(self, keys: Iterable[int]) -> np.ndarray:
        """Return the columns of variables by their ids; the fixed ones follow the free ones."""
        position, n = self._position, len(self.free)
        positions = np.fromiter((position[key] for key in keys), dtype=np.int64)
        return np.where(positions < 0, n - 1 - positions, positions)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the present lower and upper bounds (n,), of declaration and domain together.

        Variables fixed since compilation have their value for both.
        """
        limits = [(var.value, var.value) if var.fixed else var.bounds for var in self.free]
        lower, upper = np.array(limits, dtype=float).reshape(-1, 2).T  # None becomes nan
        return np.where(np.isnan(lower), -np.inf, lower), np.where(np.isnan(upper), np.inf, upper)

    def start(self) -> np.ndarray:
        """Return the present values (n,); a variable without one starts at 0, moved into its bounds."""
        values = np.array([var.value for var in self.free], dtype=float)
        missing = np.isnan(values)
        return np.where(missing, np.clip(0.0, *self.bounds()), values) if missing.any() else values

    def fixed_values(self) -> np.ndarray:
        """Return the present values of the fixed variables."""
        return np.array([numeric_value(var) for var in self.fixed], dtype=float)
