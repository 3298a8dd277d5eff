"""Motion transforms: twists and accelerations from one frame to the next outboard, over symbols of their own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from flexblocks.interfaces.frame import skew
from flexblocks.interfaces.intermediates import Intermediates


@dataclass(frozen=True, eq=False)
class MotionTransform:
    """Motion transform V_b = X V_a + S s, A_b = X A_a + S s' + bias from frame a to frame b.

    A twist V holds angular velocity and velocity, A angular acceleration and acceleration, of a point that belongs to
    the body and relative to the world; all in the axes of the frame.

    Attributes
    ----------
    V, twist : SX (6, 1)
        Symbols of the twist at a, and the twist at b as an expression of them and of q and s.
    q, s : SX (k, 1)
        Symbols of the coordinates between a and b, and of their rates.
    configuration, configuration_rates : SX (k + m, 1)
        These coordinates and the dependent variables of the blocks between a and b, and their time derivatives.
    p : SX
        The symbolic parameters of the arm, then these dependent variables.
    arm : SX (3, 1)
        Position of b in the axes of a [m].
    intermediates : tuple of Intermediates
        Of the blocks between a and b.
    known_bias : SX (6, 1), optional
        The bias, where a block has stated it; otherwise it is derived from the twist.
    """

    V: ca.SX
    twist: ca.SX
    q: ca.SX
    s: ca.SX
    configuration: ca.SX
    configuration_rates: ca.SX
    p: ca.SX
    arm: ca.SX
    intermediates: tuple[Intermediates, ...] = ()
    known_bias: ca.SX | None = None

    @cached_property
    def rates(self) -> ca.SX:
        """Jacobian S (6, k) of the twist at b, over the symbols."""
        return ca.sparsify(ca.jacobian(self.twist, self.s))

    @cached_property
    def moving(self) -> frozenset[int]:
        """Those of the k coordinates that move b relative to a."""
        return frozenset(self.rates.sparsity().get_triplet()[1])

    @cached_property
    def maps(self) -> ca.Function:
        """Function (q, p) -> X (6, 6), S (6, k)."""
        return self._function("maps", [self.q, self.p], ca.jacobian(self.twist, self.V), self.rates)

    @cached_property
    def bias(self) -> ca.Function:
        """Function (omega, q, s, p) -> bias acceleration (6), omega (3) the angular velocity at a."""
        symbols = [self.V[:3], self.q, self.s, self.p]
        if self.known_bias is not None:
            return self._function("bias", symbols, self.known_bias)
        # By Galilean invariance the velocity of a does not matter: it is taken as zero.
        still = ca.substitute(self.twist, self.V[3:], ca.SX.zeros(3))
        if ca.is_equal(self.twist[:3], self.V[:3], 2):
            # Without a turn omega x (omega x arm + 2 arm') + arm'', where what is derived has omega x arm' twice.
            return self._function("bias", symbols, self._shift_bias(still[3:]))
        bias = ca.jtimes(still, self.configuration, self.configuration_rates) if self.q.numel() else ca.SX(6, 1)
        bias += ca.vertcat(ca.SX(3, 1), skew(still[:3]) @ still[3:])
        return self._function("bias", symbols, bias)

    def _shift_bias(self, velocity: ca.SX) -> ca.SX:
        """Return the bias (6) of a shift, from the velocity (3) at b when a does not translate."""
        omega = self.V[:3]
        rate = ca.sparsify(ca.substitute(velocity, omega, ca.SX.zeros(3)))
        change = ca.jtimes(rate, self.configuration, self.configuration_rates) if self.q.numel() else ca.SX(3, 1)
        whirl = ca.sparsify(skew(omega) @ ca.sparsify(self.arm) + 2 * rate)
        return ca.vertcat(ca.SX(3, 1), skew(omega) @ whirl + change)

    @cached_property
    def position(self) -> ca.Function:
        """Function (q, p) -> position (3) of b in the axes of a [m]."""
        return self._function("position", [self.q, self.p], self.arm)

    def _function(self, name: str, symbols: list[ca.SX], *results: ca.SX) -> ca.Function:
        """Return a function of symbols, with the values of the intermediate variables in its results."""
        values = list(results)
        for inner in self.intermediates:
            values = inner.expanded(values)
        return ca.Function(name, symbols, [ca.sparsify(value) for value in values])
