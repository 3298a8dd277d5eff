"""Operating point: states, algebraic variables, inputs and parameters of an arm, by name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.lazy_package import upper
from flexblocks.modeling.model import Model
from flexblocks.rich_display import Animated, text_table

from .balance import unknown_slices


@dataclass(frozen=True, eq=False)
class OperatingPoint(Animated):
    """Operating point, about which an arm can be linearised or from which a simulation can start.

    Attributes
    ----------
    states, algebraics, inputs, parameters : tuple of str
        Names, in the order of the DAE.
    x, z, u, p : ndarray
        Their values, in SI units.
    residual : ndarray (n + nw + nz,)
        Residual at rest: unbalanced force at each of the n coordinates [N m or N], rate of each first-order state,
        residual of each algebraic equation.
    multipliers : tuple of str
    forces : ndarray (m,)
        Names and values of the loop forces [N] and torques [N m].
    dae : DAE or None
        The arm, for its outputs; None for a point that was pickled, which keeps its outputs, or read from a file that
        holds no arm, which has none.

    Examples
    --------
    ``op["joint1.angle"]``, ``op["motor1.torque"]``, ``op["payload.x"]``; ``fb.simulate(dae, t, x0=op.x, u=op.u)``.
    """

    states: tuple[str, ...]
    algebraics: tuple[str, ...]
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    x: np.ndarray
    z: np.ndarray
    u: np.ndarray
    p: np.ndarray
    residual: np.ndarray
    multipliers: tuple[str, ...] = ()
    forces: np.ndarray = field(default_factory=lambda: np.zeros(0))
    dae: DAE | None = field(default=None, repr=False, compare=False)

    @property
    def model(self) -> Model | None:
        """The model of the arm; None if `dae` is, or is a closed loop of control."""
        return None if self.dae is None else self.dae.model

    def of(self, dae: DAE) -> OperatingPoint:
        """Return this point with the arm it is of; see the attribute ``dae``.

        Raises
        ------
        ParameterError
            The arm has other states, algebraic variables, inputs or parameters.
        """
        for what, names, variables in (
            ("states", self.states, dae.x),
            ("algebraic variables", self.algebraics, dae.z),
            ("inputs", self.inputs, dae.u),
            ("parameters", self.parameters, dae.p),
        ):
            if names != variables.names:
                raise ParameterError(
                    f"OperatingPoint.of: the point has other {what} than the DAE '{dae.name}'; must be of the "
                    "same arm. Give the DAE it came from."
                )
        return replace(self, dae=dae)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs of the arm."""
        return () if self.dae is None else self.dae.y.names

    @cached_property
    def y(self) -> np.ndarray:
        """The outputs (ny,), evaluated when first needed: their function is made then."""
        if self.dae is None:
            return np.zeros(0)
        more = [self.z] if len(self.z) else []
        return self.dae.interpreted.output(self.x, self.u, self.p, *more).full().ravel()

    def __getstate__(self) -> dict[str, Any]:
        # Pickled with its outputs instead of the arm: CasADi's symbols do not go into a pickle.
        return self.__dict__ | {"outputs": self.outputs, "y": self.y, "dae": None}

    def as_dict(self) -> dict[str, float]:
        """Return all values by name, except outputs and loop forces, which follow from them."""
        names = (*self.states, *self.algebraics, *self.inputs, *self.parameters)
        values = np.concatenate([self.x, self.z, self.u, self.p])
        return dict(zip(names, values.tolist(), strict=True))

    def __contains__(self, name: object) -> bool:
        return name in self.as_dict() or name in self.multipliers or name in self.outputs

    def __getitem__(self, name: str) -> float:
        known = self.as_dict() | dict(zip(self.multipliers, self.forces.tolist(), strict=True))
        if name not in known and name in self.outputs:
            return float(self.y[self.outputs.index(name)])
        if name not in known:
            known |= dict.fromkeys(self.outputs, 0.0)
            raise NameUnknownError(f"OperatingPoint: there is no '{name}'{suggestion(name, known, 'it holds')}")
        return known[name]

    @upper
    def plot(
        self,
        x: Any = None,
        ax: Any = None,
        p: Any = None,
        *,
        plane: Literal["xy", "xz", "yz", "xyz"] = "xy",
        exaggeration: float = 1.0,
        undeformed: bool = False,
        legend: bool = True,
    ) -> Any:
        """Draw the arm at this point, and return the axes; arguments as for `flexblocks.plot.arm`."""

    def __repr__(self) -> str:
        largest = float(np.max(np.abs(self.residual), initial=0.0))
        return (
            f"OperatingPoint({len(self.states)} states, {len(self.inputs)} inputs, {len(self.parameters)} parameters, "
            f"largest residual {largest:.1e})"
        )

    def __str__(self) -> str:
        rows = [(name, value) for name, value in self.as_dict().items() if not name.startswith("der(") or value]
        return f"{self!r}\n{text_table(('name', 'value'), rows)}"


def point_at_rest(dae: DAE, s: np.ndarray, p: np.ndarray, residual: np.ndarray | None = None) -> OperatingPoint:
    """Return the operating point at rest with the unknowns of statics `s` (ns,), the parameters and the residual."""
    at, q = unknown_slices(dae), s[unknown_slices(dae).q]
    return OperatingPoint(
        states=dae.x.names,
        algebraics=dae.z.names,
        inputs=dae.u.names,
        parameters=dae.p.names,
        x=np.concatenate([q, np.zeros_like(q), s[at.w]]),
        z=s[at.z],
        u=s[at.u],
        p=p,
        residual=np.zeros(0) if residual is None else residual,
        multipliers=dae.tree.loops.multipliers,
        forces=s[at.multipliers],
        dae=dae,
    )
