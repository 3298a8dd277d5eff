"""Refusals of grey boxes; apart from those of the solver, so that kernels can be made without Pyomo."""

from __future__ import annotations

from flexblocks.errors import FlexblocksError


class GreyBoxError(FlexblocksError):
    """A CasADi function, index array or parameter value that does not make a grey box."""
