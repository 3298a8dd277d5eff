"""Signals: the named quantities of an arm at one instant of a motion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import casadi as ca

from flexblocks.dynamics.algorithms.frame_motions import frame_names, frame_quantities, split_name
from flexblocks.errors import FlexblocksError, NameUnknownError, listing, meant
from flexblocks.geometry import place

from .instant import Instant, part_names


class Signals(Mapping[str, ca.SX]):
    """The named quantities of an arm at one instant, as CasADi expressions (1, 1).

    States, ``"der(der(joint1.angle))"`` for accelerations, algebraic variables, inputs and their rates
    ``"der(motor1.torque)"``, outputs, parameters that were assembled as symbols, ``"time"`` [s], and position,
    velocity and orientation of every frame (see `flexblocks.DAE.with_outputs`), as ``"link1.station(0.25).y"`` or
    ``"payload.velocity_x"``. Iteration omits the frames.
    """

    def __init__(self, at: Instant) -> None:
        self.instant = at
        dae = at.dae
        groups = [(names, at.parts[part]) for part, names in part_names(dae).items() if part != "f"]
        groups.append((dae.p.names, dae.p.symbol))
        self._symbols = {name: symbols[i] for names, symbols in groups for i, name in enumerate(names)}
        self._outputs = {name: i for i, name in enumerate(dae.y.names)}

    def __getitem__(self, name: str) -> ca.SX:
        if name in self._symbols:
            return self._symbols[name]
        if name in self._outputs:
            return self.instant.outputs[self._outputs[name]]
        dae = self.instant.dae
        if split_name(name) is not None:
            return ca.cse(frame_quantities(dae.tree, (name,), dae.q, dae.v)[0])
        told = (
            f"there are {listing(self)}; and position, velocity and orientation of frames, such as "
            "'link1.station(0.25).x' or 'payload.velocity_x'."
        )
        raise NameUnknownError(f"There is no '{name}'{meant(name, [*self, *frame_names(dae.tree)], told)}")

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except FlexblocksError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        yield from self._symbols
        yield from (name for name in self._outputs if name not in self._symbols)

    def __len__(self) -> int:
        return len(self._symbols.keys() | self._outputs)

    def position(self, name: str) -> ca.SX:
        """Return the position of a block or frame (3, 1) [m], see `flexblocks.place.place`."""
        return place(self.instant.dae, name)
