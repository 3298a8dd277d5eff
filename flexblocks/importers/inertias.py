"""Inertias of a file that no rigid body has: refused together, or replaced by the nearest that one has."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np

from flexblocks.errors import ModelError
from flexblocks.importers.description import Description, Inertial, Link

Treatment = Literal["refuse", "repair"]
# What is left of rounding: of the largest moment, and a radius of gyration [m].
SLACK, GYRATION = 1e-9, 1e-6


def with_inertias_of_bodies(robot: Description, treatment: Treatment) -> tuple[Description, tuple[str, ...]]:
    """Return the robot with inertias that rigid bodies have, and what was changed, a line for each link.

    Raises
    ------
    ModelError
        A mass is negative, or an inertia is none of a rigid body and is not to be repaired; all of them are listed.
    """
    faults, changed = [], {}
    for link in robot.links.values():
        if link.inertial is None:
            continue
        if link.inertial.mass < 0:
            raise ModelError(f"{robot.where}: link '{link.name}': mass = {link.inertial.mass:g} kg; must be >= 0.")
        moments = np.linalg.eigvalsh(link.inertial.inertia)
        lack = max(-moments[0], moments[2] - moments[1] - moments[0])
        if lack > 0:
            repaired = _nearest(link.inertial)
            changed[link.name] = Link(link.name, repaired, link.shapes)
            if lack > SLACK * np.abs(moments).max() + GYRATION**2 * link.inertial.mass:
                new = np.linalg.eigvalsh(repaired.inertia)
                faults.append((link.name, _written(moments), _written(new)))
    if faults and treatment == "refuse":
        raise ModelError(
            f"{robot.where}: {len(faults)} inertias that no rigid body has, whose principal moments are >= 0 and at "
            f"most the sum of the other two: {'; '.join(f'{name} ({before} kg m2)' for name, before, _ in faults)}. "
            "Correct them in the file, or take the nearest that bodies have: inertia='repair'."
        )
    lines = tuple(f"{name}: principal moments {before} became {after} kg m2" for name, before, after in faults)
    return dataclasses.replace(robot, links={**robot.links, **changed}), lines


def _nearest(inertial: Inertial) -> Inertial:
    """Return the inertia of the nearest distribution of mass: its second moments, by axis, are none negative.

    The second moments are those of Wensing, Kim and Slotine (2018), tr(I)/2 - I.
    """
    moments, axes = np.linalg.eigh(inertial.inertia)
    second = np.maximum(moments.sum() / 2 - moments, 0.0)
    inertia = axes @ np.diag(second.sum() - second) @ axes.T
    return Inertial(inertial.mass, inertial.center, (inertia + inertia.T) / 2)


def _written(moments: np.ndarray) -> str:
    return ", ".join(f"{moment:.4g}" for moment in moments)
