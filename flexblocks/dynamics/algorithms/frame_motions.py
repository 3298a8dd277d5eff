"""Motion of any frame of an arm in space, by name: position, orientation, velocity and angular velocity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dynamics.algorithms.kinematics import Motion, motions
from flexblocks.dynamics.evaluation.block_terms import BlockTerms, call
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.evaluation.evaluate import block_terms
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.errors import FlexblocksError, NameUnknownError, listing, meant
from flexblocks.interfaces.frame import rotation
from flexblocks.interfaces.ports import Kind

POSITION = ("x", "y", "z")
ANGLES = ("roll", "pitch", "yaw")
ROTATION = tuple(f"rotation_{row}{column}" for row in POSITION for column in POSITION)
VELOCITY = tuple(f"velocity_{axis}" for axis in POSITION)
ANGULAR_VELOCITY = tuple(f"angular_velocity_{axis}" for axis in POSITION)
# Units of all quantities that every frame has, by the last part of their names.
UNITS = {
    **dict.fromkeys(POSITION, "m"),
    **dict.fromkeys(ANGLES, "rad"),
    **dict.fromkeys(ROTATION, "1"),
    **dict.fromkeys(VELOCITY, "m/s"),
    **dict.fromkeys(ANGULAR_VELOCITY, "rad/s"),
}
# ``payload.turn(0, 0, 1.5).x`` [rad]: component of the turn away from the attitude with that rotation vector.
TURN = re.compile(r"(?P<frame>.*)\.turn\((?P<attitude>[^()]*)\)\.(?P<axis>[xyz])")
# One of each kind, for messages.
EXAMPLES = ("x", "velocity_x", "roll", "rotation_xx", "angular_velocity_x")


@dataclass(frozen=True)
class FrameMotion:
    """Motion of a frame relative to the world.

    Attributes
    ----------
    R : SX (3, 3)
        Orientation: the columns are the frame's axes in the world.
    r, v : SX (3, 1)
        Position [m] and velocity [m/s] of its origin, in world axes.
    omega : SX (3, 1)
        Angular velocity [rad/s] in the frame's axes, as a gyroscope measures it: skew(omega) = R' dR/dt.
    """

    R: ca.SX
    r: ca.SX
    v: ca.SX
    omega: ca.SX

    def turn(self, attitude: tuple[float, ...]) -> ca.SX:
        """Return the turn (3, 1) [rad] away from an attitude, which is a rotation vector, in the axes of that attitude.

        Twice the tangent of half the angle, along the axis (Rodrigues): the rotation vector up to terms of third order.
        It has full rank at zero, and is infinite at a turn by pi, which so cannot be taken for none.
        """
        angle = float(np.linalg.norm(attitude))
        axis = np.array(attitude) / angle if angle else np.array([1.0, 0.0, 0.0])
        return rodrigues(rotation(axis.tolist(), ca.SX(angle)).T @ self.R)

    def __getitem__(self, quantity: str) -> ca.SX:
        """Return a scalar by the last part of its name, as in `UNITS`."""
        if (turned := _turned_from(quantity)) is not None:
            attitude, axis = turned
            return self.turn(attitude)[axis]
        if quantity in ANGLES:
            return roll_pitch_yaw(self.R)[ANGLES.index(quantity)]
        if quantity in ROTATION:
            row, column = divmod(ROTATION.index(quantity), 3)
            return self.R[row, column]
        for names, vector in ((POSITION, self.r), (VELOCITY, self.v), (ANGULAR_VELOCITY, self.omega)):
            if quantity in names:
                return vector[names.index(quantity)]
        raise KeyError(quantity)


def rodrigues(R: ca.SX) -> ca.SX:
    """Return the Rodrigues vector (3, 1) of a rotation, twice: the tangent of half its angle, along its axis."""
    skewed = R - R.T
    return 2 * ca.vertcat(skewed[2, 1], skewed[0, 2], skewed[1, 0]) / (1 + ca.trace(R))


def roll_pitch_yaw(R: ca.SX) -> ca.SX:
    """Return roll, pitch and yaw (3, 1) [rad] with R = Rz(yaw) Ry(pitch) Rx(roll); roll and yaw lock at pitch +-pi/2.

    Pitch is within +-pi/2, roll and yaw within +-pi.
    """
    level = ca.sqrt(R[2, 1] ** 2 + R[2, 2] ** 2)
    return ca.vertcat(ca.atan2(R[2, 1], R[2, 2]), ca.atan2(-R[2, 0], level), ca.atan2(R[1, 0], R[0, 0]))


def split_name(name: object) -> tuple[str, str] | None:
    """Split the name of a frame's quantity into the frame and the quantity; None if it is no such name."""
    if isinstance(name, str) and (turn := TURN.fullmatch(name)):
        return turn["frame"], name[len(turn["frame"]) + 1 :]
    frame, _, quantity = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    return (frame, quantity) if frame and quantity in UNITS else None


def _turned_from(name: str) -> tuple[tuple[float, ...], int] | None:
    """Return the attitude and the component of a quantity ``turn(a, b, c).x``; None if it is another one."""
    turn = TURN.fullmatch(f".{name}")
    if turn is None:
        return None
    try:
        attitude = tuple(float(number) for number in turn["attitude"].split(","))
    except ValueError:
        attitude = ()
    if len(attitude) != 3 or not np.all(np.isfinite(attitude)):
        raise NameUnknownError(f"'{name}': turn({turn['attitude']}); must be a rotation vector, three numbers [rad].")
    return attitude, POSITION.index(turn["axis"])


def frame_quantities(tree: Tree, names: Sequence[str], q: ca.SX, v: ca.SX) -> list[ca.SX]:
    """Return quantities of frames (1, 1) by name, as ``"payload.velocity_x"`` or ``"link1.station(0.25).roll"``.

    Raises
    ------
    NameUnknownError
        There is no such frame or quantity.
    """
    if not frame_units(tree, names):
        return []
    inlets = motions(tree, q, v)
    places = [place for name in names if (place := split_name(name)) is not None]
    known = {frame: _motion(tree, inlets, frame, q, v) for frame in dict.fromkeys(frame for frame, _ in places)}
    return [known[frame][quantity] for frame, quantity in places]


def frame_motion(tree: Tree, frame: str, q: ca.SX, v: ca.SX) -> FrameMotion:
    """Return the motion of a frame.

    Parameters
    ----------
    tree : Tree
    frame : str
        A block, ``"payload"``, for its outboard end, or one of its frames: ``"link1.frame_a"``,
        ``"link1.frame_b"``, ``"link1.station(0.25)"``.
    q, v : SX (n, 1)

    Raises
    ------
    NameUnknownError
        There is no such block or frame, or it has no place in space.
    """
    return _motion(tree, motions(tree, q, v), frame, q, v)


def frame_units(tree: Tree, names: Iterable[str], others: Iterable[str] = ()) -> dict[str, str]:
    """Return the units of quantities of frames by name; `others` are the names that may have been intended instead.

    Raises
    ------
    NameUnknownError
        There is no such frame or quantity.
    """
    units = {}
    for name in names:
        split = split_name(name)
        if split is None:
            known = [*others, *frame_names(tree)]
            told = f"there are {listing(others)}; of any frame {', '.join(EXAMPLES)} and the like."
            raise NameUnknownError(f"there is no output or state '{name}'{meant(name, known, told)}")
        _place(tree, split[0])
        units[name] = "rad" if _turned_from(split[1]) else UNITS[split[1]]
    return units


def frame_names(tree: Tree) -> list[str]:
    """Return the names of all quantities of the blocks' outboard ends, for suggestions."""
    return [f"{body.name}.{quantity}" for body in placed(tree) for quantity in UNITS]


def placed(tree: Tree) -> list[Body]:
    """Return the bodies with a place in space: the ground, and those in its tree of frames."""
    return [body for body in tree.bodies if body.parent is not None or body.terms.outlets]


def terms_at(body: Body, outlets: tuple[str, ...], p: ca.SX) -> BlockTerms:
    """Return the terms of a body's block with frames at other outlets; coordinates that are locked stay so."""
    terms = body.terms
    locked = dict(zip((c.name for c in terms.coordinates), terms.symbols.offsets.tolist(), strict=True))
    return block_terms(body.block, outlets, True, body.carried, p, locked)


def _motion(tree: Tree, inlets: Sequence[Motion], frame: str, q: ca.SX, v: ca.SX) -> FrameMotion:
    index, outlet = _place(tree, frame)
    body, (R, r, V) = tree.bodies[index], inlets[index]
    if outlet is not None:
        known = body.terms if outlet in body.terms.outlets else terms_at(body, (outlet,), tree.p)
        R, r, V = call(known.motions[outlet], R, r, V, body.gather(q), body.gather(v), body.terms.p)
    return FrameMotion(R, r, ca.sparsify(R @ V[3:]), ca.sparsify(V[:3]))


def _place(tree: Tree, frame: str) -> tuple[int, str | None]:
    """Return the body of a frame and its outlet there, None for the inlet."""
    ends = {name.removesuffix(".frame_b"): behind for name, behind in tree.frames.items() if name.endswith(".frame_b")}
    frame = {**tree.frames, **ends}.get(frame, frame)
    body = _body(tree, frame)
    ports = {spec.name for spec in body.block.ports}
    at_end = "frame_b" if "frame_b" in ports else "frame_a"
    port = frame[len(body.name) + 1 :] or at_end
    try:
        spec = body.block.port(port).spec
    except FlexblocksError as error:
        raise NameUnknownError(f"'{frame}': {error}") from None
    if spec.kind is not Kind.FRAME:
        raise NameUnknownError(
            f"'{frame}' is a {spec.kind}, which has no position in space; name a frame of the block."
        )
    return tree.bodies.index(body), spec.name if spec.outlet else None


def _body(tree: Tree, frame: str) -> Body:
    bodies = {body.name: body for body in placed(tree)}
    known_names = [*bodies, *dict.fromkeys(name.rpartition(".")[0] for name in tree.frames)]
    matching = [known for known in bodies if frame == known or frame.startswith(f"{known}.")]
    if not matching:
        told = f"name a block ({listing(known_names)}) or a frame of one, as 'link1.frame_b' or 'link1.station(0.25)'."
        raise NameUnknownError(f"There is no place '{frame}'{meant(frame.partition('.')[0], known_names, told)}")
    return bodies[max(matching, key=len)]
