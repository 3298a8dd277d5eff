"""The model of an arm: blocks, and connections between their ports."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import casadi as ca
import networkx as nx

from flexblocks.errors import FlexblocksError, ModelError, ParameterError, listing, suggestion
from flexblocks.interfaces import ANY as ANY_NUMBER
from flexblocks.interfaces import Block, Composite, Port, Quantity
from flexblocks.interfaces.parameters import argument_name
from flexblocks.lazy_package import upper
from flexblocks.modeling.model_check import ModelCheck, model_check
from flexblocks.modeling.model_data import save
from flexblocks.rich_display import RichDisplay

AnyBlock = TypeVar("AnyBlock", bound=Block | Composite)
NAME = re.compile(r"[A-Za-z_]\w*")


class Model(RichDisplay):
    """The model of an arm, composed of blocks.

    Parameters
    ----------
    name : str
        Name of the arm.
    gravity : sequence of 3 floats
        Acceleration of free fall in world axes [m/s2].

    Examples
    --------
    >>> import flexblocks as fb
    >>> model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    >>> ground = model.add(fb.Ground("ground"))
    >>> joint = model.add(fb.Revolute("joint"))
    >>> bob = model.add(fb.Payload("bob", mass=1.0, center=(0.5, 0.0, 0.0)))
    >>> model.connect(ground.frame_b, joint.frame_a)
    >>> model.connect(joint.frame_b, bob.frame_a)
    """

    def __init__(self, name: str, gravity: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"Model: name = {name!r}; must be a non-empty string.")
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise ModelError(f"Model: name = {name!r}; has half a character (a surrogate), which no file can hold.")
        self.name = name
        self.gravity: tuple[float, float, float] = Quantity("m/s2", ANY_NUMBER, (3,)).checked(
            f"Model '{name}'", "gravity", gravity
        )
        self._blocks: dict[str, Block | Composite] = {}
        self._connections: list[tuple[Port, ...]] = []

    @property
    def blocks(self) -> dict[str, Block | Composite]:
        """The blocks by name, in the order in which they were added."""
        return dict(self._blocks)

    @property
    def connections(self) -> tuple[tuple[Port, ...], ...]:
        """The connections, each a tuple of the ports it joins."""
        return tuple(self._connections)

    def __getitem__(self, name: str) -> Any:
        """Return a block by name: ``model["joint1"]``.

        Raises
        ------
        ModelError
            There is no block of that name.
        """
        return self._block(name)

    def __contains__(self, name: object) -> bool:
        return name in self._blocks

    def __iter__(self) -> Iterator[str]:
        return iter(self._blocks)

    def copy(self, replace: Mapping[str, Block | Composite] | None = None) -> Model:
        """Return a copy of the model, with some blocks replaced.

        Parameters
        ----------
        replace : dict of Block, optional
            By the name of the block that is replaced; it keeps that name and its connections.

        Raises
        ------
        ModelError
            There is no block of that name, the new one has another name, or lacks a connected port.
        """
        replace = dict(replace or {})
        for name, block in replace.items():
            if self._block(name).name != block.name:
                raise ModelError(f"Model '{self.name}': copy: {block.where} replaces '{name}'; give it that name.")
        other = Model(self.name, self.gravity)
        for name, block in self._blocks.items():
            other.add(replace.get(name, block))
        for ports in self._connections:
            other.connect(*map(str, ports))
        return other

    def add(self, block: AnyBlock) -> AnyBlock:
        """Add a block and return it.

        Raises
        ------
        ModelError
            Not a block, or the name is taken.
        ParameterError
            A parameter is a symbol: in a model all are numbers, and `flexblocks.assemble` keeps those symbolic that it
            is reported.
        """
        if not isinstance(block, (Block, Composite)):
            raise ModelError(
                f"Model '{self.name}': add({block!r}): not a block; pass an instance, such as fb.Ground('ground')."
            )
        if not NAME.fullmatch(block.name):
            raise ModelError(
                f"{block.where}: a dot in the name is reserved for parts of composites; use letters, digits and "
                "underscores."
            )
        if block.name in self._blocks:
            raise ModelError(
                f"Model '{self.name}': already has a block named '{block.name}' "
                f"({self._blocks[block.name].where}); give {block.where} another name."
            )
        _refuse_symbols(block)
        self._blocks[block.name] = block
        return block

    def connect(self, *ports: Port | str) -> None:
        """Join two or more ports of one kind; their order does not matter.

        Parameters
        ----------
        *ports : Port or str
            Ports as attributes of blocks (``link.frame_b``) or by name (``"link.frame_b"``).

        Raises
        ------
        ModelError
            Fewer than two ports, ports of different kinds, one port twice, or a block that is not in the model.
        """
        written = " -> ".join(port.name if isinstance(port, (Block, Composite)) else str(port) for port in ports)
        where = f"Connection {written}" if ports else f"Model '{self.name}': connect()"
        try:
            resolved = tuple(self._resolved(port) for port in ports)
        except FlexblocksError as error:
            raise type(error)(f"{where}: {error}") from None
        if len(resolved) < 2:
            raise ModelError(f"{where}: joins {len(resolved)} port(s); needs at least two.")
        if len(set(resolved)) < len(resolved):
            raise ModelError(f"{where}: names the same port twice; a connection joins different ports.")
        kinds = {port.kind for port in resolved}
        if len(kinds) > 1:
            each = ", ".join(f"{port} is a {port.kind}" for port in resolved)
            raise ModelError(
                f"{where}: ports of different kinds cannot be joined ({each}). Join frames with frames, "
                "and flanges with flanges of their own kind."
            )
        self._connections.append(resolved)

    def _resolved(self, port: Port | str) -> Port:
        if isinstance(port, str):
            block_name, _, port_name = port.partition(".")
            block = self._block(block_name)
            if not port_name:
                raise ModelError(_names_a_block(block))
            return block.port(port_name)
        if isinstance(port, (Block, Composite)):
            raise ModelError(_names_a_block(port))
        if not isinstance(port, Port):
            raise ModelError(f"{port!r} is not a port; pass one such as link.frame_b.")
        if self._block(port.block) != port.owner:
            raise ModelError(
                f"'{port.block}' in this model is not the block that the port belongs to; "
                "add that block under another name, or use the port of the one in the model."
            )
        return port

    def _block(self, name: str) -> Block | Composite:
        if name not in self._blocks:
            raise ModelError(
                f"block '{name}' is not in model '{self.name}'"
                f"{suggestion(name, self._blocks, 'its blocks are')} Add it with model.add(...)."
            )
        return self._blocks[name]

    @property
    def graph(self) -> nx.MultiGraph:
        """The model as a graph: nodes are block names (with ``block``), edges carry ``ports`` and ``kind``."""
        graph = nx.MultiGraph(name=self.name, gravity=self.gravity)
        for name, block in self._blocks.items():
            graph.add_node(name, block=block)
        for ports in self._connections:
            hub = next((port for port in ports if port.spec.outlet), ports[0])
            for port in ports:
                if port is not hub:
                    graph.add_edge(hub.block, port.block, ports=(str(hub), str(port)), kind=hub.kind)
        return graph

    def check(self) -> ModelCheck:
        """Check that the blocks and connections make up an arm, and list what may not be intended.

        Returns
        -------
        ModelCheck
            The blocks and what they are connected to, and the inputs with their roles, as tables; along which axes
            beams deflect; and remarks.

        Raises
        ------
        FlexblocksError
            The first thing that is wrong.
        """
        return model_check(self, self.graph)

    def save(self, path: str | Path) -> None:
        """Write the model to a ``.yaml``, ``.yml`` or ``.json`` file, from which `flexblocks.load` reads it."""
        save(self, path)

    @upper
    def plot(self, ax: Any = None) -> Any:
        """Draw the block diagram on Matplotlib's axes, and return them; see `flexblocks.plot.model`."""

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {len(self._blocks)} blocks, {len(self._connections)} connections)"


def _names_a_block(block: Block | Composite) -> str:
    names = sorted(spec.name for spec in block.ports)
    return (
        f"{block.where} is a block; name one of its ports, such as {block.name}.{names[-1]} (ports: {listing(names)})."
    )


def _refuse_symbols(block: Block | Composite) -> None:
    """Refuse a block with a parameter that is a matrix of CasADi."""
    for field in dataclasses.fields(block):
        value = getattr(block, field.name)
        if "quantity" in field.metadata and isinstance(value, ca.SX):
            name = argument_name(field)
            raise ParameterError(
                f"{block.where}: {name} = {value}; must be numbers in a model. Symbolic parameters are named "
                f"afterwards: fb.assemble(model, symbolic=('{block.name}.{name}',))."
            )
