"""Errors of grey boxes, separate from those of the solver so that kernels need no Pyomo."""

from __future__ import annotations

from flexblocks.errors import FlexblocksError


class GreyBoxError(FlexblocksError):
    """An invalid CasADi function, index array or parameter value of a grey box."""
