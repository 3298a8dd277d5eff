"""Operating point: states, algebraic variables, inputs and parameters of an arm, by name."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexblocks.errors import NameUnknownError, listing, nearest


@dataclass(frozen=True, eq=False)
class OperatingPoint:
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

    Examples
    --------
    ``op["joint1.angle"]``, ``op["motor1.torque"]``; ``fb.simulate(dae, t, x0=op.x, u=op.u)``.
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

    def as_dict(self) -> dict[str, float]:
        """Return all values by name, except the loop forces, which follow from them."""
        names = (*self.states, *self.algebraics, *self.inputs, *self.parameters)
        values = np.concatenate([self.x, self.z, self.u, self.p])
        return dict(zip(names, values.tolist(), strict=True))

    def __getitem__(self, name: str) -> float:
        known = self.as_dict() | dict(zip(self.multipliers, self.forces.tolist(), strict=True))
        if name not in known:
            raise NameUnknownError(
                f"OperatingPoint: there is no '{name}' (it holds {listing(known)}).{nearest(name, known)}"
            )
        return known[name]

    def __str__(self) -> str:
        largest = float(np.max(np.abs(self.residual), initial=0.0))
        lines = [
            f"{name} = {value:.6g}" for name, value in self.as_dict().items() if not name.startswith("der(") or value
        ]
        return "\n".join([f"operating point, largest residual {largest:.1e}:", *lines])
