"""Compiled kernels, if a compiler is available."""

from __future__ import annotations

import logging
from dataclasses import replace

from flexblocks.dae.compiler import CompilerError, load

from .kernel import Kernel

_FUNCTIONS = ("residual", "cost", "jacobian", "gradient", "hessian")
_LOG = logging.getLogger(__name__)


class CompiledKernels:
    """Replaces the functions of kernels by compiled ones if possible.

    Attributes
    ----------
    note : str
        Paths of the libraries, or why functions are not compiled.
    """

    def __init__(self) -> None:
        self._libraries: list[str] = []
        self._reasons: list[str] = []

    @property
    def note(self) -> str:
        return "; ".join([*self._libraries, *(f"not compiled: {reason}" for reason in self._reasons)]) or "nothing"

    def compiled(self, kernel: Kernel) -> Kernel:
        """Return `kernel` with compiled functions, or unchanged if they cannot be compiled."""
        functions = [getattr(kernel, name) for name in _FUNCTIONS]
        try:
            library, made = load(functions)
        except (CompilerError, RuntimeError) as error:  # from CasADi, for functions without C code generation
            self._reasons.append(str(error).strip().splitlines()[-1])
            _LOG.info("CasADi evaluates the functions itself: %s", error)
            return kernel
        self._libraries.append(str(library))
        return replace(kernel, **dict(zip(_FUNCTIONS, (made[function.name()] for function in functions), strict=True)))
