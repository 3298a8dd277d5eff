"""Arms of the literature, and machines of the trades that move them, built from blocks."""

from flexblocks.public_calls import guard

from .concrete_pump import concrete_pump
from .hoist_crane import hoist_crane
from .space_arm import space_arm
from .subudhi_morris import subudhi_morris_2002
from .tendon_arm import tendon_arm
from .theodore_ghosal import theodore_ghosal_1995
from .yu_chen import yu_chen_2019

__all__ = [
    "concrete_pump",
    "hoist_crane",
    "space_arm",
    "subudhi_morris_2002",
    "tendon_arm",
    "theodore_ghosal_1995",
    "yu_chen_2019",
]

guard(__name__, __all__)
