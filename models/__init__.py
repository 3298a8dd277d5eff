"""Published arms, built from blocks."""

from flexblocks.public_calls import guard

from .subudhi_morris import subudhi_morris_2002
from .theodore_ghosal import theodore_ghosal_1995
from .yu_chen import yu_chen_2019

__all__ = ["subudhi_morris_2002", "theodore_ghosal_1995", "yu_chen_2019"]

guard(__name__, __all__)
