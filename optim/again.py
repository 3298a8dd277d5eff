"""The same transcription once more: of another problem, mesh or arm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flexblocks.dae import DAE

from .collocation import Collocation
from .model import pyomo_model
from .outline import Outline
from .problem import Problem


def models_like(
    outline: Outline, dae: DAE, p: Mapping[str, float] | None = None
) -> Callable[[Problem, Sequence[int], Collocation, Any], Any]:
    """Return what makes models (problem, intervals, scheme, quasi_static) -> ConcreteModel for another arm.

    The input shape and, where `p` has no others, the parameters are those of `outline`.
    """
    shape = outline.first[0].shape
    values = parameters_of(outline) | dict(p or {})

    def model_of(asked: Problem, intervals: Sequence[int], scheme: Collocation, quasi_static: Any) -> Any:
        chosen = {"degree": scheme.degree, "scheme": scheme.name, "inputs": shape.name, "quasi_static": quasi_static}
        return pyomo_model(dae, asked, intervals=intervals, p=values, **chosen)

    return model_of


def parameters_of(outline: Outline) -> dict[str, float]:
    """Return the symbolic parameters where neither scenario nor phase has another value, by name."""
    return dict(zip(outline.dae.p.names, outline.p.tolist(), strict=True))
