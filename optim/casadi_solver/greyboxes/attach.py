"""Put a grey box on variables that a Pyomo model already has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock
from pyomo.core.base.block import BlockData
from pyomo.core.base.var import VarData

from ..errors import GreyBoxError
from .greybox import CasadiGreyBox


def attach(parent: BlockData, name: str, greybox: CasadiGreyBox, inputs: Sequence[VarData]) -> ExternalGreyBoxBlock:
    """Add `greybox` to the Pyomo block `parent` as the component `name`, on existing variables.

    Parameters
    ----------
    parent : BlockData
        A model or block.
    name : str
        Name of the new component.
    greybox : CasadiGreyBox
    inputs : sequence of VarData
        The variables that the box's index array counts, in that order.

    Returns
    -------
    ExternalGreyBoxBlock
        Its ``outputs["cost"]`` is the summed cost, for use in an objective, if the function has one.

    Raises
    ------
    GreyBoxError
        The number of variables is not the number of inputs.
    """
    inputs = list(inputs)
    if len(inputs) != greybox.n_inputs():
        raise GreyBoxError(
            f"Grey box '{name}': got {len(inputs)} variables; must be {greybox.n_inputs()}, one for each of its inputs."
        )
    block: Any = ExternalGreyBoxBlock()
    parent.add_component(name, block)
    block.set_external_model(greybox, inputs=inputs)
    return block
