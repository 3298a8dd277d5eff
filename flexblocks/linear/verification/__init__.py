"""Whether a linear model is right, and how far it holds: the nonlinear equations beside it, without its derivatives."""

from flexblocks.linear.verification.check import LinearCheck, check
from flexblocks.linear.verification.validity import validity

__all__ = ["LinearCheck", "check", "validity"]
