"""Which machine takes the samples of a receding horizon: a compiled kernel, or NumPy where there is no compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flexblocks.dae.compiler import CompilerError
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import NOT_COMPILED

from .compiled_iteration import CompiledIteration, build
from .interpreted.callback import Interpreted, kept


def compiled_or_interpreted(
    where: str, name: str, source: str, flags: Sequence[str], interpreted: Callable[[str], Interpreted]
) -> CompiledIteration | Interpreted:
    """Return the function of this name and C source, or with a warning what does the same in NumPy.

    Parameters
    ----------
    where : str
        The caller, for messages.
    name, source : str
    flags : sequence of str
        Options of the compiler behind the code.
    interpreted : callable
        It makes a function of the name that it is given.
    """
    try:
        return CompiledIteration(build(name, source, flags))
    except CompilerError as error:
        warn(f"{where}: {error} Iterations are now taken by NumPy, many times as slowly.", NOT_COMPILED)
        return kept(f"{name}_numpy", interpreted)
