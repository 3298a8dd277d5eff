"""The same transcription once more: of another problem, mesh or arm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flexblocks.dae import DAE

from .model import pyomo_model
from .outline import Outline
from .problem import Problem


def models_like(
    outline: Outline, dae: DAE, p: Mapping[str, float] | None = None
) -> Callable[[Problem, Sequence[int]], Any]:
    """Return what makes models (problem, intervals of each phase) -> ConcreteModel for another arm.

    The collocation, the input shape and, where `p` has no others, the parameters are those of `outline`.
    """
    t = outline.first[0]
    values = parameters_of(outline) | dict(p or {})

    def model_of(asked: Problem, intervals: Sequence[int]) -> Any:
        return pyomo_model(dae, asked, intervals=intervals, degree=t.scheme.degree, inputs=t.shape.name, p=values)

    return model_of


def parameters_of(outline: Outline) -> dict[str, float]:
    """Return the symbolic parameters where neither scenario nor phase has another value, by name."""
    return dict(zip(outline.dae.p.names, outline.p.tolist(), strict=True))
