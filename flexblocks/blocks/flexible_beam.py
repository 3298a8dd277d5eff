"""The flexible beam: a slender link that bends."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexblocks.beam.discretization import Discretization, Rigid
from flexblocks.beam.tip_body import TipBody
from flexblocks.beam.uniform_beam import UniformBeam
from flexblocks.blocks.stations import HasStations
from flexblocks.errors import ParameterError
from flexblocks.frame import Frame
from flexblocks.parameters import FRACTION, POSITIVE, choice, parameter
from flexblocks.physics import Coordinate, Local, Output, Physics
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
        `Rigid()`, `AssumedModes(n, tip=...)`, `FiniteElements(n)` or `RigidSegments(n)`; how finely it bends.
    bending : "y", "z" or "yz"
        Axes along which it deflects.
    flexural_rigidity_z : float, optional
        EI for bending along z [N m2]; by default `flexural_rigidity`.
    damping_ratio : float
        Share of critical damping of every mode of the clamped beam with its tip body.

    Notes
    -----
    Coordinates: ``bending_y[i]`` [m] of assumed modes, ``deflection_y[k]`` [m] and ``slope_y[k]`` [rad] of finite
    elements, ``bend_y[i]`` [rad] of rigid segments; the same with z. By modes and elements the deflection is
    v(x) = sum phi_i(x/l) q_i, and an outlet is shifted by it and turned, as a true rotation, by the angle v'(x) about z
    (then by -w'(x) about y). Gravity acts on the deflected beam. Outputs: ``tip_deflection_y`` and/or
    ``tip_deflection_z`` [m], in the axes of `frame_a` (of the chord, for pinned modes).
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
                f"{self.where}: discretization = {self.discretization!r}; must be a fb.Rigid(), fb.AssumedModes(n), "
                "fb.FiniteElements(n) or fb.RigidSegments(n)."
            )

    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(c for axis in self.bending for c in self.discretization.coordinates(axis))

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        flexure = self.discretization.flexure(self._beam(local.carried), frame, local)
        return Physics(
            outlets={name: flexure.section(self.fraction(name)) for name in local.outlets},
            kinetic=flexure.kinetic(),
            potential=flexure.potential(),
            dissipation=flexure.dissipation(),
            outputs={f"tip_deflection_{axis}": Output(flexure.tip_deflection(axis), "m") for axis in self.bending},
        )

    def _beam(self, carried: np.ndarray) -> UniformBeam:
        nominal = self.nominal
        mass = nominal.linear_density * nominal.length
        tip = {axis: nominal.discretization.tip_body(_tip_body(carried, axis)) for axis in self.bending}
        along_z = self.flexural_rigidity if self.flexural_rigidity_z is None else self.flexural_rigidity_z
        rigidity = {"y": self.flexural_rigidity, "z": along_z}
        return UniformBeam(
            length=self.length,
            mass=self.linear_density * self.length,
            rigidity={axis: rigidity[axis] for axis in self.bending},
            damping_ratio=self.damping_ratio,
            tip={axis: body.relative(mass, nominal.length) for axis, body in tip.items()},
        )


def _tip_body(carried: np.ndarray, axis: str) -> TipBody:
    """Return what hangs on the tip, as bending along `axis` feels it."""
    about = 2 if axis == "y" else 1
    # T = 1/2 m v.v + v.(omega x S) + ...: the moment S_x stands at (v_z, omega_y) with a minus.
    return TipBody(mass=carried[3, 3], inertia=carried[about, about], static_moment=-carried[5, 1])
