"""Elastic rope over pulleys that have a radius and an inertia, without slip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.blocks.one_sided import one_sided_energy, one_sided_force
from flexblocks.errors import ParameterError
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    ROTOR,
    AttachedFrame,
    Block,
    Composite,
    Coordinate,
    ForceElement,
    Frame,
    Load,
    Local,
    Output,
    Physics,
    PortSpec,
    attachment,
    choice,
    flange,
    inlet,
    outlet,
    parameter,
)

MOST = 100  # pulleys of a rope: each takes a coordinate
Drums = Literal["none", "a", "b", "ab"]


@dataclass(frozen=True)
class PulleyRope(Composite):
    """An elastic rope without mass from `frame_a` over pulleys to `frame_b`, which turn with it without slip.

    Parameters
    ----------
    name : str
    lengths : sequence of float (spans,)
        Unstretched length of each part [m] while all pulleys are at the angle 0: from the end to the middle of the arc
        on the first pulley, from there to the middle of the arc on the next one, and so on.
    rigidity : float
        Tension per strain: modulus of elasticity times metallic area [N].
    radii : sequence of float (pulleys,)
        Of the rope's centre line on each pulley [m].
    inertias : sequence of float (pulleys,)
        Of each pulley, about its axis [kg m2].
    senses : sequence of int (pulleys,), optional
        How each pulley turns about z of its frame as the rope runs from `frame_a` to `frame_b`: 1, by default, or -1.
    damping_time : float
        Kelvin-Voigt damping: tension = rigidity (strain + damping_time * rate) [s].
    transition : float
        Strain over which a part gets taut; at strain 0 its tension is ``rigidity * transition / 4``.
    drums : "none", "a", "b" or "ab"
        Ends of the rope that are wound on the first or the last pulley, a drum: that end has no frame.

    Raises
    ------
    ParameterError
        Numbers of radii, inertias, senses and lengths that do not fit, or a value out of its range.

    Notes
    -----
    Ports: ``frame_a`` and ``frame_b``, points to which the ends are fixed; ``pulley_1``, ``pulley_2`` ..., the frames
    that carry the pulleys, whose z is the axis and whose x points from the centre to the middle of the arc that the
    rope touches; ``axle_1`` ..., the flanges of the pulleys. Parts: ``pulley1`` ... with the coordinates
    ``pulley1.angle`` [rad], and ``spans``.

    The rope lies in one plane, across the axes, and touches each pulley over less than a turn; parts between pulleys
    are their common tangents. Each part has its own tension, which differ by what turns the pulley. With the place
    beta of a tangent point, seen from x of the pulley's frame, and the angle theta of the pulley, the part is
    unstretched at the length l - r (beta - theta) of what leaves the pulley. Rope on a pulley counts as unstretched,
    which errs in tensions by half a strain. Pulleys have no mass here: it belongs to what carries them.

    Outputs of ``spans``: ``tension_1`` ... [N] and ``length_1`` ... [m] of the free parts, and ``wrap_1`` ..., the arc
    on each pulley between two parts [rad].
    """

    lengths: Sequence[float]
    rigidity: float = parameter("N", POSITIVE)
    radii: Sequence[float] = ()
    inertias: Sequence[float] = ()
    senses: Sequence[int] | None = None
    damping_time: float = parameter("s", NOT_NEGATIVE, default=0.0)
    transition: float = parameter("1", POSITIVE, default=1e-4)
    drums: Drums = choice(("none", "a", "b", "ab"), default="none")

    ports = (attachment("frame_a"), attachment("frame_b"))

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("lengths", "radii", "inertias"):
            object.__setattr__(self, name, _numbers(self.where, name, getattr(self, name), strict=name != "inertias"))
        count = len(self.radii)
        if not 1 <= count <= MOST:
            raise ParameterError(
                f"{self.where}: radii = {self.radii!r}; must be one for each pulley, 1 to {MOST}. A rope over points "
                "is a fb.Cable."
            )
        senses = (1,) * count if self.senses is None else self.senses
        if not isinstance(senses, (tuple, list)) or any(sense not in (1, -1) or sense is True for sense in senses):
            raise ParameterError(f"{self.where}: senses = {self.senses!r}; must be 1 or -1 for each pulley.")
        object.__setattr__(self, "senses", tuple(int(sense) for sense in senses))
        wanted = {"inertias": count, "senses": count, "lengths": count + 1 - len(self._wound)}
        for name, number in wanted.items():
            if len(getattr(self, name)) != number:
                raise ParameterError(
                    f"{self.where}: {name} = {getattr(self, name)!r}; must be {number} of {count} pulleys with drums = "
                    f"'{self.drums}'."
                )
        ends = tuple(attachment(f"frame_{end}") for end in "ab" if end not in self._wound)
        mounts = tuple(inlet(f"pulley_{k}") for k in range(1, count + 1))
        axles = tuple(flange(f"axle_{k}", optional=True) for k in range(1, count + 1))
        object.__setattr__(self, "ports", (*ends, *mounts, *axles))

    @property
    def _wound(self) -> str:
        return "" if self.drums == "none" else self.drums

    def parts(self) -> tuple[Block | Composite, ...]:
        wheels = zip(self.radii, self.inertias, strict=True)
        return (
            *(_Pulley(f"pulley{k}", radius=r, inertia=J) for k, (r, J) in enumerate(wheels, start=1)),
            _RopeSpans(
                "spans",
                rigidity=self.rigidity,
                damping_time=self.damping_time,
                transition=self.transition,
                lengths=tuple(self.lengths),
                radii=tuple(self.radii),
                senses=tuple(self.senses or ()),
                drums=self.drums,
            ),
        )

    def connections(self) -> tuple[tuple[str, str], ...]:
        pairs = ((k, end) for k in range(1, len(self.radii) + 1) for end in ("center", "rim"))
        return tuple((f"pulley{k}.{end}", f"spans.{end}_{k}") for k, end in pairs)

    def exposed(self) -> Mapping[str, str]:
        numbers = range(1, len(self.radii) + 1)
        return {
            **{f"frame_{end}": f"spans.frame_{end}" for end in "ab" if end not in self._wound},
            **{f"pulley_{k}": f"pulley{k}.frame_a" for k in numbers},
            **{f"axle_{k}": f"pulley{k}.axle" for k in numbers},
        }


@dataclass(frozen=True)
class _Pulley(Block):
    """A pulley of a rope: a rotor about z of `frame_a`.

    What its rim has moved by, radius times angle, is a displacement along z from ``center`` to ``rim``: so the rope,
    which acts on frames, feels angles of any number of turns.
    """

    radius: float = parameter("m", POSITIVE)
    inertia: float = parameter("kg m2", NOT_NEGATIVE)

    ports = (inlet(), outlet("center"), outlet("rim"), flange("axle", optional=True))

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", rank=ROTOR),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"axle": ("angle", 1.0)}

    def centerline(self, count: int) -> tuple[str, ...]:
        del count
        return ("center",)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        angle = local["angle"]
        spin = frame.omega[2] + local.rate(angle)
        rim = frame.translate([0.0, 0.0, self.radius * angle])
        return Physics(outlets={"center": frame, "rim": rim}, kinetic=self.inertia / 2 * spin**2)


@dataclass(frozen=True)
class _Node:
    """An end of the rope or a pulley: its frame, its signed radius, and what its rim has moved by [m]."""

    frame: AttachedFrame
    radius: float = 0.0
    moved: ca.SX | float = 0.0


@dataclass(frozen=True)
class _RopeSpans(ForceElement):
    """The free parts of a `PulleyRope`, each with a tension of its own."""

    rigidity: float = parameter("N", POSITIVE)
    damping_time: float = parameter("s", NOT_NEGATIVE, default=0.0)
    transition: float = parameter("1", POSITIVE, default=1e-4)
    lengths: tuple[float, ...] = ()
    radii: tuple[float, ...] = ()
    senses: tuple[int, ...] = ()
    drums: Drums = choice(("none", "a", "b", "ab"), default="none")

    ports = (attachment("frame_a"),)

    def __post_init__(self) -> None:
        numbers = range(1, len(self.radii) + 1)
        wheels = [attachment(f"{name}_{k}") for k in numbers for name in ("center", "rim")]
        first, last = (
            [] if end in self.drums and self.drums != "none" else [attachment(f"frame_{end}")] for end in "ab"
        )
        ports: tuple[PortSpec, ...] = (*first, *wheels, *last)
        object.__setattr__(self, "ports", ports)
        super().__post_init__()

    def sketch(self) -> tuple[str, ...]:
        return tuple(spec.name for spec in self.ports if not spec.name.startswith("rim"))

    def physics(self, frames: Mapping[str, AttachedFrame], local: Local) -> Physics:
        nodes = [_Node(frames["frame_a"])] if "frame_a" in frames else []
        for k, (radius, sense) in enumerate(zip(self.radii, self.senses, strict=True), start=1):
            center, rim = frames[f"center_{k}"], frames[f"rim_{k}"]
            nodes.append(_Node(center, sense * radius, sense * rim.seen_from(center).r[2]))
        nodes += [_Node(frames["frame_b"])] if "frame_b" in frames else []
        stored, loads, outputs = ca.SX(1, 1), [], {}
        places: dict[int, list[ca.SX]] = {}
        for i, (one, other) in enumerate(pairwise(nodes)):
            path, leaving, arriving = _tangent(one, other)
            length = self.lengths[i] + one.moved - other.moved
            for k, node, place, side in ((i, one, leaving, -1), (i + 1, other, arriving, 1)):
                if place is not None:
                    places.setdefault(k, []).append(place)
                    length += side * node.radius * place
            strain = path / length - 1
            stored += self.rigidity * length * one_sided_energy(strain, self.transition)
            tension = self.rigidity * one_sided_force(strain, self.transition)
            if isinstance(self.damping_time, ca.SX) or self.damping_time > 0:
                growth = local.rate(path - length) / length
                total = self.rigidity * one_sided_force(strain + self.damping_time * growth, self.transition)
                loads.append(Load(tension - total, path - length))
                tension = total
            outputs |= {f"tension_{i + 1}": Output(tension, "N"), f"length_{i + 1}": Output(path, "m")}
        first = 0 if "frame_a" not in frames else 1
        for k, (sense, number) in enumerate(zip(self.senses, range(first, len(nodes)), strict=False), start=1):
            if len(places[number]) == 2:
                arriving, leaving = places[number]
                outputs[f"wrap_{k}"] = Output(sense * (leaving - arriving), "rad")
        return Physics(potential=stored, loads=tuple(loads), outputs=outputs)


def _tangent(one: _Node, other: _Node) -> tuple[ca.SX, ca.SX | None, ca.SX | None]:
    """Return the length of the common tangent of two nodes [m], and the places [rad] where it touches each.

    A place is seen from x of the node's frame; None of a point. With signed radii a and b, and d from centre to centre,
    the tangent u and the normal n on its right have d.u = sqrt(d^2 - (a - b)^2) and d.n = a - b.
    """
    base, far = (one, other) if one.radius else (other, one)
    seen = far.frame.seen_from(base.frame)
    d = seen.r if base is one else -seen.r
    apart = one.radius - other.radius
    square = d[0] ** 2 + d[1] ** 2
    along = ca.sqrt(square - apart**2)
    normal = ca.vertcat(apart * d[0] + along * d[1], apart * d[1] - along * d[0]) / square
    path = ca.sqrt(ca.sumsqr(d) - apart**2)
    places: list[ca.SX | None] = []
    for node in (one, other):
        if not node.radius:
            places.append(None)
            continue
        own = normal if node is base else seen.R[:2, :2].T @ normal
        sense = float(np.sign(node.radius))
        places.append(ca.atan2(sense * own[1], sense * own[0]))
    return path, places[0], places[1]


def tangent_points(block: _RopeSpans, axes: np.ndarray, origins: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Return both ends of each free part of a rope: the number of the frame that it is at, and the point (..., 3) [m].

    Parameters
    ----------
    block : _RopeSpans
    axes, origins : ndarray (..., k, 3, 3), (..., k, 3)
        Of the frames that it is attached to, in the order of its ports.
    """
    places = [(i, spec.name) for i, spec in enumerate(block.ports) if not spec.name.startswith("rim")]
    signed = {f"center_{k}": s * r for k, (s, r) in enumerate(zip(block.senses, block.radii, strict=True), start=1)}
    found: list[tuple[int, np.ndarray]] = []
    for (i, one), (j, other) in pairwise(places):
        a, b = signed.get(one, 0.0), signed.get(other, 0.0)
        frame = axes[..., i if a else j, :, :]
        d = np.einsum("...ji,...j->...i", frame, origins[..., j, :] - origins[..., i, :])
        along = np.sqrt(d[..., 0] ** 2 + d[..., 1] ** 2 - (a - b) ** 2)
        normal = np.stack([(a - b) * d[..., 0] + along * d[..., 1], (a - b) * d[..., 1] - along * d[..., 0]], axis=-1)
        normal /= np.sum(d[..., :2] ** 2, axis=-1, keepdims=True)
        across = np.einsum("...ij,...j->...i", frame[..., :2], normal)
        found += [(i, origins[..., i, :] + a * across), (j, origins[..., j, :] + b * across)]
    return found


def _numbers(where: str, name: str, values: Any, *, strict: bool) -> tuple[float, ...]:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        array = np.full((1, 1), np.nan)
    least = 0.0 if not strict else np.nextafter(0.0, 1.0)
    if not isinstance(values, Sequence) or array.ndim != 1 or not np.all(np.isfinite(array)) or np.any(array < least):
        told = "> 0" if strict else ">= 0"
        raise ParameterError(f"{where}: {name} = {values!r}; must be a list of finite numbers {told}.")
    return tuple(float(value) for value in array)
