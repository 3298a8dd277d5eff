"""The kernel that serves an arm: machine code of a compiled DAE, otherwise CasADi's virtual machine."""

from __future__ import annotations

import logging
from weakref import WeakKeyDictionary

from flexblocks.dae.compiler import CompilerError
from flexblocks.dae.dae import DAE
from flexblocks.simulation.integrators.driven_equations import BUILDING
from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.stepping.compiled_kernel import CompiledKernel
from flexblocks.simulation.stepping.interpreted_kernel import InterpretedKernel
from flexblocks.simulation.stepping.kernel import Kernel

LOG = logging.getLogger("flexblocks.dae")

# Compiled ones keep nothing of a run: all runs of an arm share them.
_COMPILED: WeakKeyDictionary[DAE, dict[tuple[bytes, bytes, float | None], CompiledKernel]] = WeakKeyDictionary()


def kernel_of(dae: DAE, method: FixedStep) -> Kernel:
    """Return the kernel of an arm and a method; if compiling fails, the reason is logged as a warning.

    This is the one place that knows which kernels there are.
    """
    with BUILDING:
        if dae.library is None:
            return InterpretedKernel(dae, method)
        kernels, key = _COMPILED.setdefault(dae, {}), method.key
        if key not in kernels:
            try:
                kernels[key] = CompiledKernel(dae, method)
            except CompilerError as error:
                LOG.warning("%s; steps of '%s' are taken by CasADi's virtual machine", error, dae.name)
                return InterpretedKernel(dae, method)
        return kernels[key]
