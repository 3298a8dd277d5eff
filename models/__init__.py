"""Published arms, built from blocks."""

from .subudhi_morris import subudhi_morris_2002

__all__ = ["subudhi_morris_2002"]
