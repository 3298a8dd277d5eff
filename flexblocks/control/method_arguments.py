"""Arguments by which the library calls the methods of a law, and laws of the user's own that do not take them."""

from __future__ import annotations

import inspect
from typing import Any

from flexblocks.errors import ParameterError

METHODS = {"bind": ("dae", "actuators"), "bind_sampled": ("dae", "actuators", "sample_time"), "designed_on": ("model",)}


def refuse_other_arguments(law: Any, where: str, argument: str) -> None:
    """Refuse a law with a method that cannot be called with the arguments that it is to take.

    Raises
    ------
    ParameterError
    """
    for method, names in METHODS.items():
        if not hasattr(law, method):
            continue
        try:
            signature = inspect.signature(getattr(law, method))
        except (TypeError, ValueError):  # of a method in C, which has no signature
            continue
        try:
            signature.bind(*names)
        except TypeError as mistake:
            raise ParameterError(
                f"{where}: {argument} = {law!r}: its method is {method}{_names_of(signature)} ({mistake}); must be "
                f"{method}({', '.join(names)}). Take these arguments, in this order, besides self."
            ) from None


def _names_of(signature: inspect.Signature) -> str:
    """Return the arguments in a signature in brackets, without their types."""
    empty = inspect.Parameter.empty
    plain = [parameter.replace(annotation=empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=empty))
