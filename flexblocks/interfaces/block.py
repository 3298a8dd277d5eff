"""The contract of a block: parameters, ports, variables and one method that returns its physics.

Nothing here knows how blocks are assembled. A block is evaluated once, on local symbols, and what it returns is
differentiated and composed by `flexblocks.dynamics`.
"""

from __future__ import annotations

import copy
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca

from flexblocks.errors import ModelError, ParameterError, listing, suggestion
from flexblocks.interfaces.block_variables import Coordinate, DependentVariable, Variable
from flexblocks.interfaces.carried import Carried
from flexblocks.interfaces.chart import Chart
from flexblocks.interfaces.local import Local
from flexblocks.interfaces.parameters import checked_fields
from flexblocks.interfaces.physics import Physics
from flexblocks.interfaces.ports import Kind, Port, PortSpec
from flexblocks.interfaces.rounding import Rounding
from flexblocks.interfaces.small_deflections import SmallDeflections
from flexblocks.interfaces.state_range import StateRange


class PortUnknownError(ModelError, AttributeError):
    """A block has no port of this name."""


@dataclass(frozen=True)
class _Named:
    """The part that blocks and composites share: a name, checked parameters and ports."""

    name: str
    ports: ClassVar[tuple[PortSpec, ...]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", self.name):
            raise ParameterError(
                f"{type(self).__name__} {self.name!r}: a block's name must be letters, digits and underscores, "
                "not starting with a digit."
            )
        for name, value in checked_fields(self.where, self).items():
            object.__setattr__(self, name, value)

    def made_for_numbers(self) -> Mapping[str, str]:
        """Return the arguments that cannot stay symbolic, as the block computes functions from their numbers.

        By argument the reason with what to do, for messages.
        """
        return {}

    def check_change(self, names: Collection[str]) -> None:
        """Refuse other values of symbolic parameters, by their names, than those that the block was built with.

        Raises
        ------
        ParameterError
        """

    @property
    def where(self) -> str:
        """The block in words, for messages: ``FlexibleBeam 'link2'``."""
        return f"{type(self).__name__} '{self.name}'"

    def port(self, name: str) -> Port:
        """Return the port of that name.

        Raises
        ------
        PortUnknownError
            There is no such port.
        """
        for spec in self.ports:
            if spec.name == name:
                return Port(self.name, spec, self)
        names = sorted(spec.name for spec in self.ports)
        raise PortUnknownError(f"{self.where} has no port '{name}'{suggestion(name, names, 'its ports are')}")

    def __getattr__(self, name: str) -> Port:
        # Reached only for what is neither a field nor a method: the ports. Underscored names are Python's own.
        if name.startswith("_"):
            raise AttributeError(name)
        return self.port(name)

    def with_values(self, values: Mapping[str, Any]) -> Any:
        """Return a copy in which fields are replaced, by symbols for instance, without checking."""
        plain = {name: value for name, value in values.items() if not isinstance(value, ca.SX)}
        nominal = _with_fields(self.nominal, plain)
        if len(plain) == len(values) and self.nominal is self:
            return nominal
        return _with_fields(self, {**values, "_nominal": nominal})

    @property
    def nominal(self) -> Any:
        """The block with all parameters as numbers, even if some stay symbolic."""
        return self.__dict__.get("_nominal", self)


@dataclass(frozen=True)
class Block(_Named, ABC):
    """Base of all blocks with physics.

    A subclass is a frozen dataclass whose fields are declared with `flexblocks.interfaces.parameter`, a class
    attribute `ports`, and the methods below, of which only `physics` is required.

    Raises
    ------
    ModelError
        A subclass that declares two ports of one name, two inlets, or attachments.
    """

    attaches: ClassVar[bool] = False
    rounding: ClassVar[Rounding | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_ports(self.where, self.ports, self.attaches)

    def coordinates(self) -> tuple[Coordinate, ...]:
        """Return the generalised coordinates of the block."""
        return ()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        """Return for each flange its coordinate and transmission factor: displacement = factor * coordinate."""
        return {}

    def inputs(self) -> tuple[Variable, ...]:
        """Return the inputs, which are set from outside."""
        return ()

    def states(self) -> tuple[Variable, ...]:
        """Return the first-order states."""
        return ()

    def algebraics(self) -> tuple[Variable, ...]:
        """Return the algebraic variables."""
        return ()

    def output_ranges(self) -> Mapping[str, tuple[float, float]]:
        """Return the outputs within whose ranges (low, high) the block is meant to work, such as a cylinder's stroke.

        Beyond them it has its physics, of end stops perhaps; no plan goes there. They may be symbolic parameters.
        """
        return {}

    def state_ranges(self) -> Mapping[str, StateRange]:
        """Return the states within whose ranges alone the physics of the block holds, such as pressures.

        Beyond them it continues, and a warning says what is missing. They may also be coordinates and their rates, as
        ``"angle"`` and ``"der(angle)"`` of a joint; plans keep those ranges that are `StateRange.kept`.
        """
        return {}

    def dependent_variables(self, local: Local) -> tuple[DependentVariable, ...]:
        """Return the states and algebraic variables that the coordinates determine, each with its equation.

        They may then appear in energies and frames like the coordinates themselves. `local` has no rates yet.
        """
        del local
        return ()

    def chart(self, local: Local) -> Chart | None:
        """Return the chart of the coordinates, if they become singular in some configurations."""
        del local
        return None

    def small_deflections(self, carried: Carried) -> SmallDeflections | None:
        """Return what measures the deflections of the block if its theory takes them as small, else None.

        `carried` is the inertia outboard of its outlets, see `Local`.
        """
        del carried
        return None

    def remarks(self, carried: Carried | None) -> tuple[str, ...]:
        """Return what a user may not have intended, each a sentence with what to do; said as the arm is assembled.

        `carried` is the inertia outboard of its outlets, see `Local`; None if that moves against the block.
        """
        del carried
        return ()

    def implausible_sizes(self, carried: Carried) -> tuple[str, ...]:
        """Return what looks orders of magnitude off, as by its unit, each a sentence with what to do.

        Listed by `flexblocks.Model.check`, and warned of by `flexblocks.assemble`; `carried` is the inertia outboard
        of its outlets.
        """
        del carried
        return ()

    def doubts(self, carried: Carried) -> tuple[str, ...]:
        """Return what is probably not intended, each a sentence with what to do; listed by `flexblocks.Model.check`.

        `carried` is the inertia outboard of its outlets.
        """
        del carried
        return ()

    def frequency_doubts(self, carried: Carried) -> tuple[str, ...]:
        """Return which of its frequencies the theory of the block misses, with what to do.

        Listed by `flexblocks.Model.check`, and warned of by `flexblocks.linearize`; `carried` as for `doubts`.
        """
        del carried
        return ()

    def particulars(self, carried: Carried) -> tuple[str, ...]:
        """Return what `flexblocks.Model.check` reports of the block besides its type, a line each.

        `carried` as for `doubts`.
        """
        del carried
        return ()

    def stiffened(self) -> Block:
        """Return the block without its elasticity, for `flexblocks.stiffen`; itself if it has none of its own."""
        return self

    @property
    def modal_damping(self) -> float:
        """The share of critical damping that modes of the block by itself have, clamped; 0 if it has none."""
        return 0.0

    def centerline(self, count: int) -> tuple[str, ...]:
        """Return the outlets that trace the block outward from its inlet; about `count` of them where it bends."""
        del count
        return tuple(spec.name for spec in self.ports if spec.kind is Kind.FRAME and spec.outlet)

    @abstractmethod
    def physics(self, frame: Any, local: Local, /) -> Physics:
        """Return the physics of the block.

        Parameters
        ----------
        frame : Frame or None
            The inlet; for a ground the world. None for a block without an inlet, or whose optional inlet is open.
            A `ForceElement` gets all the frames it acts on, by port.
        local : Local
            The block's symbols.
        """


@dataclass(frozen=True)
class Composite(_Named, ABC):
    """A composite: a block made of blocks, whose names nest below its name.

    Attributes
    ----------
    namesake : str or None
        The part, by its name inside, that goes by the composite's own name: the hinge of an elastic joint ``joint1``
        then has the coordinate ``joint1.angle``, as a hinge alone would have it. Its parameters are named likewise,
        but for those that the composite has itself.
    """

    namesake: ClassVar[str | None] = None

    @abstractmethod
    def parts(self) -> tuple[Block | Composite, ...]:
        """Return the blocks inside, with their names inside."""

    @abstractmethod
    def connections(self) -> tuple[tuple[str, str], ...]:
        """Return the connections inside, as pairs of ``part.port``."""

    @abstractmethod
    def exposed(self) -> Mapping[str, str]:
        """Return the ``part.port`` behind each port of the composite."""

    def nested(self) -> dict[str, Block | Composite]:
        """Return the parts by their names inside, each with the name that it has in the arm.

        Raises
        ------
        ModelError
            Two parts of one name, or no part that is the namesake.
        """
        parts = self.parts()
        names = [part.name for part in parts]
        if len(set(names)) < len(names):
            raise ModelError(f"{self.where}: has the parts {', '.join(names)}; each must have a name of its own.")
        if self.namesake is not None and self.namesake not in names:
            raise ModelError(f"{self.where}: namesake = {self.namesake!r}; must be one of its parts, {listing(names)}.")
        return {part.name: part.with_values({"name": self._name_of(part.name)}) for part in parts}

    def stiffened(self) -> Composite:
        """Return the composite without the elasticity of its parts, for `flexblocks.stiffen`; itself if they have none.

        Raises
        ------
        ModelError
            It has elastic parts, and does not say what it is without: only its author knows how it makes them.
        """
        elastic = [part.name for part in self.parts() if part.stiffened() is not part]
        if elastic:
            raise ModelError(
                f"{self.where}: has elastic parts ({listing(elastic)}) and does not say what it is without them; give "
                "its class a method stiffened(self), as one that returns dataclasses.replace(self, stiffness=None)."
            )
        return self

    def _name_of(self, part: str) -> str:
        return self.name if part == self.namesake else f"{self.name}.{part}"


def _with_fields(block: Any, values: Mapping[str, Any]) -> Any:
    other = copy.copy(block)
    for name, value in values.items():
        object.__setattr__(other, name, value)
    return other


def _refuse_ports(where: str, ports: tuple[PortSpec, ...], attaches: bool) -> None:
    names = [spec.name for spec in ports]
    if len(set(names)) < len(names):
        raise ModelError(f"{where}: ports = {', '.join(names)}; each must have a name of its own.")
    inlets = [spec.name for spec in ports if spec.inlet]
    if len(inlets) > 1:
        raise ModelError(
            f"{where}: has the inlets {', '.join(inlets)}; a block has one, the frame of the body that carries it. "
            "Make the others outlets: to connect an outlet with another block's closes a loop. What only exerts forces "
            "between frames is a ForceElement, whose ports are attachments."
        )
    attachments = [spec.name for spec in ports if spec.attachment]
    if attachments and not attaches:
        raise ModelError(
            f"{where}: has the attachments {', '.join(attachments)}; only a ForceElement has these. Derive it from "
            "ForceElement, or make them an inlet() and outlets."
        )
