"""Terms of one force element: wrenches on its frames, by automatic differentiation of its physics.

The virtual power of all its forces is linear in the virtual velocities of the frames; its coefficients are the
wrenches, each in the axes of its frame, as the recursion takes them. Poses are those in a base: the world, or, for an
element that does not depend on where it is, any frame inboard of all that it acts on. Twists are relative to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca

from flexblocks.dynamics.evaluation.element_contract import check_element, everything
from flexblocks.interfaces.attached_frame import AttachedFrame, Watch
from flexblocks.interfaces.force_element import ForceElement
from flexblocks.interfaces.frame import skew
from flexblocks.interfaces.local import Local
from flexblocks.interfaces.physics import Physics


@dataclass(frozen=True, eq=False)
class ForceTerms:
    """Terms of a force element on m frames, as functions that are built on first use.

    All functions take (R and r of each frame in the base, its omega and v in its own axes, w, z, u, p, gravity).

    Attributes
    ----------
    block : ForceElement
    frames : tuple of AttachedFrame
    axes : tuple of DM (3, 3) or None
        Those in which the element sees each frame, in the frame's own; None where it prescribes none.
    absolute : bool
        Whether the base must be the world.
    apart : tuple of (int, int)
        Frames whose distance must not be zero.
    local : Local
        Argument of the element's `physics`.
    physics : Physics
        Its result.
    w, z, u : SX (nw, 1), (nz, 1), (nu, 1)
        First-order states, algebraic variables, inputs.
    p : SX
        The symbolic parameters of the arm.
    """

    block: ForceElement
    frames: tuple[AttachedFrame, ...]
    axes: tuple[ca.DM | None, ...]
    absolute: bool
    apart: tuple[tuple[int, int], ...]
    local: Local
    physics: Physics
    w: ca.SX
    z: ca.SX
    u: ca.SX
    p: ca.SX

    @property
    def _virtual(self) -> ca.SX:
        return ca.vertcat(*[part for f in self.frames for part in (f.virtual_spin, f.virtual_velocity)])

    def _gradient(self, displacement: ca.SX) -> ca.SX:
        """Return the wrenches (6 m) that do unit power on a displacement, a scalar function of poses."""
        moving = ca.vertcat(*[part for f in self.frames for part in (ca.vec(f.axes), f.origin)])
        flow = [
            part for f in self.frames for part in (ca.vec(f.axes @ skew(f.virtual_spin)), f.axes @ f.virtual_velocity)
        ]
        return ca.gradient(ca.dot(ca.gradient(displacement, moving), ca.vertcat(*flow)), self._virtual)

    @cached_property
    def _wrenches(self) -> tuple[ca.SX, ca.SX]:
        """Wrenches (6 m), torque over force in the axes of each frame: passive, and those of w, z or u."""
        flow = ca.vertcat(*[part for f in self.frames for part in (f.spin, f.velocity)])
        passive = -self._gradient(ca.SX(self.physics.potential)) - ca.gradient(ca.SX(self.physics.dissipation), flow)
        applied = ca.SX(passive.shape[0], 1)
        parts = [load.effort * self._gradient(load.displacement) for load in self.physics.loads]
        for part in (*parts, ca.gradient(ca.SX(self.physics.power), self._virtual)):
            if ca.depends_on(part, ca.vertcat(self.w, self.z)):
                applied += part
                continue
            idle = ca.substitute(part, self.u, ca.SX.zeros(self.u.shape)) if self.u.numel() else part
            passive += idle
            applied += part - idle
        return ca.sparsify(passive), ca.sparsify(applied)

    @cached_property
    def passive(self) -> ca.Function:
        """Wrenches (6 m) of potential, damping and all other forces that depend on motion alone."""
        return self._function("passive", self._wrenches[0])

    @cached_property
    def applied(self) -> ca.Function:
        """Wrenches (6 m) of inputs, states and algebraic variables."""
        return self._function("applied", self._wrenches[1])

    @property
    def dissipates(self) -> bool:
        """Whether it has passive forces without a potential."""
        return (self._wrenches[0] + self._gradient(self.physics.stored)).nnz() > 0

    @cached_property
    def turned(self) -> tuple[bool, ...]:
        """For each frame whether its orientation matters; otherwise any other frame at its origin does as well."""
        physics = self.physics
        torques = ca.vertcat(*self._wrenches)
        results = ca.vertcat(torques, physics.stored, *physics.derivatives.values(), *physics.residuals)
        results = ca.vertcat(results, *[ca.SX(output.value) for output in physics.outputs.values()])
        return tuple(
            ca.depends_on(results, ca.vertcat(ca.vec(frame.axes), frame.spin))
            or any(wrench[6 * i : 6 * i + 6].nnz() > 0 for wrench in self._wrenches)  # they are in its axes
            for i, frame in enumerate(self.frames)
        )

    @cached_property
    def potential(self) -> ca.Function:
        """Stored energy [J]."""
        return self._function("potential", self.physics.stored)

    @cached_property
    def rates(self) -> ca.Function:
        """Time derivatives of the states."""
        return self._function("rates", self._stacked([self.physics.derivatives[v.name] for v in self.block.states()]))

    @property
    def rest(self) -> ca.Function:
        """Rest conditions of the states: their time derivatives."""
        return self.rates

    @cached_property
    def residuals(self) -> ca.Function:
        """Residuals of the algebraic equations."""
        return self._function("residuals", self._stacked(self.physics.residuals))

    @cached_property
    def outputs(self) -> ca.Function:
        """Values of ``physics.outputs``."""
        return self._function("outputs", self._stacked([output.value for output in self.physics.outputs.values()]))

    @staticmethod
    def _stacked(parts: Iterable[ca.SX]) -> ca.SX:
        return ca.vertcat(*parts, ca.SX(0, 1))

    def _function(self, name: str, result: ca.SX) -> ca.Function:
        frames = [part for f in self.frames for part in (f.axes, f.origin, f.spin, f.velocity)]
        symbols = [*frames, self.w, self.z, self.u, self.p, self.local.gravity]
        return ca.Function(name, symbols, [ca.sparsify(result)])


@dataclass(frozen=True, eq=False)
class _RateOfPoses:
    """The time derivative of an expression of the poses of frames.

    The frames need it to see each other, and it needs all of them: their poses and rates are added as they are made.
    (A class, since a function inside another one does not pickle.)
    """

    moving: list[ca.SX] = field(default_factory=list)
    flow: list[ca.SX] = field(default_factory=list)

    def __call__(self, expression: ca.SX) -> ca.SX:
        return ca.sparsify(ca.jtimes(ca.SX(expression), ca.vertcat(*self.moving), ca.vertcat(*self.flow)))


def force_terms(block: ForceElement, p: ca.SX) -> ForceTerms:
    """Return the terms of a force element, evaluated on symbols of its own.

    Raises
    ------
    ModelError
        The element's `physics` breaks the contract.
    """
    groups = {"w": block.states(), "z": block.algebraics(), "u": block.inputs()}
    vectors = {letter: ca.SX.sym(letter, len(members)) for letter, members in groups.items()}
    symbols = {
        variable.name: symbol
        for letter, members in groups.items()
        for variable, symbol in zip(members, ca.vertsplit(vectors[letter]), strict=True)
    }
    watch = Watch()
    rate = _RateOfPoses()
    frames = tuple(AttachedFrame(spec.name, rate, watch) for spec in block.ports)
    for f in frames:
        rate.moving.extend([ca.vec(f.axes), f.origin])
        rate.flow.extend([ca.vec(f.axes @ skew(f.spin)), f.axes @ f.velocity])
    local = Local(symbols, ca.vertcat(*rate.moving), ca.vertcat(*rate.flow))
    physics = block.physics({f.name: f for f in frames}, local)
    check_element(block, frames, local, physics, vectors)
    absolute = watch.absolute or ca.depends_on(everything(physics), local.gravity)
    at = {f.name: i for i, f in enumerate(frames)}
    apart = tuple(dict.fromkeys((at[first], at[second]) for first, second in watch.distances))
    chosen = block.axes()
    axes = tuple(ca.sparsify(ca.DM(chosen[f.name])) if f.name in chosen else None for f in frames)
    return ForceTerms(block, frames, axes, absolute, apart, local, physics, **vectors, p=p)
