"""Rounding: how a law with a sharp change of sign is rounded off, so that motions through it can be searched for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rounding:
    """The parameters of a law whose force changes its sign with a rate; the block's attribute ``rounding``.

    Plans begin with a law that is all but viscous, and go on to that of the block.

    Attributes
    ----------
    rate : str
        The parameter below which the sign of the rate is rounded off [rad/s]; None is a law that sticks.
    dry : str
        The parameter that tells the force that changes its sign, such as that of dry friction.
    slow : str
        A parameter that tells which rates are slow [rad/s], for shafts that stay where they are.
    details : mapping of str to str or float
        Parameters that matter next to rest only, with what takes their place until the law is sharp: another parameter,
        by its name, or a value. They come back in this order.
    """

    rate: str
    dry: str
    slow: str
    details: Mapping[str, str | float] = field(default_factory=dict)
