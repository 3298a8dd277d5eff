"""Verification of linear models against the nonlinear equations: correctness, and range of validity."""

from flexblocks.linear.verification.check import LinearCheck, check
from flexblocks.linear.verification.validity import validity

__all__ = ["LinearCheck", "check", "validity"]
