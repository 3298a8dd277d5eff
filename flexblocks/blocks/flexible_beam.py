"""The flexible beam: a slender link that bends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.beam.bending import Bending, bending
from flexblocks.beam.discretization import Discretization, Rigid
from flexblocks.beam.energy import dot, kinetic_energy, square
from flexblocks.beam.tip_body import TipBody
from flexblocks.block import Coordinate, Local, Output, Physics
from flexblocks.blocks.stations import HasStations
from flexblocks.errors import ParameterError
from flexblocks.frame import Frame
from flexblocks.parameters import FRACTION, POSITIVE, choice, parameter
from flexblocks.ports import inlet, outlet


@dataclass(frozen=True)
class FlexibleBeam(HasStations):
    """A uniform Euler-Bernoulli beam along x, clamped at `frame_a`.

    Parameters
    ----------
    name : str
    length : float
        [m]
    linear_density : float
        Mass per length [kg/m].
    flexural_rigidity : float
        EI for bending along y [N m2].
    discretization : Discretization
        `Rigid()`, `AssumedModes(n, tip=...)`; how finely it bends.
    bending : "y", "z" or "yz"
        Axes along which it deflects.
    flexural_rigidity_z : float, optional
        EI for bending along z [N m2]; by default `flexural_rigidity`.
    damping_ratio : float
        Share of critical damping of every mode of the clamped beam with its tip body.

    Notes
    -----
    Coordinates ``bending_y[i]`` [m] scale shapes of mean square 1. The deflection is v(x) = sum phi_i(x/l) q_i; the
    outlet is shifted by it and turned, as a true rotation, by the angle v'(x) about z (then by -w'(x) about y).
    Gravity acts on the deflected beam. Outputs: ``tip_deflection_y`` and/or ``tip_deflection_z`` [m].

    Kinetic energy: with P(x) = x e_x + v e_y + w e_z and the inlet's twist (omega, v_a) the velocity of a point is
    v_a + omega x P + P'; its square integrates to constants times products of coordinates, so that no quadrature is
    left in the equations (Theodore & Ghosal 1995, eq 18, in the axes of the beam).
    """

    length: float = parameter("m", POSITIVE)
    linear_density: float = parameter("kg/m", POSITIVE)
    flexural_rigidity: float = parameter("N m2", POSITIVE)
    discretization: Discretization = field(default_factory=Rigid)
    bending: str = choice(("y", "z", "yz"), default="y")
    flexural_rigidity_z: float | None = parameter("N m2", POSITIVE, default=None)
    damping_ratio: float = parameter("1", FRACTION, default=0.0)

    ports = (inlet(), outlet())

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.discretization, Discretization):
            raise ParameterError(
                f"{self.where}: discretization = {self.discretization!r}; must be a fb.Rigid() or fb.AssumedModes(n)."
            )

    def coordinates(self) -> tuple[Coordinate, ...]:
        numbers = range(1, self.discretization.size + 1)
        return tuple(Coordinate(f"bending_{axis}[{i}]", "m") for axis in self.bending for i in numbers)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        planes = {axis: self._plane(axis, local) for axis in self.bending}
        q = {axis: local.vector(f"bending_{axis}") for axis in planes}
        s = {axis: local.rate(q[axis]) for axis in planes}
        mass = self.linear_density * self.length
        chord = frame
        for axis, plane in planes.items():
            chord = self._turned(chord, axis, -plane.root_slope, q[axis])
        stored = [
            square(q[axis], plane.integrals.stiffness, self._stiffness(axis) / 2) for axis, plane in planes.items()
        ]
        return Physics(
            outlets={name: self._section(chord, self.fraction(name), planes, q) for name in local.outlets},
            kinetic=kinetic_energy(chord, mass, self.length, planes, q, s),
            potential=sum(stored),
            dissipation=sum(self._dissipation(axis, plane, s[axis]) for axis, plane in planes.items()),
            outputs={
                f"tip_deflection_{axis}": Output(dot(plane.shapes.deflection(1.0), q[axis]), "m")
                for axis, plane in planes.items()
            },
        )

    def _plane(self, axis: str, local: Local) -> Bending:
        nominal = self.nominal
        tip = nominal.discretization.tip_body(
            _tip_body(local.carried, axis), nominal.linear_density * nominal.length, nominal.length
        )
        return bending(nominal.discretization, tip)

    def _stiffness(self, axis: str) -> Any:
        rigidity = self.flexural_rigidity
        if axis == "z" and self.flexural_rigidity_z is not None:
            rigidity = self.flexural_rigidity_z
        return rigidity / self.length**3

    def _dissipation(self, axis: str, plane: Bending, s: ca.SX) -> ca.SX:
        unit = ca.sqrt(self.linear_density * self.length * self._stiffness(axis))
        return square(s, plane.critical_damping, self.damping_ratio * unit / 2)

    def _section(self, chord: Frame, xi: float, planes: Mapping[str, Bending], q: Mapping[str, ca.SX]) -> Frame:
        """Return the frame fixed to the section at x = xi l."""
        shift = {axis: dot(plane.shapes.deflection(xi), q[axis]) for axis, plane in planes.items()}
        section = chord.translate([xi * self.length, shift.get("y", 0.0), shift.get("z", 0.0)])
        for axis, plane in planes.items():
            section = self._turned(section, axis, plane.shapes.slope(xi), q[axis])
        return section

    def _turned(self, frame: Frame, axis: str, slope: np.ndarray, q: ca.SX) -> Frame:
        if not slope.any():
            return frame
        angle = dot(slope, q, 1 / self.length)
        return frame.rotate((0.0, 0.0, 1.0), angle) if axis == "y" else frame.rotate((0.0, 1.0, 0.0), -angle)


def _tip_body(carried: np.ndarray, axis: str) -> TipBody:
    """Return what hangs on the tip, as bending along `axis` feels it."""
    about = 2 if axis == "y" else 1
    # T = 1/2 m v.v + v.(omega x S) + ...: the moment S_x stands at (v_z, omega_y) with a minus.
    return TipBody(mass=carried[3, 3], inertia=carried[about, about], static_moment=-carried[5, 1])
