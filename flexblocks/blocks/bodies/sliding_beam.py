"""Axially moving beam: a flexible link that slides out of a hub."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.discretization import Discretization, Rigid, undecided
from flexblocks.beam.from_block import check_properties, made_for_numbers
from flexblocks.beam.from_sliding_block import sliding_dissipation, sliding_flexure, sliding_velocity_forces
from flexblocks.beam.kinematics.sliding_deflection import SlidingFlexure
from flexblocks.beam.properties.distributed_parameter import distributed
from flexblocks.beam.properties.material import Material
from flexblocks.beam.properties.profile import Distribution
from flexblocks.beam.properties.section import Section
from flexblocks.beam.section_properties import known_property
from flexblocks.beam.shapes.internal_forces import Cut
from flexblocks.beam.sliding_functions import SlidingFunctions, carried_tip, rod_of, root_variables
from flexblocks.beam.small_deflections import small_deflections, twist
from flexblocks.beam.stress import checked_largest_stress, joined, stress_places
from flexblocks.blocks.bodies.beam_remarks import load_across, section_doubts, silently_rigid
from flexblocks.blocks.bodies.section_forces import checked_stations, section_forces
from flexblocks.errors import ParameterError
from flexblocks.interfaces import (
    ANY,
    FRACTION,
    NOT_NEGATIVE,
    POSITIVE,
    Block,
    Carried,
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

SHARES = "places x/l on the part outside, from 0, the mouth of the hub, to 1, the tip"
REMEDY = "A FlexibleBeam with StrainModes(n) holds at any deflection."


@dataclass(frozen=True)
class SlidingBeam(Block):
    """A uniform, axially moving beam that slides along x through a hub at `frame_a`; only the part outside bends.

    Parameters
    ----------
    name : str
    length : float
        Whole length of the beam [m].
    linear_density : float, optional
        Mass per length [kg/m]; like all numeric properties given here, or determined by `section` and `material`.
    flexural_rigidity : float, optional
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
    section : Section, optional
        `Rectangle`, `Box`, `Tube` or `ISection`, the same all along. With `material` it determines all numeric
        properties of this list, which are then left out.
    material : Material, optional
    load_y, load_z : float or "input", optional
        Force per length along y, along z of `frame_a` on the part outside [N/m]. ``"input"`` makes it an input of the
        arm: a disturbance, zero unless it is given.
    internal_forces : tuple of float
        Sections at which internal forces are outputs, by x/l on the part outside: 0 is the mouth of the hub, where the
        beam is loaded most, 1 the tip. With `shear`, and with shapes that change with the extension, 0 alone.
    largest_stress : bool or int
        Whether the largest bending stress on the part outside is an output, as of a `FlexibleBeam`; needs a section,
        fixed shapes, and no `shear`.

    Notes
    -----
    Ports: ``frame_a``, the mouth of the hub; ``frame_b``, the tip; ``axis``, the drive side of the slide. Coordinates:
    ``displacement``, the length [m] outside the hub, between 0 and `length`; and those of the discretization.
    Deflections are functions of xi = x/l on the part outside. Particles keep their distance from the tip, so that they
    move through the shapes while the beam slides; the energy of bending changes with the length too (Theodore & Ghosal
    1995, sections 2 and 4.2; the rows of the extension in eq 26 are completed).

    Outputs of `internal_forces` are those of a `FlexibleBeam`: ``root_moment_y`` and so on just outside the mouth of
    the hub, ``fraction(0.5).moment_y`` at half the extension; with a section also ``root_stress``. They are what the
    part beyond exerts, and balance its loads, weight and inertia. Particles pass these sections as the beam slides, and
    what momentum they carry along is no force. A section keeps its share of the extension, not its particle.

    Loads work on particles outside, wherever the slide takes them; those in the hub feel none.

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
    linear_density: float | None = parameter("kg/m", POSITIVE, default=None)
    flexural_rigidity: float | None = parameter("N m2", POSITIVE, default=None)
    discretization: Discretization = field(default_factory=undecided)
    bending: Literal["auto", "y", "z", "yz"] = choice(("auto", "y", "z", "yz"), default="auto")
    shapes: Literal["fixed", "algebraic", "ode"] = choice(("fixed", "algebraic", "ode"), default="fixed")
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
    section: Section | None = distributed("", uniform=True)
    material: Material | None = None
    load_y: Any = distributed("N/m", ANY, word="input", uniform=True)
    load_z: Any = distributed("N/m", ANY, word="input", uniform=True)
    internal_forces: tuple[float, ...] = ()
    largest_stress: bool | int = False

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
        check_properties(self)
        object.__setattr__(self, "internal_forces", checked_stations(self.where, self.internal_forces, 1.0, SHARES))
        checked_largest_stress(self.where, self.largest_stress, self.section is not None)
        if not self.stretches and (self.largest_stress or any(self.internal_forces)):
            raise ParameterError(
                f"{self.where}: internal_forces = {self.internal_forces}, largest_stress = {self.largest_stress}; with "
                "shear, and with shapes that change with the extension, forces are known at the mouth of the hub "
                "alone: take internal_forces=(0,) and its root_stress."
            )
        if self.extension > self.length:
            raise ParameterError(
                f"{self.where}: start = {self.extension:g} m; must be at most the length, {self.length:g} m."
            )

    @property
    def stretches(self) -> bool:
        """Whether its functions stretch with it and change no further: forces are then known along all that bends."""
        return self.shapes == "fixed" and not self.shear

    @property
    def deformations(self) -> tuple[str, ...]:
        """The deformations it is free to make: ``"y"``, ``"z"`` (bending), ``"torsion"``."""
        return (*self.planes, *("torsion",) * self.torsion)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The cuts at which internal forces are outputs, and those at which stress is looked for."""
        stated = (Cut(xi, f"fraction({xi!r})." if xi else "root_") for xi in self.internal_forces)
        return joined(stated, stress_places(self.largest_stress, self._sections) if self.largest_stress else ())

    @property
    def _sections(self) -> Distribution:
        return Distribution(self.nominal.section, 1.0)

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
        deforming = (c for axis in self.deformations for c in self.discretization.coordinates(axis))
        return (slide, *deforming, *(c for cut in self.cuts for c in cut.coordinates(self.deformations)))

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"axis": ("displacement", 1.0)}

    def inputs(self) -> tuple[Variable, ...]:
        loads = (name for name in ("load_y", "load_z") if getattr(self, name) == "input")
        return tuple(Variable(name, "N/m", role="disturbance") for name in loads)

    def states(self) -> tuple[Variable, ...]:
        return root_variables(self) if self.shapes == "ode" else ()

    def algebraics(self) -> tuple[Variable, ...]:
        return root_variables(self) if self.shapes == "algebraic" else ()

    def dependent_variables(self, local: Local) -> tuple[DependentVariable, ...]:
        return () if self.shapes == "fixed" else SlidingFunctions(self, local).roots

    def remarks(self, carried: Carried | None) -> tuple[str, ...]:
        del carried
        if isinstance(self.discretization, Rigid):
            return () if self.discretization.is_decided else (silently_rigid(self.where),)
        return load_across(self, self.extension)

    def stiffened(self) -> SlidingBeam:
        rigid = isinstance(self.discretization, Rigid)
        return self if rigid else replace(self, discretization=Rigid(), shapes="fixed")

    def implausible_sizes(self, carried: Carried) -> tuple[str, ...]:
        del carried
        return section_doubts(self)

    def made_for_numbers(self) -> Mapping[str, str]:
        if self.shapes != "fixed":
            return {}
        names = made_for_numbers(self, "fb.FiniteElements(n), or shapes that follow, as shapes='ode'")
        if self.start is not None:
            names.pop("length", None)  # the shapes are those of the part that is outside at the start
        return names

    def small_deflections(self, carried: Carried) -> SmallDeflections | None:
        bent = [self.discretization.coordinates(axis) for axis in self.planes]
        if not bent[0]:
            return None
        chosen, out, units = self.discretization, self.extension, [c.unit for c in self.coordinates()]
        tip = carried_tip(self, carried["frame_b"])
        shapes = chosen.shapes(tip.relative(known_property(self, "linear_density").nominal * out, out))
        first = {axis: 1 + i * len(bent[0]) for i, axis in enumerate(self.planes)}
        planes = {axis: (shapes, start, np.ones(shapes.size)) for axis, start in first.items()}
        measure = small_deflections(repr(chosen), self.coordinates(), planes)
        in_lengths = np.array([unit == "m" for unit in units]) & (np.arange(len(units)) > 0)
        if self.torsion:
            twisting = rod_of(self, tip).shapes, 1 + sum(map(len, bent))
            names = {"y": "flexural_rigidity", "z": "flexural_rigidity_z", "torsion": "torsional_rigidity"}
            values = {axis: known_property(self, name).nominal for axis, name in names.items()}
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
            outputs={
                **{f"tip_deflection_{axis}": Output(flexure.deflection(axis), "m") for axis in self.planes},
                **(self._section_forces(local) if self.cuts else {}),
            },
            velocity_forces=sliding_velocity_forces(functions, flexure),
            power=sum((self._load(flexure, axis, local) for axis in ("y", "z")), ca.SX(1, 1)),
        )

    def _section_forces(self, local: Local) -> dict[str, Output]:
        sections = None if self.section is None else self._sections
        return section_forces(self.cuts, self.deformations, local, sections, bool(self.largest_stress))

    def _load(self, flexure: SlidingFlexure, axis: str, local: Local) -> ca.SX:
        name = f"load_{axis}"
        load = local[name] if self.nominal.__dict__[name] == "input" else getattr(self, name)
        return ca.SX(1, 1) if load is None else flexure.load_power(axis, load)

    @property
    def modal_damping(self) -> float:
        return self.damping_ratio if self.discretization.coordinates(self.planes[0]) else 0.0
