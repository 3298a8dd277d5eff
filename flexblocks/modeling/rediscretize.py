"""Rediscretisation: the same model with other discretisations of its beams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.discretization import Discretization
from flexblocks.blocks.bodies.reduced_body import ReducedBody
from flexblocks.errors import ModelError, ParameterError, suggestion
from flexblocks.interfaces import Block, Composite
from flexblocks.modeling.model import Model


def rediscretize(model: Model, to: Discretization | Mapping[str, Discretization] | None = None) -> Model:
    """Return a model of the same graph whose beams have other discretizations.

    Parameters
    ----------
    model : Model
    to : Discretization or dict, optional
        For every beam that bends, or by beam name. By default each beam gets one of its kind that is fine enough to
        judge the present one by: 2 n + 2 assumed modes for n, twice the finite elements or rigid segments, n + 2 strain
        functions. A `ReducedBody` has assumed modes, ``AssumedModes(n)``, of which it takes the number, and by default
        no more than its body has; other kinds for every beam leave it as it is.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        No beam of that name.
    ParameterError
        `to` is not a discretisation, or does not suit a beam.
    """
    beams = discretizations(model)
    if to is None:
        wanted = {name: _audited_by(model.blocks[name], kind) for name, kind in beams.items()}
    elif isinstance(to, Mapping):
        wanted = dict(to)
    else:
        bend = [name for name, kind in beams.items() if kind.coordinates("y")]
        wanted = {name: to for name in bend if not isinstance(model.blocks[name], ReducedBody) or _is_modal(to)}
    blocks = model.blocks
    for name, discretization in wanted.items():
        if name not in beams:
            raise ModelError(
                f"Model '{model.name}': there is no beam '{name}'{suggestion(name, beams, 'its beams are')}"
            )
        if not isinstance(discretization, Discretization):
            raise ParameterError(
                f"{blocks[name].where}: discretization = {discretization!r}; must be a discretisation, such as "
                "fb.AssumedModes(n) or fb.FiniteElements(n)."
            )
    # `replace` checks each beam again, so that an unsuitable discretisation is refused.
    return model.copy({name: _with(blocks[name], kind) for name, kind in wanted.items()})


def discretizations(model: Model) -> dict[str, Discretization]:
    """Return the discretisations of a model's beams, by the names of their blocks."""
    return {name: kind for name, block in model.blocks.items() if (kind := _discretization(block)) is not None}


def _discretization(block: Block | Composite) -> Discretization | None:
    kind = block.discretization if isinstance(block, ReducedBody) else vars(block).get("discretization")
    return kind if isinstance(kind, Discretization) else None


def _with(block: Block | Composite, kind: Discretization) -> Block | Composite:
    if isinstance(block, ReducedBody):
        return block.rediscretized(kind)
    return replace(block, discretization=kind)  # type: ignore[call-arg]


def _audited_by(block: Block | Composite, kind: Discretization) -> Discretization:
    finer = kind.audited_by()
    if isinstance(block, ReducedBody) and isinstance(finer, AssumedModes):
        return replace(finer, n=min(finer.n, block.body.size))  # type: ignore[union-attr]
    return finer


def _is_modal(kind: object) -> bool:
    return isinstance(kind, AssumedModes) or not isinstance(kind, Discretization)
