"""Axially moving beam: a flexible link that slides out of a hub."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.discretization import Discretization, Rigid, undecided
from flexblocks.beam.from_block import check_damping, check_options, made_for_numbers
from flexblocks.beam.from_sliding_block import sliding_dissipation, sliding_flexure, sliding_velocity_forces
from flexblocks.beam.sliding_functions import SlidingFunctions, carried_tip, rod_of, root_variables
from flexblocks.beam.small_deflections import small_deflections, twist
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

REMEDY = "A FlexibleBeam with StrainModes(n) holds at any deflection."


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
    bending : "auto", "y", "z" or "yz"
        Axes along which it deflects, as of a `FlexibleBeam`.
    shapes : "fixed", "algebraic" or "ode"
        How assumed modes with a tip body follow the extension. Fixed: they stretch with the beam, in the shape that
        they have at `start`. Otherwise the frequency equation is solved during the motion: its roots ``beta[i]`` are
        algebraic variables of the DAE, or states.
    flexural_rigidity_z : float, optional
        EI for bending along z [N m2]; by default `flexural_rigidity`.
    torsion, shear : bool
        Whether the part outside twists, and whether its sections are flexible in shear (Timoshenko).
    torsional_rigidity, polar_inertia : float, optional
        GJ [N m2]; rho I about x [kg m], with `torsion`.
    shear_rigidity, shear_rigidity_z : float, optional
        kappa G A for bending along y, along z [N], with `shear`; along z by default that along y.
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

    A shear strain is that of sections in balance, in proportion to the change of the curvature, and goes with 1/l^2 of
    the extension: what shear adds to each shape follows the extension, with fixed shapes too. Where EI/(kappa G A) is
    another along z, modes there are those along y, with what shear adds along z. Functions of torsion stretch with the
    beam in the shape that they have at `start`. The hub is ideal: it holds sections without twist and slope up to its
    mouth and does no work, so that twist and shear push the beam out of it, as bending does (Bigoni and others 2014,
    "Torsional locomotion"), and energy is conserved.
    """

    length: float = parameter("m", POSITIVE)
    linear_density: float = parameter("kg/m", POSITIVE)
    flexural_rigidity: float = parameter("N m2", POSITIVE)
    discretization: Discretization = field(default_factory=undecided)
    bending: str = choice(("auto", "y", "z", "yz"), default="auto")
    shapes: str = choice(("fixed", "algebraic", "ode"), default="fixed")
    flexural_rigidity_z: float | None = parameter("N m2", POSITIVE, default=None)
    torsion: bool = choice((False, True), default=False)
    shear: bool = choice((False, True), default=False)
    torsional_rigidity: float | None = parameter("N m2", POSITIVE, default=None)
    polar_inertia: float | None = parameter("kg m", POSITIVE, default=None)
    shear_rigidity: float | None = parameter("N", POSITIVE, default=None)
    shear_rigidity_z: float | None = parameter("N", POSITIVE, default=None)
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
        if self.shear and not chosen.can_shear:
            raise ParameterError(
                f"{self.where}: shear = True with {chosen!r}, which is not flexible in shear (can_shear); "
                "take fb.FiniteElements(n) or fb.AssumedModes(n), or leave it out."
            )
        check_options(self, ("torsion", "shear"))
        check_damping(self)
        if self.extension > self.length:
            raise ParameterError(
                f"{self.where}: start = {self.extension:g} m; must be at most the length, {self.length:g} m."
            )

    @property
    def planes(self) -> str:
        """The axes along which it deflects; of one that no arm has decided on, ``"y"``."""
        return "y" if self.bending == "auto" else self.bending

    @property
    def extension(self) -> float:
        """The start value of the extension [m]."""
        nominal = self.nominal
        return nominal.length / 2 if nominal.start is None else nominal.start

    def coordinates(self) -> tuple[Coordinate, ...]:
        out = self.extension
        slide = Coordinate("displacement", "m", out, reference=out, low=0.0, high=self.nominal.length)
        deformations = (*self.planes, *("torsion",) * self.torsion)
        return (slide, *(c for axis in deformations for c in self.discretization.coordinates(axis)))

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"axis": ("displacement", 1.0)}

    def states(self) -> tuple[Variable, ...]:
        return root_variables(self) if self.shapes == "ode" else ()

    def algebraics(self) -> tuple[Variable, ...]:
        return root_variables(self) if self.shapes == "algebraic" else ()

    def dependent_variables(self, local: Local) -> tuple[DependentVariable, ...]:
        return () if self.shapes == "fixed" else SlidingFunctions(self, local).roots

    def remarks(self, carried: np.ndarray | None) -> tuple[str, ...]:
        del carried
        chosen = self.discretization
        return (silently_rigid(self.where),) if isinstance(chosen, Rigid) and not chosen.is_decided else ()

    def stiffened(self) -> SlidingBeam:
        rigid = isinstance(self.discretization, Rigid)
        return self if rigid else replace(self, discretization=Rigid(), shapes="fixed")

    def made_for_numbers(self) -> Mapping[str, str]:
        if self.shapes != "fixed":
            return {}
        names = made_for_numbers(self, "fb.FiniteElements(n), or shapes that follow, as shapes='ode'")
        if self.start is not None:
            names.pop("length", None)  # the shapes are those of the part that is outside at the start
        return names

    def small_deflections(self, carried: np.ndarray) -> SmallDeflections | None:
        bent = [self.discretization.coordinates(axis) for axis in self.planes]
        if not bent[0]:
            return None
        chosen, out, units = self.discretization, self.extension, [c.unit for c in self.coordinates()]
        tip = carried_tip(self, carried)
        shapes = chosen.shapes(tip.relative(self.linear_density * out, out))
        first = {axis: 1 + i * len(bent[0]) for i, axis in enumerate(self.planes)}
        planes = {axis: (shapes, start, np.ones(shapes.size)) for axis, start in first.items()}
        measure = small_deflections(repr(chosen), self.coordinates(), planes)
        in_lengths = np.array([unit == "m" for unit in units]) & (np.arange(len(units)) > 0)
        if self.torsion:
            twisting = rod_of(self, tip).shapes, 1 + sum(map(len, bent))
            of_y = self.flexural_rigidity
            of_z = of_y if self.flexural_rigidity_z is None else self.flexural_rigidity_z
            values = {"y": of_y, "z": of_z, "torsion": self.torsional_rigidity}
            rigidity = {axis: partial(np.full_like, fill_value=value) for axis, value in values.items()}
            measure = replace(measure, twist=twist(len(units), planes, twisting, rigidity, out))
        return replace(measure, length=0, in_lengths=in_lengths, remedy=REMEDY)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        functions = SlidingFunctions(self, local)
        flexure = sliding_flexure(functions, frame)
        friction = self.damping * local.rate(functions.extension) ** 2 / 2
        return Physics(
            outlets={"frame_b": flexure.tip()},
            kinetic=flexure.kinetic(),
            potential=flexure.potential(),
            dissipation=friction + sliding_dissipation(functions, flexure),
            outputs={f"tip_deflection_{axis}": Output(flexure.deflection(axis), "m") for axis in self.planes},
            velocity_forces=sliding_velocity_forces(functions, flexure),
        )

    @property
    def modal_damping(self) -> float:
        return self.damping_ratio if self.discretization.coordinates(self.planes[0]) else 0.0
