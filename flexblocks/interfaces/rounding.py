"""Rounding: how a law that changes sharply is rounded off, so that motions through it can be searched for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True)
class Rounding:
    """The parameters of a law that changes sharply; the block's attribute ``rounding`` is one of the kinds below.

    Plans begin with a law that is all but linear, and go on to that of the block.

    Attributes
    ----------
    width : str
        The parameter over which the law changes.
    noun, difficulty, softer, bound, share : str
        Words of the kind: what is rounded off, what motions through it do, how it differs then, a value of its width,
        and one as a share of all.
    """

    width: str
    noun: ClassVar[str]
    difficulty: ClassVar[str]
    softer: ClassVar[str]
    bound: ClassVar[str]
    share: ClassVar[str]


@dataclass(frozen=True)
class FrictionRounding(Rounding):
    """The parameters of a law whose force changes its sign with a rate.

    Attributes
    ----------
    width : str
        The parameter below which the sign of the rate is rounded off [rad/s]; None is a law that sticks.
    dry : str
        The parameter with the force that changes its sign, such as that of dry friction.
    slow : str
        A parameter that says which rates are slow [rad/s], for shafts that stay where they are.
    details : mapping of str to str or float
        Parameters that matter next to rest only, with what takes their place until the law is sharp: another parameter,
        by its name, or a value. They come back in this order.
    """

    dry: str
    slow: str
    details: Mapping[str, str | float] = field(default_factory=dict)
    noun = "friction"
    difficulty = "sticks and slips"
    softer = "changes its sign less sharply than modelled"
    bound = "below {:.3g} rad/s"
    share = "below {:.2g} of the rates"


@dataclass(frozen=True)
class PlayRounding(Rounding):
    """The parameters of a spring that acts beyond a play to either side.

    Attributes
    ----------
    width : str
        The parameter over which it sets in, relative to the play.
    across : str
        The output that changes its sign where the play is crossed.
    """

    across: str
    noun = "play"
    difficulty = "crosses play"
    softer = "ends less sharply than modelled"
    bound = "over {:.3g} of the play"
    share = "over {:.2g} of itself"
