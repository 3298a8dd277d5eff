"""The physics that a block returns: energies, loads, equations and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from flexblocks.interfaces.frame import Frame


@dataclass(frozen=True)
class Load:
    """A load: an effort (torque, force) that does work on a displacement (angle, distance).

    Attributes
    ----------
    effort, displacement : SX
    energy : SX
        Energy [J] that part of the effort stores, a function of the displacement: ``-d energy / d displacement`` is
        in the effort already. It is the block's potential energy, as `Physics.potential` is, for an effort that takes
        fewer operations as a whole than as a derivative of its energy and the rest.
    """

    effort: ca.SX
    displacement: ca.SX
    energy: ca.SX | float = 0.0


@dataclass(frozen=True)
class Output:
    """An output: a scalar to observe, with its unit."""

    value: ca.SX
    unit: str


@dataclass(frozen=True)
class InertialBody:
    """Inertia and velocity forces of a deforming body.

    Attributes
    ----------
    frame : Frame
        That moves with it.
    inertia : SX (6 + n, 6 + n)
        In the order (twist of the frame, rates of all n coordinates of the block); a function of the coordinates.
    bias : SX (6 + n, 1)
        Forces of inertia, in this order and in the axes of the frame, that are left when neither the frame nor the
        coordinates accelerate; a function of coordinates, rates and the angular velocity of the frame.
    """

    frame: Frame
    inertia: ca.SX
    bias: ca.SX


@dataclass(frozen=True)
class Physics:
    """The physics of a block in terms of its inlet frame and its variables: energies, loads, equations, outputs.

    Attributes
    ----------
    outlets : dict of Frame
        The frame of each outlet; those named in `Local.outlets` must be there.
    kinetic : SX
        Kinetic energy [J], a quadratic form in the inlet twist and the block's rates. Weight follows from it:
        gravity is an acceleration of the ground.
    potential : SX
        Stored energy [J], a function of the block's coordinates, whose gradient is a force besides the loads.
    dissipation : SX
        Rayleigh's function [W]: its gradient in the rates is the damping force.
    loads : tuple of Load
        Efforts with the displacements they work on.
    derivatives : dict of SX
        Time derivative of each first-order state, but for those that follow from the coordinates.
    residuals : tuple of SX
        As many as there are algebraic variables that do not follow from the coordinates; each is zero.
    outputs : dict of Output
        Scalars to observe, by name.
    power : SX
        Power [W] of external forces on the block: linear in the inlet twist and the rates.
    bodies : tuple of InertialBody
        The bodies that have the kinetic energy, where the block knows their inertia and velocity forces in a form that
        takes fewer operations than the derivatives of the energy; nothing else changes.
    velocity_forces : SX (6 + n, 1), optional
        The forces of inertia, on the inlet in its axes and on the coordinates, that are left when neither accelerates,
        where the block knows them alone in such a form: as `InertialBody.bias` of all that has the kinetic energy.
    sizes : dict of float
        By coordinate in m the largest change [m] up to which the inertia means anything, where that is below the size
        of the block: coordinates that move no mass are looked for in tenths of it.
    """

    outlets: Mapping[str, Frame] = field(default_factory=dict)
    kinetic: ca.SX | float = 0.0
    potential: ca.SX | float = 0.0
    dissipation: ca.SX | float = 0.0
    loads: tuple[Load, ...] = ()
    derivatives: Mapping[str, ca.SX] = field(default_factory=dict)
    residuals: tuple[ca.SX, ...] = ()
    outputs: Mapping[str, Output] = field(default_factory=dict)
    power: ca.SX | float = 0.0
    bodies: tuple[InertialBody, ...] = ()
    velocity_forces: ca.SX | None = None
    sizes: Mapping[str, float] = field(default_factory=dict)

    @property
    def stored(self) -> ca.SX:
        """All energy [J] that it stores: the potential, and that of loads."""
        return sum((ca.SX(load.energy) for load in self.loads), ca.SX(self.potential))
