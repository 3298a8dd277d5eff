"""Flexible bodies in SID files: from their series in the amplitudes to integrals, and back.

With G_kl the integral of phi_k phi_l' over the mass, phi_0 the place: J and its derivatives hold the symmetric parts of
G_00 and G_0k, Cr the others' skew parts, Me their traces, and Oe, the centrifugal forces in xx, yy, zz, xy, yz, xz of
the angular velocity, the symmetric parts of all G_kl.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from flexblocks.bodies.finite_elements import WHERE
from flexblocks.bodies.flexible_body import FlexibleBody
from flexblocks.bodies.inertia_tensor import axial, cross_matrix, moment_of_inertia
from flexblocks.bodies.sid_text import Sid, SidNode, Taylor, read_sid, sid_text
from flexblocks.errors import ParameterError, listing
from flexblocks.files import write_text
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import SID_FREQUENCIES

# Files have seven digits; what is off by more says something else.
SLACK = 1e-3
# By how much frequencies may differ from those that the file names.
NAMED = 0.01
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
HERTZ = re.compile(r"([-+\d.EeDd]+)\s*(?:\[?Hz\]?)")


def body_of_sid(path: str | Path, interfaces: Mapping[str, str | int], negligible: float) -> FlexibleBody:
    """Return the body; arguments as of `FlexibleBody.from_sid`."""
    content = read_sid(path)
    nodes = _nodes(path, content, interfaces)
    root = nodes["frame_a"].series
    shapes = {name: _motion(node) for name, node in nodes.items()}
    size = np.abs(np.array(list(shapes.values()))).max()
    turned = np.abs(root["AP"].zeroth - np.eye(3)).max() if "AP" in root else 0.0
    if np.abs(shapes["frame_a"]).max() > SLACK * size or turned > SLACK:
        raise ParameterError(
            f"{WHERE}: {path}: its modes move node {nodes['frame_a'].number}, or its axes are turned; frame_a must be "
            "the node at which the modes were computed clamped, with the axes of the body."
        )
    points = np.array([node.series["origin"].zeroth.ravel() for node in nodes.values()])
    first, second = _from(path, content, points[0])
    stiffness = content.series["Ke"].zeroth
    body = FlexibleBody(
        mass=content.mass,
        first=first,
        second=second,
        stiffness=(stiffness + stiffness.T) / 2,
        names=tuple(nodes),
        points=points - points[0],
        motion=np.array(list(shapes.values())),
        frequencies=_named_frequencies(content),
        negligible=negligible,
    )
    _compare(path, body)
    return body


def _nodes(path: str | Path, content: Sid, interfaces: Mapping[str, str | int]) -> dict[str, SidNode]:
    if not isinstance(interfaces, Mapping) or not {"frame_a", "frame_b"} <= interfaces.keys():
        raise ParameterError(f"{WHERE}: interfaces = {interfaces!r}; must name the nodes of frame_a and frame_b.")
    known = {node.number: node for node in content.nodes}
    found = {}
    for name in ("frame_a", *(name for name in interfaces if name != "frame_a")):
        number = str(interfaces[name])
        if number not in known:
            raise ParameterError(
                f"{WHERE}: interfaces: '{name}': {path} has no node {number}; it has {listing(known)}."
            )
        found[name] = known[number]
    return found


def _motion(node: SidNode) -> np.ndarray:
    """Return shift and turn (6, n) of a node."""
    return np.vstack([node.series["phi"].zeroth, node.series["psi"].zeroth])


def _from(path: str | Path, content: Sid, origin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the integrals (n + 1, 3) and (n + 1, n + 1, 3, 3) about a place."""
    series, n, mass = content.series, len(content.modes), content.mass
    rotary, centrifugal = series["Cr"], series["Oe"]
    turns = series["J"].first
    if rotary.first is None or centrifugal.first is None or turns is None:
        raise ParameterError(
            f"{WHERE}: {path}: J, Cr or Oe is of order 0, which leaves inertia unknown as the body deforms; write the "
            "file with terms of first order."
        )
    first = np.vstack([series["mdCM"].zeroth.reshape(1, 3), series["Ct"].zeroth])
    second = np.zeros((n + 1, n + 1, 3, 3))
    J = series["J"].zeroth
    second[0, 0] = np.trace(J) / 2 * np.eye(3) - J
    symmetric = np.array([np.trace(turns[:, k]) / 4 * np.eye(3) - turns[:, k] / 2 for k in range(n)])
    sign, order = _convention(path, centrifugal.zeroth, symmetric)
    for j in range(n):
        second[0, j + 1] = symmetric[j] + _skew_part(rotary.zeroth[j])
        second[j + 1, 0] = second[0, j + 1].T
        for k in range(n):
            part = _symmetric_part(sign * centrifugal.first[j, k][list(order)])
            second[k + 1, j + 1] = part + _skew_part(rotary.first[j, k])
    inner = second[1:, 1:]
    modal = series["Me"].zeroth
    off = np.abs(np.trace(inner, axis1=2, axis2=3) - modal).max() / np.abs(modal).max()
    if off > SLACK:
        raise ParameterError(
            f"{WHERE}: {path}: Oe is not that of the mass alone (its trace is off Me by {off:.2g}); if it holds "
            "geometric stiffening, write the file without."
        )
    second[1:, 1:] = (inner + inner.transpose(1, 0, 3, 2)) / 2
    moved = second.copy()
    moved[0, 0] += mass * np.outer(origin, origin) - np.outer(origin, first[0]) - np.outer(first[0], origin)
    for k in range(1, n + 1):
        moved[0, k] -= np.outer(origin, first[k])
        moved[k, 0] = moved[0, k].T
    first[0] -= mass * origin
    return first, moved


def _convention(path: str | Path, centrifugal: np.ndarray, symmetric: np.ndarray) -> tuple[float, tuple[int, ...]]:
    """Return sign and order of the columns of Oe, in which programs differ: J has the same integrals."""
    expected = np.array([_centrifugal(each) for each in symmetric])
    best = (np.inf, 1.0, (0, 1, 2, 3, 4, 5))
    for order in ((0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 5, 4)):
        for sign in (1.0, -1.0):
            best = min(best, (float(np.abs(sign * centrifugal[:, order] - expected).max()), sign, order))
    if best[0] > SLACK * max(np.abs(expected).max(), np.abs(centrifugal).max()):
        raise ParameterError(
            f"{WHERE}: {path}: J and Oe contradict each other; both must be of the same modes and place."
        )
    return best[1], best[2]


def _centrifugal(G: np.ndarray) -> np.ndarray:
    """Return the coefficients (6,) of phi . (omega x (omega x r)) from the integral of r phi'."""
    double = np.array([G[i, j] + (G[j, i] if i != j else 0.0) for i, j in PAIRS])
    double[:3] -= np.trace(G)
    return double


def _symmetric_part(row: np.ndarray) -> np.ndarray:
    """Return the symmetric part (3, 3) of an integral from its coefficients (6,) of `_centrifugal`."""
    part = np.zeros((3, 3))
    trace = -row[:3].sum() / 2
    for value, (i, j) in zip(row, PAIRS, strict=True):
        part[i, j] = part[j, i] = value + trace if i == j else value / 2
    return part


def _skew_part(vector: np.ndarray) -> np.ndarray:
    """Return the skew part (3, 3) of the integral of r p' from that of r x p."""
    return -cross_matrix(vector) / 2


def _named_frequencies(content: Sid) -> np.ndarray:
    """Return the frequencies [rad/s] in the names of all modes; empty if one name has none."""
    found = [HERTZ.search(name) for name in content.modes]
    values = [float(match[1].replace("D", "E")) for match in found if match is not None]
    return 2 * np.pi * np.array(values if len(values) == len(found) else [])


def _compare(path: str | Path, body: FlexibleBody) -> None:
    """Warn where frequencies are not those that the file names."""
    named = np.sort(body.frequencies)
    if not len(named):
        return
    off = np.abs(body.natural_frequencies[: len(named)] / np.maximum(named, np.finfo(float).tiny) - 1)
    if off.max() > NAMED:
        worst = int(off.argmax())
        warn(
            f"{WHERE}: {path}: frequency {worst + 1} of Ke and Me is {body.natural_frequencies[worst] / 2 / np.pi:.5g} "
            f"Hz, and the file names {named[worst] / 2 / np.pi:.5g} Hz; check units, and what the body carried there.",
            SID_FREQUENCIES,
        )


def save_sid(body: FlexibleBody, path: str | Path) -> None:
    """Write a body; see `FlexibleBody.save_sid`."""
    G, n = body.second, body.size
    inner = range(1, n + 1)
    modal = body.modal_mass
    turned = np.array([2 * moment_of_inertia((G[0, k] + G[0, k].T) / 2) for k in inner])
    spins = np.array([[axial(G[k, j]) for k in inner] for j in inner])
    series = {
        "mdCM": Taylor(body.first[0].reshape(3, 1), body.first[1:].T.reshape(3, n, 1)),
        "J": Taylor(moment_of_inertia(G[0, 0]), turned.transpose(1, 0, 2)),
        "Ct": Taylor(body.first[1:]),
        "Cr": Taylor(np.array([axial(G[0, k]) for k in inner]), spins),
        "Me": Taylor(modal),
        "Gr": Taylor(np.hstack([2 * (np.trace(G[0, k]) * np.eye(3) - G[0, k].T) for k in inner])),
        "Ge": Taylor(2 * spins.reshape(n, 3 * n)),
        "Oe": Taylor(
            np.array([_centrifugal(G[0, k]) for k in inner]),
            np.array([[_centrifugal(G[k, j]) for k in inner] for j in inner]),
        ),
        "ksigma": Taylor(np.zeros((n, 1))),
        "Ke": Taylor(body.stiffness),
        "De": Taylor(np.zeros((n, n))),
    }
    nodes = []
    for i, (point, motion) in enumerate(zip(body.points, body.motion, strict=True), 1):
        shift, turn = motion[:3], motion[3:]
        axes = np.array([cross_matrix(each) for each in turn.T]).transpose(1, 0, 2)
        of_node = {
            "origin": Taylor(point.reshape(3, 1), shift.reshape(3, n, 1)),
            "phi": Taylor(shift),
            "psi": Taylor(turn),
            "AP": Taylor(np.eye(3), axes),
        }
        nodes.append(SidNode(str(i), of_node))
    names = [f"Eigen Mode {k:4d} : {f / (2 * np.pi):.9g} Hz" for k, f in enumerate(body.natural_frequencies, 1)]
    write_text(path, sid_text(Sid(body.mass, names, nodes, series)))
