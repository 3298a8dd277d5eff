"""Small deflections: how far the coordinates of a block are from the range of its theory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Tension:
    """The effect of tension on bending that a block leaves out.

    Attributes
    ----------
    block : Block
        The same block with cuts, whose held coordinates feel k pulls [N], as at k places.
    names : tuple of tuple of str
        The k of the tension, then those of the shear force in each plane: along and across the deflected block.
    slopes : ndarray (planes, k, n)
        Slopes there for a unit of each coordinate [rad], by which shear forces pull, too.
    forms : ndarray (k, n, n)
        Stiffness that each pull of 1 N adds, in the coordinates.
    uniform : ndarray (n, n)
        Stiffness that a pull of 1 N all along it adds.
    stiffness : ndarray (n, n)
        Of bending: q' K q is twice the energy stored [J].
    remedy : str
        What counts pulls, for messages.
    length : float or None
        Of a beam along its x axis, whose tip moves along it as it bends [m].
    """

    block: Any
    names: tuple[tuple[str, ...], ...]
    slopes: np.ndarray
    forms: np.ndarray
    uniform: np.ndarray
    stiffness: np.ndarray
    remedy: str = "stiffening=True counts it"
    length: float | None = None


@dataclass(frozen=True, eq=False)
class Twist:
    """The effect of twist on bending that a block leaves out.

    Attributes
    ----------
    curvatures : ndarray (2, k, n)
        Of both planes of bending, y and z, at k places for a unit of each coordinate, over the length [rad].
    twists : ndarray (k, n)
        Angles about the axis there [rad]; zero of one that is not free to twist.
    induced : ndarray (k, m)
        Angles there of m functions by which moments in both planes would twist it besides [rad].
    against : ndarray (m, m)
        Stiffness against these, times the length [N m2].
    rigidities : ndarray (2, k)
        Against these curvatures [N m2].
    weights : ndarray (k,)
        Of a quadrature along the block, in units of its length.
    to_tip : ndarray (k,)
        Distance from there to the tip, in units of the length.
    length : float
        [m]; where that is a coordinate of the block, its start value.
    """

    curvatures: np.ndarray
    twists: np.ndarray
    induced: np.ndarray
    against: np.ndarray
    rigidities: np.ndarray
    weights: np.ndarray
    to_tip: np.ndarray
    length: float

    @property
    def is_free(self) -> bool:
        """Whether the block has coordinates that twist it."""
        return bool(self.twists.any())


@dataclass(frozen=True, eq=False)
class SmallDeflections:
    """Deflections and slopes of a block whose theory takes both as small; linear in its n coordinates.

    Attributes
    ----------
    deflections : ndarray (planes, k, n)
        At k places along the block, in units of its length, for a unit of each coordinate.
    slopes : ndarray (planes, k, n)
        [rad]
    weights : ndarray (k,)
        Of a quadrature along the block, in units of its length.
    name : str
        What makes it linear, for messages: ``AssumedModes(n=2)``.
    remedy : str
        What holds for deflections of any size.
    tension : Tension or None
        None where a pull along the block counts already.
    twist : Twist or None
        None of a block whose stiffness against it is not known, or which is as stiff in all planes.
    length : int or None
        The coordinate that is the length [m], in units of which the others of unit m are to be taken; None if the
        length is constant and counted in.
    in_lengths : ndarray (n,) of bool, or None
        Which coordinates these are.
    """

    deflections: np.ndarray
    slopes: np.ndarray
    weights: np.ndarray
    name: str
    remedy: str
    tension: Tension | None = None
    twist: Twist | None = None
    length: int | None = None
    in_lengths: np.ndarray | None = None

    @property
    def twist_words(self) -> str:
        """What bending and twist do, for messages."""
        return "bends and twists" if self.twist is None or self.twist.is_free else "bends, and with torsion would twist"

    @property
    def remedy_of_twist(self) -> str:
        """What holds however far it bends and twists."""
        if self.twist is None or self.twist.is_free:
            return self.remedy
        return f"{self.remedy.removesuffix('.')}, with torsion=True."

    def relative(self, q: np.ndarray) -> np.ndarray:
        """Return coordinates (samples, n) in the units of `deflections` and `slopes`."""
        if self.length is None or self.in_lengths is None:
            return q
        return np.where(self.in_lengths, q / q[:, [self.length]], q)
