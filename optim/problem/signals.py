"""One instant of a motion: its symbols, and everything in it that has a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.outputs import POSITION, outputs
from flexblocks.errors import FlexblocksError, NameUnknownError, listing, nearest
from flexblocks.geometry import place


@dataclass(frozen=True, eq=False)
class Instant:
    """The symbols of one instant of a motion, those of the DAE and what a plan has besides.

    Attributes
    ----------
    dae : DAE
    a, dw, du : SX
        Second derivatives of the coordinates (n), rates of the first-order states (nw) and of the inputs (nu).
    f : SX
        Forces that keep loops closed (m).
    time : SX
        [s]
    """

    dae: DAE
    a: ca.SX
    dw: ca.SX
    f: ca.SX
    du: ca.SX
    time: ca.SX

    @cached_property
    def vector(self) -> ca.SX:
        """All of them: x, a, dw, z, f, u, du, time."""
        dae = self.dae
        return ca.vertcat(dae.x.symbol, self.a, self.dw, dae.z.symbol, self.f, dae.u.symbol, self.du, self.time)

    @cached_property
    def outputs(self) -> ca.SX:
        """The outputs (ny) by the motion's own accelerations and loop forces: no mass matrix is solved with."""
        dae = self.dae
        symbols = dae.x.symbol, dae.z.symbol, dae.u.symbol
        return ca.cse(outputs(dae.tree, *symbols, dae.y.names, lambda: self.a, lambda: self.f))


@lru_cache(maxsize=8)
def instant(dae: DAE) -> Instant:
    """Return the symbols of one instant of this arm's motion, always the same."""
    n = dae.tree.size
    return Instant(
        dae,
        a=ca.SX.sym("a", n),
        dw=ca.SX.sym("dw", len(dae.x) - 2 * n),
        f=ca.SX.sym("f", len(dae.tree.loops.multipliers)),
        du=ca.SX.sym("du", len(dae.u)),
        time=ca.SX.sym("time"),
    )


class Signals(Mapping[str, ca.SX]):
    """What an arm has by name at one instant, as CasADi expressions (1, 1).

    States, ``"der(der(joint1.angle))"`` for accelerations, algebraic variables, inputs and their rates
    ``"der(motor1.torque)"``, outputs, parameters that were assembled as symbols, ``"time"`` [s], and ``.x``, ``.y``,
    ``.z`` of every place [m] (see `flexblocks.place.place`), as ``"link1.station(0.25).y"``. Iteration leaves out the
    places.
    """

    def __init__(self, at: Instant) -> None:
        self.instant = at
        dae, n = at.dae, at.dae.tree.size
        groups = [
            (dae.x.names, dae.x.symbol),
            ([f"der({name})" for name in dae.x.names[n : 2 * n]], at.a),
            ([f"der({name})" for name in dae.x.names[2 * n :]], at.dw),
            (dae.z.names, dae.z.symbol),
            (dae.u.names, dae.u.symbol),
            ([f"der({name})" for name in dae.u.names], at.du),
            (dae.p.names, dae.p.symbol),
            (["time"], at.time),
        ]
        self._found = {name: symbols[i] for names, symbols in groups for i, name in enumerate(names)}
        self._outputs = {name: i for i, name in enumerate(dae.y.names)}

    def __getitem__(self, name: str) -> ca.SX:
        if name in self._found:
            return self._found[name]
        if name in self._outputs:
            return self.instant.outputs[self._outputs[name]]
        point, _, axis = name.rpartition(".") if isinstance(name, str) else ("", "", "")
        if point and axis in POSITION:
            return place(self.instant.dae, point)[POSITION.index(axis)]
        raise NameUnknownError(
            f"There is no '{name}' (names: {listing(self)}; and .x, .y, .z of places such as 'link1.station(0.25).x')."
            f"{nearest(str(name), self)}"
        )

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except FlexblocksError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        yield from self._found
        yield from (name for name in self._outputs if name not in self._found)

    def __len__(self) -> int:
        return len(self._found.keys() | self._outputs)

    def position(self, name: str) -> ca.SX:
        """Return where a block or frame is (3, 1) [m], see `flexblocks.place.place`."""
        return place(self.instant.dae, name)
