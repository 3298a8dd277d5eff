"""Published arms, built from blocks."""

from .subudhi_morris import subudhi_morris_2002
from .yu_chen import yu_chen_2019

__all__ = ["subudhi_morris_2002", "yu_chen_2019"]
