"""Run: one motion as it is drawn, of a simulation, a plan, a mode or an arm at rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.plot.animation.arm import Arm, arm_parts
from flexblocks.plot.animation.forces import Forces, forces
from flexblocks.plot.animation.frames import NamedFrame, named_frames
from flexblocks.plot.animation.loads import beam_loads
from flexblocks.plot.animation.modal_stress import ModalStress, modal_stress
from flexblocks.plot.animation.poses import STATIONS, BodyPoses, body_poses, speeds
from flexblocks.plot.animation.signals import Signals
from flexblocks.plot.animation.struts import Struts, element_frames, struts
from flexblocks.plot.animation.tracks import Track, track
from flexblocks.validity.deflection_error import coordinates_of

# Colours of parts over time: for each part values at its stations (frames, k) or stress all over it; None where there
# are none.
Colors = Mapping[str, list[np.ndarray | ModalStress | None]]
# What parts can be coloured by, with its unit.
QUANTITIES = {"stress": "Pa", "bending moment": "N m", "speed": "m/s"}


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of a motion that are drawn.

    Attributes
    ----------
    t : ndarray (frames,)
        [s]
    x, z, u : ndarray (frames, nx), (frames, nz), (frames, nu)
    p : ndarray (np,) or (np, frames)
        The latter where parameters change on the way.
    """

    t: np.ndarray
    x: np.ndarray
    z: np.ndarray
    u: np.ndarray
    p: np.ndarray


@dataclass(frozen=True, eq=False)
class Run:
    """One motion of one arm.

    Attributes
    ----------
    label : str
    kind : "motion", "mode" or "posture"
    t : ndarray (frames,)
        [s]; of a mode the phase, from 0 to 1.
    arm : Arm
    tracks : tuple of Track
    struts : Struts
    forces : Forces
    frames : tuple of NamedFrame
    colors : Colours
    signals : Signals
    """

    label: str
    kind: str
    t: np.ndarray
    arm: Arm
    tracks: tuple[Track, ...]
    struts: Struts
    forces: Forces
    frames: tuple[NamedFrame, ...]
    colors: Colors = field(default_factory=dict)
    signals: Signals = field(default_factory=Signals)


def run(
    dae: DAE, label: str, kind: str, samples: Samples, up: np.ndarray, triangles: int, signals: Signals | None = None
) -> Run:
    """Return a motion as it is drawn."""
    dae, s = dae.interpreted, samples
    poses = body_poses(dae, s.x, s.z, s.p)
    arm = arm_parts(dae, poses, up, triangles)
    attached = element_frames(dae, s.x, s.z, s.p)
    between = struts(dae, arm, poses, attached)
    return Run(
        label,
        kind,
        s.t,
        arm,
        tuple(map(track, poses)),
        between,
        forces(dae, poses, between, attached, s.x, s.z, s.u, s.p) if kind != "mode" else Forces.none(len(s.t)),
        named_frames(dae, poses, s.x, s.z, s.p),
        _colors(dae, arm, poses, s) if kind == "motion" else {},
        Signals() if signals is None else signals,
    )


def _colors(dae: DAE, arm: Arm, poses: list[BodyPoses], s: Samples) -> Colors:
    loads = beam_loads(dae, s.x, s.z, s.u, s.p)
    xi = np.linspace(0.0, 1.0, STATIONS + 1)

    def along(name: str, quantity: str) -> np.ndarray | None:
        values = getattr(loads.get(name), quantity, None)
        if values is None:
            return None
        places = loads[name].xi
        return np.array([np.interp(xi, places, row) for row in values])

    colors: dict[str, list[np.ndarray | ModalStress | None]] = {"speed": list(speeds(dae, s.x, s.z, s.p))}
    colors["bending moment"] = [along(one.body.name, "moment") for one in poses]
    index = {body.name: i for i, body in enumerate(dae.tree.bodies)}
    colors["stress"] = [
        modal_stress(one.body, part.look, coordinates_of(dae, index[one.body.name], s.x)) or along(part.name, "stress")
        for one, part in zip(poses, arm.parts, strict=True)
    ]
    return {quantity: values for quantity, values in colors.items() if any(value is not None for value in values)}
