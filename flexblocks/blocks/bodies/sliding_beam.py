"""Axially moving beam: a flexible link that slides out of a hub."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import casadi as ca
import numpy as np

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.discretization import Discretization, Rigid, undecided
from flexblocks.beam.from_block import check_damping
from flexblocks.beam.kinematics.sliding_damping import SlidingRates, critical_of_fixed, critical_of_following
from flexblocks.beam.kinematics.sliding_deflection import SlidingFlexure
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.clamped_mass_modes import RelativeTip, frequency_equation
from flexblocks.beam.shapes.euler_bernoulli_modes import BeamModes, clamped_modes
from flexblocks.beam.shapes.following_modes import clamped_mass_shapes
from flexblocks.beam.shapes.shape_integrals import discretized_bending
from flexblocks.beam.shapes.sliding_shapes import SlidingShapes, constant_shapes
from flexblocks.beam.sliding_forces import SlidingForces
from flexblocks.beam.small_deflections import small_deflections
from flexblocks.blocks.bodies.beam_remarks import silently_rigid
from flexblocks.errors import ParameterError
from flexblocks.interfaces import (
    FRACTION,
    NOT_NEGATIVE,
    POSITIVE,
    Block,
    Coordinate,
    DependentVariable,
    Frame,
    Kind,
    Local,
    Output,
    Physics,
    SmallDeflections,
    Variable,
    choice,
    flange,
    inlet,
    outlet,
    parameter,
)


def _counts(value: float | ca.SX) -> bool:
    """Whether a parameter is a symbol, or not zero."""
    return isinstance(value, ca.SX) or value > 0


@dataclass(frozen=True)
class SlidingBeam(Block):
    """A uniform, axially moving beam that slides along x through a hub at `frame_a`; only the part outside bends.

    Parameters
    ----------
    name : str
    length : float
        Whole length of the beam [m].
    linear_density : float
        Mass per length [kg/m].
    flexural_rigidity : float
        EI for bending along y [N m2].
    discretization : Discretization
        `Rigid()`, `AssumedModes(n, tip=...)` or `FiniteElements(n)`: how finely the part outside bends.
    bending : "y", "z" or "yz"
        Axes along which it deflects.
    shapes : "fixed", "algebraic" or "ode"
        How assumed modes with a tip body follow the extension. Fixed: they stretch with the beam, in the shape that
        they have at `start`. Otherwise the frequency equation is solved during the motion: its roots ``beta[i]`` are
        algebraic variables of the DAE, or states.
    flexural_rigidity_z : float, optional
        EI for bending along z [N m2]; by default `flexural_rigidity`.
    damping : float
        Viscous friction of the slide [N s/m].
    start : float, optional
        Start value of the extension [m]; by default half the length.
    damping_ratio : float
        Share of critical damping of every mode of the part outside, clamped, with its tip body. With fixed shapes the
        modes are those at `start`, each with the mass that it has at the extension.
    damping_time : float
        Retardation time of the material [s] (Kelvin and Voigt), in place of `damping_ratio`: stress = E (strain +
        damping_time * rate of strain). The strain of particles changes as the beam slides, too.

    Notes
    -----
    Ports: ``frame_a``, the mouth of the hub; ``frame_b``, the tip; ``axis``, the drive side of the slide. Coordinates:
    ``displacement``, the length [m] outside the hub, between 0 and `length`; and those of the discretization.
    Deflections are functions of xi = x/l on the part outside. Particles keep their distance from the tip, so that they
    move through the shapes while the beam slides; the energy of bending changes with the length too (Theodore & Ghosal
    1995, sections 2 and 4.2; the rows of the extension in eq 26 are completed).

    One tip body shapes the modes of both planes; of what the beam carries, with ``tip="auto"``, the inertia is the mean
    of the two across the beam.
    """

    length: float = parameter("m", POSITIVE)
    linear_density: float = parameter("kg/m", POSITIVE)
    flexural_rigidity: float = parameter("N m2", POSITIVE)
    discretization: Discretization = field(default_factory=undecided)
    bending: str = choice(("y", "z", "yz"), default="y")
    shapes: str = choice(("fixed", "algebraic", "ode"), default="fixed")
    flexural_rigidity_z: float | None = parameter("N m2", POSITIVE, default=None)
    damping: float = parameter("N s/m", NOT_NEGATIVE, default=0.0)
    start: float | None = parameter("m", POSITIVE, default=None, symbolic=False)
    damping_ratio: float = parameter("1", FRACTION, default=0.0)
    damping_time: float = parameter("s", NOT_NEGATIVE, default=0.0)

    ports = (inlet(), outlet(), flange("axis", kind=Kind.TRANSLATIONAL, optional=True))

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen = self.discretization
        if not isinstance(chosen, Discretization) or not chosen.can_slide:
            raise ParameterError(
                f"{self.where}: discretization = {chosen!r}; cannot slide through a hub, where it is clamped and its "
                "shapes stretch with it (can_slide); take fb.FiniteElements(n), or fb.AssumedModes(n) whose tip is "
                "'free', 'auto' or a fb.TipBody(...)."
            )
        if self.shapes != "fixed" and not isinstance(chosen, AssumedModes):
            raise ParameterError(
                f"{self.where}: shapes = '{self.shapes}' with {chosen!r}; only the shapes of "
                "fb.AssumedModes change with the extension. Take shapes='fixed'."
            )
        check_damping(self)
        if self.extension > self.length:
            raise ParameterError(
                f"{self.where}: start = {self.extension:g} m; must be at most the length, {self.length:g} m."
            )

    @property
    def extension(self) -> float:
        """The start value of the extension [m]."""
        nominal = self.nominal
        return nominal.length / 2 if nominal.start is None else nominal.start

    def coordinates(self) -> tuple[Coordinate, ...]:
        out = self.extension
        slide = Coordinate("displacement", "m", out, reference=out, low=0.0, high=self.nominal.length)
        return (slide, *(c for axis in self.bending for c in self.discretization.coordinates(axis)))

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"axis": ("displacement", 1.0)}

    def states(self) -> tuple[Variable, ...]:
        return self._roots() if self.shapes == "ode" else ()

    def algebraics(self) -> tuple[Variable, ...]:
        return self._roots() if self.shapes == "algebraic" else ()

    def dependent_variables(self, local: Local) -> tuple[DependentVariable, ...]:
        if self.shapes == "fixed":
            return ()
        tip, start = self._relative(self._tip(local), local["displacement"]), self._start_modes(local).b
        names = [variable.name for variable in self._roots()]
        equations = [frequency_equation(local[name], tip) for name in names]
        return tuple(map(DependentVariable, names, equations, start.tolist()))

    def remarks(self, carried: np.ndarray | None) -> tuple[str, ...]:
        del carried
        chosen = self.discretization
        return (silently_rigid(self.where),) if isinstance(chosen, Rigid) and not chosen.is_decided else ()

    def small_deflections(self, carried: np.ndarray) -> SmallDeflections | None:
        bent = [self.discretization.coordinates(axis) for axis in self.bending]
        if not bent[0]:
            return None
        chosen, out, units = self.discretization, self.extension, [c.unit for c in self.coordinates()]
        shapes = chosen.shapes(self._carried_tip(carried).relative(self.linear_density * out, out))
        first = {axis: 1 + i * len(bent[0]) for i, axis in enumerate(self.bending)}
        planes = {axis: (shapes, start, np.ones(shapes.size)) for axis, start in first.items()}
        measure = small_deflections(repr(chosen), self.coordinates(), planes)
        in_lengths = np.array([unit == "m" for unit in units]) & (np.arange(len(units)) > 0)
        return replace(measure, length=0, in_lengths=in_lengths, remedy="A FlexibleBeam with StrainModes(n) does.")

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        along_z = self.flexural_rigidity if self.flexural_rigidity_z is None else self.flexural_rigidity_z
        rigidities, extension = {"y": self.flexural_rigidity, "z": along_z}, local["displacement"]
        rigidity, shapes = {axis: rigidities[axis] for axis in self.bending}, self._shapes(local)
        coordinates = {axis: self.discretization.coordinates(axis) for axis in self.bending}

        def by_axis(of: Callable[[ca.SX], ca.SX], power: int) -> dict[str, ca.SX]:
            """Return the coordinates times a power of the extension, one higher for angles."""
            powers = {"m": extension**power, "rad": extension ** (power + 1)}
            return {
                axis: ca.vertcat(*[of(local[c.name]) * powers[c.unit] for c in of_axis], ca.SX(0, 1))
                for axis, of_axis in coordinates.items()
            }

        flexure = SlidingFlexure(
            root=frame,
            extension=extension,
            length=self.length,
            linear_density=self.linear_density,
            rigidity=rigidity,
            shapes=shapes,
            amplitudes=by_axis(lambda q: q, 0),
            speeds=by_axis(local.rate, 0),
            angles=by_axis(lambda q: q, -1),
            rate=local.rate,
        )
        rates = SlidingRates(extension, local.rate(extension), rigidity, flexure.amplitudes, flexure.speeds)
        return Physics(
            outlets={"frame_b": flexure.tip()},
            kinetic=flexure.kinetic(),
            potential=flexure.potential(),
            dissipation=self.damping * rates.speed**2 / 2 + self._dissipation(rates, shapes, local),
            outputs={f"tip_deflection_{axis}": Output(flexure.deflection(axis), "m") for axis in self.bending},
            velocity_forces=self._velocity_forces(flexure, frame, shapes, local),
        )

    def _velocity_forces(
        self, flexure: SlidingFlexure, frame: Frame, shapes: SlidingShapes, local: Local
    ) -> ca.SX | None:
        angles = [coordinate.unit == "rad" for coordinate in self.discretization.coordinates(self.bending[0])]
        if not angles:
            return None
        forces = SlidingForces(
            extension=flexure.extension,
            speed=local.rate(flexure.extension),
            length=self.length,
            linear_density=self.linear_density,
            shapes=shapes,
            angles=np.array(angles, dtype=float),
            amplitudes=flexure.amplitudes,
            speeds=flexure.speeds,
            slope=lambda expression: local.slope(expression, "displacement"),
        )
        return forces.forces(frame.omega, local.rates, slide=0)

    @property
    def modal_damping(self) -> float:
        return self.damping_ratio if self.discretization.coordinates(self.bending[0]) else 0.0

    def _dissipation(self, rates: SlidingRates, shapes: SlidingShapes, local: Local) -> ca.SX:
        if _counts(self.damping_time):
            return rates.of_material(shapes, self.damping_time)
        if not _counts(self.damping_ratio):
            return ca.SX(1, 1)
        if self.shapes == "fixed":
            plane = discretized_bending(self.discretization, self._start_tip(local))
            critical = critical_of_fixed(plane, self._relative(self._tip(local), rates.extension))
        else:
            critical = critical_of_following(self._betas(local), shapes)
        return rates.of_modes(critical, self.damping_ratio, self.linear_density)

    def _betas(self, local: Local) -> ca.SX:
        return ca.vertcat(*[local[variable.name] for variable in self._roots()])

    def _roots(self) -> tuple[Variable, ...]:
        return tuple(Variable(f"beta[{i}]", "1") for i in range(1, self._modes().n + 1))

    def _modes(self) -> AssumedModes:
        assert isinstance(self.discretization, AssumedModes)
        return self.discretization

    def _shapes(self, local: Local) -> SlidingShapes:
        if self.shapes == "fixed":
            units = [c.unit for c in self.discretization.coordinates(self.bending[0])]
            angles = np.array([unit == "rad" for unit in units], dtype=float)
            fixed = self.discretization.shapes(self._start_tip(local))
            return constant_shapes(fixed, angles, _counts(self.damping_time))
        start = self._start_tip(local)
        start_tip = RelativeTip(start.mass, start.inertia, start.static_moment)
        tip = self._relative(self._tip(local), local["displacement"])
        betas, start_betas = self._betas(local), self._start_modes(local).b
        return clamped_mass_shapes(betas, tip, local, "displacement", start_betas, start_tip)

    def _tip(self, local: Local) -> TipBody:
        """Return the body that shapes the modes, in SI units."""
        return self._carried_tip(local.carried)

    def _carried_tip(self, carried: np.ndarray) -> TipBody:
        # T = 1/2 m v.v + v.(omega x S) + ...: the entry at (v_z, omega_y) is -S_x.
        body = TipBody(carried[3, 3], (carried[1, 1] + carried[2, 2]) / 2, -carried[5, 1])
        return self.discretization.tip_body(body)

    def _start_tip(self, local: Local) -> TipBody:
        out = self.extension
        return self._tip(local).relative(self.nominal.linear_density * out, out)

    def _start_modes(self, local: Local) -> BeamModes:
        return clamped_modes(self._modes().n, self._start_tip(local))

    def _relative(self, tip: TipBody, extension: ca.SX) -> RelativeTip:
        mass = self.linear_density * extension
        return RelativeTip(tip.mass / mass, tip.inertia / (mass * extension**2), tip.static_moment / (mass * extension))
