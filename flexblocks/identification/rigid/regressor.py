"""Regressor of a rigid arm: torques that are linear in its inertial parameters, by those that torques determine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.argument_types import short
from flexblocks.dae.dae import DAE
from flexblocks.dae.functions import compiled
from flexblocks.dynamics.algorithms.newton_euler import inner_force
from flexblocks.errors import ModelError, ParameterError, listing, suggestion
from flexblocks.identification.rigid.base_parameters import BaseParameters, base_parameters
from flexblocks.identification.rigid.regressor_fit import RegressorFit, fitted
from flexblocks.identification.rigid.standard_parameters import StandardParameters, standard_parameters
from flexblocks.simulation.record import Record

FRICTION = ("viscous", "coulomb")


@dataclass(frozen=True, eq=False, repr=False)
class Regressor:
    """Torques of a rigid arm, linear in base parameters: Y(q, v, a) base + the model's springs, dampers and friction.

    ``regressor(q, v, a)`` is Y (n, b), or (k, n, b) for k states (k, n).

    Attributes
    ----------
    dae : DAE
    names : tuple of str
        Base parameters (b) in words, ``"link1.inertia_zz + 0.25 link2.mass"``, then friction,
        ``"joint1.angle.viscous"``.
    units : tuple of str
    values : ndarray (b,)
        Those of the model; of friction 0, as what the model has of it is not among them.
    standard_names : tuple of str
        Standard parameters (P): of each link ``mass``, first moments ``moment_x`` [kg m] and inertia ``inertia_xx``
        about the origin of the frame of its first block, in its axes; of each rotor ``inertia``.
    standard_values : ndarray (P,)
        Those of the model.
    combinations : ndarray (b, P)
        Base parameters by standard ones.
    without_effect : tuple of str
        Standard parameters that move no torque.
    function : casadi.Function
        (q, v, a) -> Y; compiled if the DAE is.
    """

    dae: DAE
    standard: StandardParameters
    base: BaseParameters
    friction: tuple[str, ...]
    velocity: float
    p: np.ndarray

    @cached_property
    def driven(self) -> tuple[int, ...]:
        """Positions of the coordinates that an input drives, which have friction."""
        pattern = np.array(ca.DM(ca.jacobian(self.dae.expressions.applied, self.dae.u.symbol).sparsity(), 1).full())
        return tuple(np.flatnonzero(pattern.any(axis=1)).tolist())

    @property
    def _friction_names(self) -> list[tuple[str, str]]:
        force = {"rad": "N m", "m": "N"}
        rows = [(self.dae.q_names[i], self.dae.x.units[i]) for i in self.driven]
        return [
            (f"{name}.{kind}", f"{force[unit]} s/{unit}" if kind == "viscous" else force[unit])
            for kind in self.friction
            for name, unit in rows
        ]

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.base.words(self.standard.names), *(name for name, _ in self._friction_names))

    @property
    def units(self) -> tuple[str, ...]:
        return (
            *(self.standard.units[i] for i in self.base.columns),
            *(unit for _, unit in self._friction_names),
        )

    @property
    def standard_names(self) -> tuple[str, ...]:
        return self.standard.names

    @property
    def standard_values(self) -> np.ndarray:
        return self.standard.values

    @property
    def combinations(self) -> np.ndarray:
        return self.base.combinations

    @property
    def values(self) -> np.ndarray:
        return np.concatenate([self.combinations @ self.standard_values, np.zeros(len(self._friction_names))])

    @property
    def without_effect(self) -> tuple[str, ...]:
        return tuple(self.standard.names[i] for i in self.base.without_effect)

    @property
    def rank(self) -> int:
        """Number of inertial base parameters: the rank of the regressor of the standard ones."""
        return len(self.base.columns)

    @cached_property
    def function(self) -> ca.Function:
        n = self.dae.tree.size
        q, v, a = (ca.SX.sym(name, n) for name in ("q", "v", "a"))
        (whole,) = self.standard.columns.call([q, v, a])
        columns = [whole[:, self.base.columns.tolist()]]
        for kind in self.friction:
            law = v if kind == "viscous" else ca.tanh(v / self.velocity)
            columns.append(ca.diag(law)[:, list(self.driven)])
        result = ca.densify(ca.cse(ca.horzcat(*columns)))
        function = ca.Function("regressor", [q, v, a], [result], ["q", "v", "a"], ["Y"])
        return function if self.dae.library is None else compiled([function], self.dae)["regressor"]

    def inner_forces(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the generalised forces (k, n) of the model's springs, dampers and friction at k states (k, n)."""
        return self._inner.map(len(q))(q.T, v.T).full().T

    @cached_property
    def _inner(self) -> ca.Function:
        n = self.dae.tree.size
        q, v = ca.SX.sym("q", n), ca.SX.sym("v", n)
        force = ca.Function("inner", [q, v, self.dae.tree.p], [inner_force(self.dae.tree, q, v)])
        return ca.Function("inner", [q, v], [ca.densify(force.call([q, v, ca.SX(ca.DM(self.p))])[0])])

    def __call__(self, q: Any, v: Any, a: Any) -> np.ndarray:
        """Return the regressor (n, b) at coordinates q, rates v and accelerations a (n,); (k, n, b) of (k, n).

        Raises
        ------
        ParameterError
            Arrays of another shape.
        """
        states = [self._state(name, value) for name, value in (("q", q), ("v", v), ("a", a))]
        if len({each.shape for each in states}) > 1:
            raise ParameterError("Regressor: q, v and a are of different shapes; must be of one.")
        if states[0].ndim == 1:
            return self.function(*states).full()
        count = len(states[0])
        flat = self.function.map(count)(*(each.T for each in states)).full()
        return np.moveaxis(flat.reshape(flat.shape[0], count, -1), 0, 1)

    def torques(self, q: Any, v: Any, a: Any, values: Any = None) -> np.ndarray:
        """Return the generalised forces (n,) that move the arm so, [N m or N]; (k, n) of k states.

        Parameters
        ----------
        q, v, a : array (n,) or (k, n)
        values : array (b,), optional
            Base parameters; by default those of the model.

        Raises
        ------
        ParameterError
            Arrays of another shape.
        """
        base = self.values if values is None else np.array(values, dtype=float)
        if base.shape != self.values.shape:
            raise ParameterError(f"Regressor.torques: values are of shape {base.shape}; must be {self.values.shape}.")
        Y = self(q, v, a)
        q, v = (np.asarray(each, dtype=float) for each in (q, v))
        return Y @ base + self.inner_forces(np.atleast_2d(q), np.atleast_2d(v)).reshape(q.shape)

    def fit(
        self,
        records: Record | Sequence[Record],
        *,
        cutoff: float | None = None,
        held: bool = True,
    ) -> RegressorFit:
        """Find the parameters from records: least squares on the torques, with bodies that can exist.

        Parameters
        ----------
        records : Record or sequence of Record
            With all inputs, and all coordinates measured. Rates ``der(joint1.angle)`` and accelerations
            ``der(der(joint1.angle))`` are taken from the record where it has them, and differentiated otherwise.
        cutoff : float, optional
            [Hz]. Motion and torques pass a zero-phase low-pass filter, `Record.filtered`; needed wherever rates are
            differentiated from noisy measurements. Ten times the frequencies of the motion is a good choice.
        held : bool
            Whether inputs hold from sample to sample, as commands do; False for torques that were measured.

        Returns
        -------
        RegressorFit

        Raises
        ------
        NameUnknownError
            A record lacks an input or a coordinate.
        ParameterError
            A record has gaps, or uneven samples where they are filtered.
        """
        several = [records] if isinstance(records, Record) else list(records)
        if not several or not all(isinstance(record, Record) for record in several):
            raise ParameterError(f"Regressor.fit: records = {short(records)}; must be a Record, or several.")
        return fitted(self, several, cutoff, held)

    def __repr__(self) -> str:
        return (
            f"Regressor({self.dae.name!r}: {self.rank} base parameters of {len(self.standard.names)} standard ones, "
            f"{len(self._friction_names)} of friction)"
        )

    def __str__(self) -> str:
        rows = zip(self.names, self.values, self.units, strict=True)
        return "\n".join([repr(self), *(f"  {value:12.6g} {unit:8} {name}" for name, value, unit in rows)])

    def _state(self, name: str, value: Any) -> np.ndarray:
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError):
            raise ParameterError(f"Regressor: {name} = {short(value)}; must be numbers.") from None
        if array.ndim not in (1, 2) or array.shape[-1] != self.dae.tree.size:
            raise ParameterError(
                f"Regressor: {name} is of shape {array.shape}; must be ({self.dae.tree.size},), or a row a state."
            )
        return array


def regressor(
    dae: DAE,
    friction: Sequence[str] | str = (),
    *,
    velocity: float = 0.01,
    p: Mapping[str, float] | np.ndarray | None = None,
) -> Regressor:
    """Return the regressor of a rigid arm: its torques, linear in base parameters.

    Parameters
    ----------
    dae : DAE
        Without closed loops, and without bodies that deform; springs in joints are part of the model and stay.
    friction : sequence of str
        ``"viscous"`` and ``"coulomb"``: further columns, v and tanh(v / velocity) of each driven coordinate, beside
        what the model has.
    velocity : float
        Rate at which 76 % of the dry friction is reached [rad/s or m/s].
    p : dict or array, optional
        Values of symbolic parameters, as lengths, with which the columns are made.

    Returns
    -------
    Regressor

    Raises
    ------
    ModelError
        The arm has closed loops, bodies that deform, first-order states or algebraic variables.
    ParameterError
        Another kind of friction, or a velocity that is not > 0.
    ComputationError
        The rank is not clear in double precision.

    Notes
    -----
    Which combinations of parameters move torques is the rank of the regressor at random states; links differ from
    those of Denavit and Hartenberg's convention in their frames only, and the number does not depend on these.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> arm = fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid"))
    >>> fb.regressor(arm).rank
    4
    """
    kinds = (friction,) if isinstance(friction, str) else tuple(friction)
    for kind in kinds:
        if kind not in FRICTION:
            raise ParameterError(f"regressor: friction = {kind!r}{suggestion(kind, FRICTION, 'must be of')}")
    if not velocity > 0:
        raise ParameterError(f"regressor: velocity = {velocity!r}; must be > 0.")
    if dae.tree.loops.closures:
        raise ModelError(f"regressor: '{dae.name}' has closed loops; must be a tree. Cut a joint of each loop.")
    extra = (*dae.x.names[2 * dae.tree.size :], *dae.z.names)
    if extra:
        raise ModelError(
            f"regressor: '{dae.name}' has states or variables besides its coordinates ({listing(extra)}), on which "
            "torques depend; drive its joints by torques."
        )
    values = dae.p.values(p, "regressor: p: ")
    standard = standard_parameters(dae, values)
    if not standard.names:
        raise ModelError(f"regressor: '{dae.name}' has no body that moves; there is nothing to find.")
    angles = np.array([np.pi if unit == "rad" else 1.0 for unit in dae.x.units[: dae.tree.size]])
    return Regressor(dae, standard, base_parameters(standard.columns, angles), kinds, float(velocity), values)
