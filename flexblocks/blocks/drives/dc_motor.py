"""Direct-current motor with its current as a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flexblocks.blocks.drives.shaft import one_end, one_flange
from flexblocks.interfaces import (
    POSITIVE,
    ROLES,
    Block,
    Coordinate,
    Frame,
    Load,
    Local,
    Output,
    Physics,
    Role,
    Variable,
    choice,
    flange,
    parameter,
)


@dataclass(frozen=True)
class DCMotor(Block):
    """A direct-current motor: inductance * der(current) = voltage - resistance * current - constant * speed.

    The input ``voltage`` [V] drives it; the torque ``constant * current`` acts on `flange_b`, its reaction on the body
    that carries the shaft. The inertia of its armature is a `Rotor`.

    Parameters
    ----------
    name : str
    resistance : float
        Of the armature [Ohm].
    inductance : float
        Of the armature [H].
    constant : float
        Torque per current, and voltage per speed [N m/A].
    limit : float, optional
        Largest voltage in either direction [V]. Plans and closed loops keep it; simulations warn of more, or
        clip it (``saturate=True``).
    role : "actuator" or "disturbance"
        Whether laws and plans move it, or it is zero unless it is given.

    Notes
    -----
    State ``current`` [A]; outputs ``torque`` [N m] and ``power`` [W] that it takes from the supply.
    """

    resistance: float = parameter("Ohm", POSITIVE)
    inductance: float = parameter("H", POSITIVE)
    constant: float = parameter("N m/A", POSITIVE)
    limit: float | None = parameter("V", POSITIVE, default=None, symbolic=False)
    role: Role = choice(ROLES, default="actuator")

    ports = (flange("flange_b"),)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return one_end()

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return one_flange()

    def inputs(self) -> tuple[Variable, ...]:
        return (Variable("voltage", "V", limit=self.limit, role=self.role),)

    def states(self) -> tuple[Variable, ...]:
        return (Variable("current", "A"),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        current, voltage = local["current"], local["voltage"]
        torque = self.constant * current
        induced = voltage - self.resistance * current - self.constant * local.rate(local["angle"])
        return Physics(
            loads=(Load(torque, local["angle"]),),
            derivatives={"current": induced / self.inductance},
            outputs={"torque": Output(torque, "N m"), "power": Output(voltage * current, "W")},
        )
