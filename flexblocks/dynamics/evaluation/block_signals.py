"""Signals of one block: rates of its states, algebraic equations, outputs, and what its sensors need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.block_symbols import BlockSymbols
from flexblocks.dynamics.evaluation.watched_local import WatchedLocal
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.block_variables import Coordinate
from flexblocks.interfaces.frame import Frame
from flexblocks.interfaces.physics import Physics


@dataclass(frozen=True, eq=False)
class BlockSignals:
    """Equations of one block with n coordinates that are no balance of forces, as functions built on first use.

    Attributes
    ----------
    symbols : BlockSymbols
        The block and its symbols q, s (rates), w, z, u.
    inlet : Frame
        The symbolic inlet: R, r and the twist V.
    local : WatchedLocal
        Argument of the block's `physics`.
    physics : Physics
        Its result.
    p : SX
        Last argument of all functions: the symbolic parameters of the arm, then the block's dependent variables.
    """

    symbols: BlockSymbols
    inlet: Frame
    local: WatchedLocal
    physics: Physics
    p: ca.SX

    @property
    def block(self) -> Block:
        """The block that was evaluated; others of its kind have the same terms."""
        return self.symbols.block

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates, with their units, ranges and reference values."""
        return self.symbols.coordinates

    @property
    def size(self) -> int:
        """Number n of coordinates."""
        return self.symbols.q.numel()

    def reference(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return q and p of the reference configuration, from the values of the arm's symbolic parameters."""
        q = np.array([coordinate.reference for coordinate in self.coordinates]) - self.symbols.offsets
        return q, np.concatenate([p, self.symbols.dependent.starts])

    @property
    def _state(self) -> list[ca.SX]:
        return [self.symbols.q, self.symbols.s, self.symbols.w, self.symbols.z, self.symbols.u, self.p]

    @cached_property
    def rates(self) -> ca.Function:
        """Function (q, s, w, z, u, p) -> time derivatives of the states."""
        states, dependent = [variable.name for variable in self.block.states()], self.symbols.dependent
        derivatives = dict(self.physics.derivatives) | dependent.by_name(dependent.rates, states)
        return self._function("rates", self._state, ca.vertcat(*[derivatives[name] for name in states]))

    @cached_property
    def rest(self) -> ca.Function:
        """Function (q, s, w, z, u, p) -> rest condition of each state: its time derivative, or its residual.

        The residual for a dependent state, whose rate is zero at rest even where its value is wrong.
        """
        states, dependent = [variable.name for variable in self.block.states()], self.symbols.dependent
        conditions = dict(self.physics.derivatives) | dependent.by_name(dependent.residuals, states)
        return self._function("rest", self._state, ca.vertcat(*[conditions[name] for name in states]))

    @cached_property
    def dependent_residuals(self) -> ca.Function:
        """Function (q, p) -> residuals of the dependent variables."""
        return self._function("dependent_residuals", [self.symbols.q, self.p], self.symbols.dependent.residuals)

    @cached_property
    def dependent_rates(self) -> ca.Function:
        """Function (q, s, p) -> time derivatives of the dependent variables."""
        return self._function("dependent_rates", [self.symbols.q, self.symbols.s, self.p], self.symbols.dependent.rates)

    @cached_property
    def residuals(self) -> ca.Function:
        """Function (q, s, w, z, u, p) -> residuals of the algebraic equations."""
        algebraics, dependent = [variable.name for variable in self.block.algebraics()], self.symbols.dependent
        determined = dependent.by_name(dependent.residuals, algebraics).values()
        return self._function("residuals", self._state, ca.vertcat(*determined, *self.physics.residuals))

    @property
    def _outputs(self) -> ca.SX:
        return ca.vertcat(*[ca.SX(output.value) for output in self.physics.outputs.values()])

    @cached_property
    def senses_acceleration(self) -> bool:
        """Whether an output depends on the acceleration of the inlet."""
        return ca.depends_on(self._outputs, self.local.acceleration)

    @cached_property
    def senses_totals(self) -> bool:
        """Whether an output depends on mass and momenta of the whole arm."""
        return ca.depends_on(self._outputs, self.local.totals.stacked)

    @cached_property
    def held(self) -> tuple[int, ...]:
        """Indices of the coordinates that are held at zero."""
        return tuple(i for i, c in enumerate(self.coordinates) if c.held)

    @property
    def _efforts(self) -> ca.SX:
        names = [self.coordinates[i].name for i in self.held]
        return ca.vertcat(*[self.local.effort(name) for name in names], ca.SX(0, 1))

    @cached_property
    def senses_effort(self) -> bool:
        """Whether an output depends on the effort that holds a coordinate."""
        return ca.depends_on(self._outputs, self._efforts)

    @cached_property
    def outputs(self) -> ca.Function:
        """Function (R, r, V, acceleration, gravity, efforts, totals, q, s, w, z, u, p) -> values of the outputs.

        The acceleration (3) of the inlet's origin relative to the world and that of gravity are in the inlet's axes;
        the efforts are those on the coordinates `held`, the totals those of `Totals`.
        """
        inlet, local = self.inlet, self.local
        sensed = [local.acceleration, local.gravity, self._efforts, local.totals.stacked]
        symbols = [inlet.R, inlet.r, inlet.twist, *sensed, *self._state]
        return self._function("outputs", symbols, self._outputs)

    def _function(self, name: str, inputs: list[ca.SX], *results: ca.SX) -> ca.Function:
        """Return a function of symbols, with the values of the intermediate variables in its results."""
        expressions = [ca.SX(result) for result in results]
        if self.local.intermediates.columns:
            expressions = self.local.intermediates.expanded(expressions)
        return ca.Function(name, inputs, [ca.sparsify(expression) for expression in expressions])
