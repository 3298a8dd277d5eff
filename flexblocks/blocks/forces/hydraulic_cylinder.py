"""Hydraulic cylinder with its valve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.blocks.one_sided import one_sided_energy, one_sided_force, positive_part, signed_root
from flexblocks.errors import ParameterError
from flexblocks.interfaces import (
    NOT_NEGATIVE,
    POSITIVE,
    ROLES,
    AttachedFrame,
    ForceElement,
    Load,
    Local,
    Output,
    Physics,
    Role,
    StateRange,
    Variable,
    attachment,
    choice,
    parameter,
)

# Pressure drop, relative to the supply's, below which the flow through an edge of the valve gets laminar.
LAMINAR = 1e-3
# Depth over which an end stop sets in, relative to the stroke; and its stiffness, relative to that of the oil column.
STOP_TRANSITION = 1e-3
STOP_STIFFNESS = 10.0
# Drop at which shock valves pass the rated flow, relative to that of the servo valve; and the pressure, relative to the
# supply's, over which they open.
SHOCK_DROP = 0.1
SHOCK_TRANSITION = 1e-3
VACUUM = -101325.0  # Pa, beside an atmosphere that is negligible
CAVITATES = (
    "oil bears no tension; it cavitates there, which the cylinder leaves out. Move valve or load more slowly, or "
)


@dataclass(frozen=True)
class HydraulicCylinder(ForceElement):
    """A double-acting hydraulic cylinder between `frame_a` and `frame_b` with a four-way servo valve.

    The input ``valve`` in [-1, 1] is the valve's opening; positive extends.

    Parameters
    ----------
    name : str
    area_a, area_b : float
        Of the piston, and of its ring on the rod's side [m2].
    retracted, extended : float
        Distance of the frames at the end stops [m].
    supply_pressure, tank_pressure : float
        [Pa]
    rated_flow : float
        Through one edge of the fully open valve at the pressure drop `rated_drop` [m3/s].
    rated_drop : float
        [Pa]
    max_speed : float, optional
        Makes it ideal: the opened valve commands this speed [m/s], whatever the load, but for the compression of the
        oil. It takes the place of `supply_pressure`, `rated_flow` and `leakage`.
    bulk_modulus : float
        Of the oil, with its hoses [Pa].
    dead_volume : float
        Oil in each chamber at its end stop, relative to the volume that `area_a` displaces over the stroke.
    leakage : float
        Flow past the piston per pressure [m3/(s Pa)].
    null_opening : float
        Opening of all four edges with the valve in the middle (underlap), relative to the full opening: the valve is
        smooth there, and its pressures come to rest.
    friction : float
        Viscous friction [N s/m].
    stop_stiffness : float, optional
        Of the end stops [N/m]; by default ten times that of an oil column as long as the stroke.
    shock_pressure : float, optional
        Gives both chambers shock and anti-cavitation valves: above this pressure [Pa] oil flows to the tank, and below
        `tank_pressure` from it, `rated_flow` at a tenth of `rated_drop` beyond. By default there are none.
    role : "actuator" or "disturbance"
        Whether laws and plans move the valve, or it stays in the middle unless its opening is given.

    Notes
    -----
    States ``pressure_a``, ``pressure_b`` [Pa]; of the ideal one ``command`` [m], the length at which the oil would be
    without load. An edge passes ``rated_flow * opening * sqrt(drop / rated_drop)``, laminar below 0.1 % of the supply
    pressure. There is no cavitation: pressures below zero, -1.013e5 Pa beside the atmosphere, give a
    warning. Plans keep ``length`` between the end stops.

    Outputs: ``length`` [m], ``speed`` [m/s], ``force`` [N] of the oil, ``pressure_difference`` [Pa], ``power`` [W] to
    the arm; ``flow_a``, ``flow_b`` [m3/s] into the chambers and ``supply_power`` [W], what the pump gives.

    Sources: Merritt, Hydraulic Control Systems, 1967, sections 5-3 and 6-3; Jelali and Kroll, Hydraulic
    Servo-systems, 2003, chapter 4.
    """

    area_a: float = parameter("m2", POSITIVE)
    area_b: float = parameter("m2", POSITIVE)
    retracted: float = parameter("m", POSITIVE)
    extended: float = parameter("m", POSITIVE)
    supply_pressure: float | None = parameter("Pa", POSITIVE, default=None, symbolic=False)
    rated_flow: float | None = parameter("m3/s", POSITIVE, default=None, symbolic=False)
    rated_drop: float = parameter("Pa", POSITIVE, default=3.5e6)
    max_speed: float | None = parameter("m/s", POSITIVE, default=None, symbolic=False)
    tank_pressure: float = parameter("Pa", NOT_NEGATIVE, default=0.0)
    bulk_modulus: float = parameter("Pa", POSITIVE, default=1.2e9)
    dead_volume: float = parameter("1", POSITIVE, default=0.05)
    leakage: float = parameter("m3/(s Pa)", NOT_NEGATIVE, default=0.0)
    null_opening: float = parameter("1", POSITIVE, default=0.01)
    friction: float = parameter("N s/m", NOT_NEGATIVE, default=0.0)
    stop_stiffness: float | None = parameter("N/m", POSITIVE, default=None)
    shock_pressure: float | None = parameter("Pa", POSITIVE, default=None, symbolic=False)
    role: Role = choice(ROLES, default="actuator")

    ports = (attachment("frame_a"), attachment("frame_b"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.extended <= self.retracted:
            raise ParameterError(
                f"{self.where}: extended = {self.extended:g} m; must be > retracted, {self.retracted:g} m."
            )
        of_servo = {"supply_pressure": self.supply_pressure, "rated_flow": self.rated_flow}
        if self.shock_pressure is not None and self.shock_pressure <= (self.supply_pressure or math.inf):
            own = self.supply_pressure
            least = "only servo valves have it" if own is None else f"must be > supply_pressure, {own:g} Pa"
            raise ParameterError(f"{self.where}: shock_pressure = {self.shock_pressure:g} Pa; {least}.")
        if self.max_speed is None and None in of_servo.values():
            missing = " and ".join(name for name, value in of_servo.items() if value is None)
            raise ParameterError(
                f"{self.where}: {missing} missing; a servo valve needs supply_pressure and rated_flow, an ideal one "
                "max_speed alone."
            )
        if self.max_speed is not None and (any(of_servo.values()) or self.leakage):
            raise ParameterError(
                f"{self.where}: max_speed = {self.max_speed:g} m/s makes the valve ideal; leave out supply_pressure, "
                "rated_flow and leakage, or leave out max_speed."
            )
        if self.supply_pressure is not None and self.supply_pressure <= self.tank_pressure:
            raise ParameterError(
                f"{self.where}: supply_pressure = {self.supply_pressure:g} Pa; must be > tank_pressure, "
                f"{self.tank_pressure:g} Pa."
            )

    def inputs(self) -> tuple[Variable, ...]:
        return (Variable("valve", "1", limit=1.0, role=self.role),)

    def states(self) -> tuple[Variable, ...]:
        own = self.nominal
        if own.supply_pressure is None:
            return (Variable("command", "m", start=(own.retracted + own.extended) / 2, starts_at="length"),)
        # With the valve in the middle and no load.
        share = own.area_b / (own.area_a + own.area_b)
        across = own.supply_pressure - own.tank_pressure
        return (
            Variable("pressure_a", "Pa", start=own.tank_pressure + share * across),
            Variable("pressure_b", "Pa", start=own.tank_pressure + (1 - share) * across),
        )

    def output_ranges(self) -> Mapping[str, tuple[float, float]]:
        return {"length": (self.retracted, self.extended)}

    def state_ranges(self) -> Mapping[str, StateRange]:
        if self.supply_pressure is None:
            return {}
        if self.shock_pressure is None:
            advice = "give it shock_pressure, whose valves let oil in from the tank"
        else:
            advice = "raise tank_pressure, as a preloaded line does"
        return dict.fromkeys(("pressure_a", "pressure_b"), StateRange(CAVITATES + advice, low=VACUUM))

    def physics(self, frames: Mapping[str, AttachedFrame], local: Local) -> Physics:
        length = frames["frame_b"].distance(frames["frame_a"])
        speed, stroke = local.rate(length), self.extended - self.retracted
        dead = self.dead_volume * self.area_a * stroke
        volumes = dead + self.area_a * (length - self.retracted), dead + self.area_b * (self.extended - length)
        oil = self._servo if self.supply_pressure is not None else self._ideal
        force, derivatives, outputs = oil(local, length, speed, volumes)
        stiffness = self.stop_stiffness
        if stiffness is None:
            stiffness = STOP_STIFFNESS * self.bulk_modulus * self.area_a / stroke
        beyond = (self.retracted - length, length - self.extended)
        stops = sum((one_sided_energy(depth, STOP_TRANSITION * stroke) for depth in beyond), ca.SX(1, 1))
        return Physics(
            potential=stiffness * stops,
            dissipation=self.friction / 2 * speed**2,
            loads=(Load(force, length),),
            derivatives=derivatives,
            outputs={
                "length": Output(length, "m"),
                "speed": Output(speed, "m/s"),
                "force": Output(force, "N"),
                "power": Output((force - self.friction * speed) * speed, "W"),
                **outputs,
            },
        )

    def _servo(
        self, local: Local, length: ca.SX, speed: ca.SX, volumes: tuple[ca.SX, ca.SX]
    ) -> tuple[ca.SX, dict[str, ca.SX], dict[str, Output]]:
        """Return force, rates of the pressures and outputs with a servo valve."""
        del length
        assert self.supply_pressure is not None
        assert self.rated_flow is not None
        a, b, valve = local["pressure_a"], local["pressure_b"], local["valve"]
        coefficient = self.rated_flow / ca.sqrt(self.rated_drop)
        laminar = LAMINAR * self.supply_pressure
        forward = positive_part(valve, 2 * self.null_opening)
        backward = forward - valve

        def flow(opening: ca.SX, drop: ca.SX) -> ca.SX:
            return coefficient * opening * signed_root(drop, laminar)

        from_supply_a = flow(forward, self.supply_pressure - a)
        from_supply_b = flow(backward, self.supply_pressure - b)
        flow_a = from_supply_a - flow(backward, a - self.tank_pressure)
        flow_b = from_supply_b - flow(forward, b - self.tank_pressure)
        flow_a, flow_b = flow_a + self._shock_flow(a), flow_b + self._shock_flow(b)
        leak = self.leakage * (a - b)
        force = a * self.area_a - b * self.area_b
        rates = {
            "pressure_a": self.bulk_modulus / volumes[0] * (flow_a - leak - self.area_a * speed),
            "pressure_b": self.bulk_modulus / volumes[1] * (flow_b + leak + self.area_b * speed),
        }
        outputs = {
            "pressure_difference": Output(a - b, "Pa"),
            "flow_a": Output(flow_a, "m3/s"),
            "flow_b": Output(flow_b, "m3/s"),
            "supply_power": Output(self.supply_pressure * (from_supply_a + from_supply_b), "W"),
        }
        return force, rates, outputs

    def _shock_flow(self, pressure: ca.SX) -> ca.SX | float:
        """Return the flow [m3/s] into a chamber through its shock and its anti-cavitation valve."""
        if self.shock_pressure is None:
            return 0.0
        assert self.supply_pressure is not None
        assert self.rated_flow is not None
        width = SHOCK_TRANSITION * self.supply_pressure
        beyond = self.tank_pressure - pressure, pressure - self.shock_pressure
        lack, excess = (one_sided_force(pressure, width) for pressure in beyond)
        return self.rated_flow / (SHOCK_DROP * self.rated_drop) * (lack - excess)

    def _ideal(
        self, local: Local, length: ca.SX, speed: ca.SX, volumes: tuple[ca.SX, ca.SX]
    ) -> tuple[ca.SX, dict[str, ca.SX], dict[str, Output]]:
        """Return force, rate of the command and outputs with a valve that commands the speed."""
        del speed
        assert self.max_speed is not None
        commanded = self.max_speed * local["valve"]
        compression = local["command"] - length
        pressures = [
            self.bulk_modulus * area / volume * compression
            for area, volume in zip((self.area_a, -self.area_b), volumes, strict=True)
        ]
        force = pressures[0] * self.area_a - pressures[1] * self.area_b
        outputs = {
            "pressure_difference": Output(pressures[0] - pressures[1], "Pa"),
            "flow_a": Output(self.area_a * commanded, "m3/s"),
            "flow_b": Output(-self.area_b * commanded, "m3/s"),
            "supply_power": Output(force * commanded, "W"),
        }
        return force, {"command": commanded}, outputs
