"""Reduced body: a flexible body of any shape that deforms in a few modes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.discretization import Discretization, Rigid
from flexblocks.blocks.bodies.modal_inertia import ModalInertia, cut, moved_frame
from flexblocks.bodies import BodyFile, FlexibleBody
from flexblocks.bodies.flexible_body import Surface, properties
from flexblocks.bodies.kept_modes import KeptModes, kept_modes
from flexblocks.bodies.lengthenings import SLOPED, Lengthenings, along_lines, lengthenings
from flexblocks.errors import ParameterError
from flexblocks.interfaces import (
    FRACTION,
    Block,
    Carried,
    Coordinate,
    Frame,
    Local,
    Output,
    Physics,
    PortSpec,
    SmallDeflections,
    Tension,
    choice,
    inlet,
    outlet,
    parameter,
)
from flexblocks.shapes.shape import shapes_parameter

SURFACE = re.compile(r"surface\((?P<station>\d+)\)")
# Pa^2 added below the root of von Mises' stress, whose slope has no limit where there is none.
ROUNDED = 1.0


@dataclass(frozen=True)
class ReducedBody(Block):
    """A flexible body of any shape, clamped at `frame_a`, that deforms in a few modes.

    Parameters
    ----------
    name : str
    body : FlexibleBody or BodyFile
        Its interfaces are the ports: `frame_a`, `frame_b` and any others, with the axes of `frame_a` while undeformed.
    modes : int
        The number of modes, the lowest; 0 is rigid.
    tip : "auto" or "free"
        Whether the modes are those of the clamped body with everything that hangs on its interfaces, rigid and in the
        zero configuration, or without.
    damping_ratio : float
        Share of critical damping of every mode of the clamped body, with what `tip` says that it carries.
    stiffening : bool
        Whether it moves in quadratic modes, too, by which rotation stiffens it: of bodies by `FlexibleBody.from_mesh`.
    shape : shape or tuple of shapes, optional
        What animations draw instead of its own surface.

    Notes
    -----
    Coordinates: ``mode[i]`` [m], which scale shapes of mean square 1 over the mass. Outlets are shifted and turned, as
    true rotations, by the angles of the modes about x, then y, then z. Outputs: of each interface but `frame_a`
    ``frame_b_deflection_x``, ``..._y`` and ``..._z`` [m] in the axes of `frame_a`; of each named place of a body with
    stresses ``<place>.stress`` [Pa], von Mises', rounded below 1 Pa.

    Kinetic energy and its forces are exact up to second order in the amplitudes (A. A. Shabana: Dynamics of Multibody
    Systems, 5th ed. 2020, chapter 5). A pull along the body does nothing to its bending without `stiffening`.
    """

    body: FlexibleBody | BodyFile
    modes: int = 4
    tip: Literal["auto", "free"] = choice(("auto", "free"), default="auto")
    damping_ratio: float = parameter("1", FRACTION, default=0.0)
    stiffening: bool = choice((False, True), default=False)
    shape: Any = shapes_parameter()

    def __post_init__(self) -> None:
        if isinstance(self.body, BodyFile):
            object.__setattr__(self, "body", self.body.load())
        if not isinstance(self.body, FlexibleBody):
            raise ParameterError(
                f"{type(self).__name__} '{self.name}': body = {self.body!r}; must be a fb.FlexibleBody, as by "
                "fb.FlexibleBody.load('link.npz')."
            )
        super().__post_init__()
        most = self.body.size
        if isinstance(self.modes, bool) or not isinstance(self.modes, int) or not 0 <= self.modes <= most:
            raise ParameterError(
                f"{self.where}: modes = {self.modes!r}; must be a whole number from 0 (rigid) to the {most} that the "
                "body has."
            )
        if self.stiffening and self.body.quadratic is None:
            raise ParameterError(
                f"{self.where}: stiffening = True needs quadratic modes, which matrices do not have; make the body by "
                "fb.FlexibleBody.from_mesh, or leave stiffening out: warnings then state the error of deflections."
            )

    @property
    def ports(self) -> tuple[PortSpec, ...]:
        return (inlet(), *(outlet(name) for name in self._body.names[1:]))

    @property
    def _body(self) -> FlexibleBody:
        assert isinstance(self.body, FlexibleBody)
        return self.body

    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(Coordinate(f"mode[{i}]", "m") for i in range(1, self.modes + 1))

    def kept(self, carried: Carried) -> KeptModes:
        """Return its modes with what hangs on its interfaces."""
        return self._kept(self.modes, carried)

    def _kept(self, modes: int, carried: Carried) -> KeptModes:
        felt = carried if self.tip == "auto" else Carried()
        return kept_modes(self._body, modes, np.array([felt[name] for name in self._body.names[1:]]))

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        feels = self.tip == "auto" and self.modes
        kept = self.kept(local.carried if feels else Carried())
        q = ca.vertcat(*[local[c.name] for c in self.coordinates()], ca.SX(0, 1))
        s = local.rate(q) if self.modes else q
        inertia = ModalInertia(kept, q, s, self._body.negligible, self.stiffening and bool(self.modes))
        outlets, outputs = self._frames(frame, kept, q, local.outlets)
        damping: Any = 0.0
        if isinstance(self.damping_ratio, ca.SX) or self.damping_ratio:
            damping = self.damping_ratio * ca.dot(ca.DM(np.sqrt(kept.stiffness * kept.loaded_mass)), s**2)
        return Physics(
            outlets=outlets,
            kinetic=inertia.kinetic(frame),
            bodies=inertia.bodies(frame),
            potential=ca.dot(ca.DM(kept.stiffness), q**2) / 2,
            dissipation=damping if self.modes else 0.0,
            outputs=outputs | self._stresses(kept, q),
            sizes=self._sizes(kept),
        )

    def _sizes(self, kept: KeptModes) -> dict[str, float]:
        if not self.stiffening:
            return {}
        return {c.name: float(size) for c, size in zip(self.coordinates(), kept.sizes, strict=True)}

    def _frames(
        self, frame: Frame, kept: KeptModes, q: ca.SX, wanted: tuple[str, ...]
    ) -> tuple[Mapping[str, Frame], dict[str, Output]]:
        body, outlets, outputs = self._body, {}, {}
        second = kept.quadratic.motion if self.stiffening and kept.quadratic is not None else None
        for i, name in enumerate(body.names[1:], 1):
            curved = None if second is None else second[i]
            moved, shift = moved_frame(frame, body.points[i], kept.motion[i], curved, q, body.negligible)
            if name in wanted:
                outlets[name] = moved
            outputs |= {f"{name}_deflection_{axis}": Output(shift[k], "m") for k, axis in enumerate("xyz")}
        for name in wanted:
            if match := SURFACE.fullmatch(name):
                k, drawn = int(match["station"]), body.surface
                assert drawn is not None
                outlets[name] = moved_frame(
                    frame, drawn.stations[k], drawn.motion[k] @ kept.basis, None, q, body.negligible
                )[0]
        return outlets, outputs

    def _stresses(self, kept: KeptModes, q: ca.SX) -> dict[str, Output]:
        found = self._body.stresses
        if found is None:
            return {}
        outputs = {}
        for name, modal in zip(found.names, found.modal @ kept.basis, strict=True):
            xx, yy, zz, xy, yz, zx = ca.vertsplit(ca.densify(ca.SX(cut(modal, 0.0) @ q)))
            squares = ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2 + 3 * (xy**2 + yz**2 + zx**2)
            outputs[f"{name}.stress"] = Output(ca.sqrt(squares + ROUNDED), "Pa")
        return outputs

    @property
    def discretization(self) -> Discretization:
        """The assumed modes that it deforms in; `Rigid` without any."""
        return AssumedModes(self.modes, tip=self.tip) if self.modes else Rigid()

    def rediscretized(self, kind: Discretization) -> ReducedBody:
        """Return it with the number of modes and the tip of `kind`.

        Raises
        ------
        ParameterError
            Neither assumed modes of a tip that it knows, nor `Rigid`.
        """
        if isinstance(kind, Rigid):
            return replace(self, modes=0, stiffening=False)
        if not isinstance(kind, AssumedModes) or kind.tip not in ("auto", "free"):
            raise ParameterError(
                f"{self.where}: discretization = {kind!r}; must be fb.AssumedModes(n) or fb.AssumedModes(n, "
                "tip='free'): it deforms in the modes of its body."
            )
        return replace(self, modes=kind.n, tip=kind.tip)

    def stiffened(self) -> ReducedBody:
        return self if not self.modes else replace(self, modes=0, stiffening=False)

    @property
    def modal_damping(self) -> float:
        return self.damping_ratio if self.modes else 0.0

    def centerline(self, count: int) -> tuple[str, ...]:
        del count
        return ("frame_b",)

    @property
    def surface(self) -> Surface | None:
        """The surface of its body; None of one without."""
        return self._body.surface

    @property
    def stations(self) -> tuple[str, ...]:
        """The outlets on which the vertices of its surface ride; none of a body without."""
        drawn = self.surface
        return () if drawn is None else tuple(f"surface({k})" for k in range(len(drawn.stations)))

    def small_deflections(self, carried: Carried) -> SmallDeflections | None:
        if not self.modes:
            return None
        body, kept = self._body, self.kept(carried)
        ends = slice(1, None)
        length = max(float(np.linalg.norm(body.points[ends], axis=1).max()), np.finfo(float).tiny)
        better = "stiffening=True" if body.quadratic is not None and not self.stiffening else "shorter bodies in series"
        return SmallDeflections(
            deflections=kept.motion[ends, :3].transpose(1, 0, 2) / length,
            slopes=kept.motion[ends, 3:].transpose(1, 0, 2),
            weights=np.full(len(body.names) - 1, SLOPED / (len(body.names) - 1)),
            name=f"ReducedBody(modes={self.modes})",
            remedy=f"{better}, or a FlexibleBeam with StrainModes(n), hold further.",
            tension=None if self.stiffening else self._tension(kept),
        )

    def _tension(self, kept: KeptModes) -> Tension | None:
        """Return what pulls along it do to its bending; None of one without extent."""
        uniform = along_lines(self._body, kept)
        if not len(uniform):
            return None
        ways = lengthenings(self._body, kept)
        felt = _PulledBody(self.name, self._body, self.modes, self.tip, self.damping_ratio, ways=ways)
        held = tuple(c.name for c in felt.coordinates()[self.modes :])
        counts = "stiffening=True counts it" + ("" if self._body.quadratic else " in bodies by from_mesh")
        none = np.zeros((0, len(held), self.modes))
        return Tension(felt, (held,), none, ways.forms, uniform.forms.sum(axis=0), np.diag(kept.stiffness), counts)

    def particulars(self, carried: Carried) -> tuple[str, ...]:
        body, kept = self._body, self.kept(carried)
        every = self._kept(body.size, carried)
        told = min(len(body.frequencies) or 5, body.size)
        lines = [*properties(body)]
        if self.modes:
            load = _loads(carried, body.names[1:]) if self.tip == "auto" else "free"
            lines.append(f"{self.modes} modes, clamped, {load}: {_hertz(kept.frequencies)} Hz")
            lines.append(f"all {body.size} of the body, likewise: {_hertz(every.frequencies[:told])} Hz")
        lines.append(f"all {body.size} of the body, clamped, free: {_hertz(body.natural_frequencies[:told])} Hz")
        if len(body.frequencies):
            lines.append(f"finite elements, clamped, free: {_hertz(body.frequencies)} Hz")
        return tuple(lines)


@dataclass(frozen=True)
class _PulledBody(ReducedBody):
    """A reduced body with a held coordinate for each way to lengthen it, whose effort is the pull against it."""

    ways: Any = None

    def coordinates(self) -> tuple[Coordinate, ...]:
        assert isinstance(self.ways, Lengthenings)
        held = (Coordinate(f"lengthening[{k}]", "m", held=True) for k in range(1, len(self.ways) + 1))
        return (*super().coordinates(), *held)

    def kept(self, carried: Carried) -> KeptModes:
        return self.ways.beside(super().kept(carried))


def _loads(carried: Carried, names: tuple[str, ...]) -> str:
    masses = [(carried[name][3, 3], name) for name in names]
    return "with " + ", ".join(f"{mass:.4g} kg at {name}" for mass, name in masses if mass or name == "frame_b")


def _hertz(frequencies: np.ndarray) -> str:
    return ", ".join(f"{each / (2 * np.pi):.5g}" for each in frequencies)
