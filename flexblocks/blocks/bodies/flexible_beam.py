"""Flexible beam: a slender link that bends, stretches and twists."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.beam.discretization import Discretization, Rigid, undecided
from flexblocks.beam.from_block import beam_from_block, check_properties, made_for_numbers
from flexblocks.beam.kinematics.deflection import Flexure
from flexblocks.beam.loads import load_power
from flexblocks.beam.properties.distributed_parameter import check_length_kept, check_over, distributed
from flexblocks.beam.properties.material import Material
from flexblocks.beam.properties.profile import Distribution
from flexblocks.beam.shapes.internal_forces import Cut
from flexblocks.beam.stress import checked_largest_stress, joined, stress_places
from flexblocks.blocks.bodies.beam_deflections import beam_deflections
from flexblocks.blocks.bodies.beam_remarks import (
    free_tip,
    load_across,
    load_doubts,
    rigidity_doubts,
    section_doubts,
    silently_rigid,
)
from flexblocks.blocks.bodies.section_forces import checked_stations, section_forces
from flexblocks.blocks.bodies.slender_beams import slender_doubts
from flexblocks.blocks.bodies.stations import HasStations
from flexblocks.errors import ParameterError
from flexblocks.interfaces import (
    ANY,
    FRACTION,
    NOT_NEGATIVE,
    POSITIVE,
    Carried,
    Coordinate,
    Frame,
    Local,
    Output,
    Physics,
    SmallDeflections,
    Variable,
    choice,
    inlet,
    outlet,
    parameter,
)


def refuse_straight_theory(beam: FlexibleBeam) -> None:
    """Refuse options of a beam that is curved or twisted unloaded, whose theory is that of straight beams.

    Raises
    ------
    ParameterError
    """
    for wrong, name, told in (
        (beam.damping_ratio, "damping_ratio", "its modes are not those of a straight beam. Take damping_time"),
        (beam.stiffening, "stiffening", "strain modes always foreshorten. Leave it out"),
        (
            beam.shear and not beam.rotary_inertia,
            "shear without rotary_inertia",
            "shear strains do not follow from curvatures alone. Take rotary_inertia=True, too",
        ),
    ):
        if wrong:
            raise ParameterError(f"{beam.where}: {name}, and {beam.discretization!r} is not straight: {told}.")


def option() -> Any:
    """Declare an option: a field that is False by default."""
    return choice((False, True), default=False)


@dataclass(frozen=True)
class FlexibleBeam(HasStations):
    """A slender beam along x, clamped at `frame_a`.

    Parameters
    ----------
    name : str
    length : float
        [m]
    linear_density : float, callable or table
        Mass per length [kg/m]: a number, a function of x [m], or a table ``[(x, value), ...]`` from 0 to the length,
        linear between its points; two points at one x are a jump.
    flexural_rigidity : float, callable or table
        EI for bending along y [N m2].
    discretization : Discretization
        How finely it deforms: `Rigid()`, `AssumedModes(n, tip=...)`, `FiniteElements(n)`, `RigidSegments(n)`,
        `StrainModes(n)`, or one of your own.
    bending : "auto", "y", "z" or "yz"
        Axes along which it deflects. Automatic is decided as an arm is assembled, from its topology: where all joints,
        gravity, offsets and attachments of forces keep the arm in one plane, the axis of the beam in that plane, else
        both. Values, such as masses, stiffnesses and postures, and forces from outside the arm have no influence.
        `Model.check` reports the choice.
    flexural_rigidity_z : float, callable or table, optional
        EI for bending along z [N m2]; by default `flexural_rigidity`, which a round section has.
    damping_ratio : float
        Share of critical damping of every mode of the clamped beam with its tip body.
    damping_time : float
        Retardation time of the material [s] (Kelvin and Voigt), in place of `damping_ratio`: stress = E (strain +
        damping_time * rate of strain), in shear and torsion with G. A mode of frequency omega has the damping ratio
        omega * damping_time / 2, in any arm whose only springs are such beams. `flexblocks.choose_damping` finds either
        for the modes of an arm.
    section : Section, callable or table, optional
        `Rectangle`, `Box`, `Tube` or `ISection`; or a function of x that returns one; or a table of them, between whose
        points sizes change linearly. With `material` it determines all numeric properties of this list, which are then
        left out.
    material : Material, optional
    axial, torsion : bool
        Whether the beam stretches, and whether it twists.
    shear : bool
        Whether sections are flexible in shear (Timoshenko); slopes of elements are then rotations of sections.
    rotary_inertia : bool
        Whether sections have rotary inertia (Rayleigh; with `shear` Timoshenko).
    stiffening : bool
        Whether the beam foreshortens as it bends, each point by 1/2 int v'^2 dx inboard of it: geometric stiffening, as
        of a rotating beam. Rigid segments and strain modes always do.
    axial_rigidity, torsional_rigidity : float, callable or table, optional
        EA [N], GJ [N m2].
    shear_rigidity, shear_rigidity_z : float, callable or table, optional
        kappa G A for bending along y, along z [N].
    section_inertia, section_inertia_z, polar_inertia : float, callable or table, optional
        rho I of sections that rotate by bending along y, by bending along z (by default as along y), and about x [kg m]
        (with `rotary_inertia` by default the sum of the two, which it is for every flat section).
    load_y, load_z : float, callable, table or "input", optional
        Force per length along y, along z of `frame_a` [N/m].
        ``"input"`` makes it an input of the arm, the same all along: a disturbance, zero unless it is given.
    internal_forces : tuple of float
        Places x [m] at which internal forces are outputs; 0 is the root.
    largest_stress : bool or int
        Whether the largest bending stress along the beam is an output; needs a section. It is looked for at the ends of
        8 equal intervals, or of as many as this number says, and where a table of sections has its points.

    Notes
    -----
    Coordinates: ``bending_y[i]`` [m] of assumed modes, ``deflection_y[k]`` [m] and ``slope_y[k]`` [rad] of finite
    elements, ``bend_y[i]`` [rad] of rigid segments, ``curvature_y[i]`` [rad] of strain modes; the same with z;
    ``extension[i]`` [m] and ``torsion[i]`` [rad] of all. By modes and elements the deflection is v(x) = sum phi_i(x/l)
    q_i, and an outlet is shifted by it and turned, as a true rotation, by the angle v'(x) about z (then by -w'(x) about
    y, then by the torsion about x). Gravity acts on the deflected beam. Outputs: ``tip_deflection_y`` and/or
    ``tip_deflection_z`` [m], in the axes of `frame_a` (of the chord, for pinned modes).

    Outputs at a place x of `internal_forces`, named ``station(x).moment_y`` and so on, at the root ``root_moment_y``:
    ``moment_y``, ``moment_z`` [N m], which bend the beam towards positive deflections (EI v'' of a slender beam),
    ``shear_y``, ``shear_z``, ``tension`` [N], ``torque`` [N m] with `torsion`: what the part beyond x, with all that
    hangs on it, exerts on the part before, about the deflected place of the section and along the axes of the section,
    turned as it is. With a section also ``stress`` [Pa], the largest by bending; with `largest_stress` the output
    ``largest_stress`` [Pa] is the largest of these along the beam. They balance loads, weight and inertia of the part
    beyond x on the deflected beam, and so are exact at rest and converge as the motion does; EI v'' of the shapes is
    less accurate.

    Only numbers can stay symbolic, not functions, tables, sections and materials; of modes with `shear` neither length
    nor rigidities. A length that does has no other value
    where one of these goes along it, and takes stations and cuts with it, at their fractions.
    """

    length: float = parameter("m", POSITIVE)
    linear_density: Any = distributed("kg/m")
    flexural_rigidity: Any = distributed("N m2")
    discretization: Discretization = field(default_factory=undecided)
    bending: Literal["auto", "y", "z", "yz"] = choice(("auto", "y", "z", "yz"), default="auto")
    flexural_rigidity_z: Any = distributed("N m2")
    damping_ratio: float = parameter("1", FRACTION, default=0.0)
    damping_time: float = parameter("s", NOT_NEGATIVE, default=0.0)
    section: Any = distributed("")
    material: Material | None = None
    axial: bool = option()
    torsion: bool = option()
    shear: bool = option()
    rotary_inertia: bool = option()
    stiffening: bool = option()
    axial_rigidity: Any = distributed("N")
    torsional_rigidity: Any = distributed("N m2")
    shear_rigidity: Any = distributed("N")
    shear_rigidity_z: Any = distributed("N")
    section_inertia: Any = distributed("kg m")
    section_inertia_z: Any = distributed("kg m")
    polar_inertia: Any = distributed("kg m")
    load_y: Any = distributed("N/m", ANY, word="input")
    load_z: Any = distributed("N/m", ANY, word="input")
    internal_forces: tuple[float, ...] = ()
    largest_stress: bool | int = False

    ports = (inlet(), outlet())

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.discretization, Discretization):
            raise ParameterError(
                f"{self.where}: discretization = {self.discretization!r}; must be a discretisation, such as "
                "fb.AssumedModes(n) or fb.FiniteElements(n)."
            )
        object.__setattr__(self, "internal_forces", checked_stations(self.where, self.internal_forces, self.length))
        checked_largest_stress(self.where, self.largest_stress, self.section is not None)
        if self.discretization.is_shaped:
            refuse_straight_theory(self)
        check_properties(self)
        check_over(self.where, self, self.length)

    def stiffened(self) -> FlexibleBeam:
        chosen = self.discretization
        rigid = chosen.rigid() if chosen.is_shaped else Rigid()
        return self if isinstance(chosen, Rigid) or rigid == chosen else replace(self, discretization=rigid)

    def made_for_numbers(self) -> Mapping[str, str]:
        return made_for_numbers(self)

    def check_change(self, names: Collection[str]) -> None:
        if "length" in names:
            check_length_kept(self.where, self)

    @property
    def planes(self) -> str:
        """The axes along which it deflects; of one that no arm has decided on, ``"y"``."""
        return "y" if self.bending == "auto" else self.bending

    @property
    def deformations(self) -> tuple[str, ...]:
        """The deformations it is free to make: ``"y"``, ``"z"`` (bending), ``"x"`` (extension), ``"torsion"``."""
        return (*self.planes, *("x",) * self.axial, *("torsion",) * self.torsion)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The cuts at which internal forces are outputs, and those at which stress is looked for."""
        return joined(self._stated_cuts, self._stress_places)

    @property
    def _stated_cuts(self) -> tuple[Cut, ...]:
        length = self.nominal.length
        return tuple(Cut(x / length, f"station({x!r})." if x else "root_") for x in self.internal_forces)

    @property
    def _stress_places(self) -> tuple[float, ...]:
        return stress_places(self.largest_stress, self._sections) if self.largest_stress else ()

    @property
    def _sections(self) -> Distribution:
        return Distribution(self.nominal.section, self.nominal.length)

    def coordinates(self) -> tuple[Coordinate, ...]:
        shears = self.shear and self.rotary_inertia
        deforming = (c for axis in self.deformations for c in self.discretization.all_coordinates(axis, shears))
        return (*deforming, *(c for cut in self.cuts for c in cut.coordinates(self.deformations)))

    def inputs(self) -> tuple[Variable, ...]:
        loads = (name for name in ("load_y", "load_z") if getattr(self, name) == "input")
        return tuple(Variable(name, "N/m", role="disturbance") for name in loads)

    def _felt(self, carried: Carried) -> np.ndarray:
        """Return the inertia (6, 6) at the tip, or none where neither shapes nor damping depend on it."""
        is_felt = self.discretization.feels_tip(isinstance(self.damping_ratio, ca.SX) or self.damping_ratio > 0)
        return carried["frame_b"] if is_felt else np.zeros((6, 6))

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        flexure = self.discretization.flexure(beam_from_block(self, self._felt(local.carried)), frame, local)
        return Physics(
            outlets={name: flexure.section(self.fraction(name)) for name in local.outlets},
            kinetic=flexure.kinetic(),
            bodies=flexure.bodies(),
            velocity_forces=flexure.velocity_forces(local.rates),
            potential=flexure.potential(),
            dissipation=flexure.dissipation(),
            outputs={
                **{f"tip_deflection_{axis}": Output(flexure.tip_deflection(axis), "m") for axis in self.planes},
                **(self._section_forces(local) if self.cuts else {}),
            },
            power=sum((self._load(flexure, axis, local) for axis in ("y", "z")), ca.SX(1, 1)),
        )

    @property
    def modal_damping(self) -> float:
        bends = any(self.discretization.coordinates(axis) for axis in self.planes)
        return self.damping_ratio if bends else 0.0

    def remarks(self, carried: Carried | None) -> tuple[str, ...]:
        chosen, suited = self.discretization, self.discretization.suited()
        if isinstance(chosen, Rigid):
            return () if chosen.is_decided else (silently_rigid(self.where),)
        loads = load_across(self, self.length)
        if carried is None or suited == chosen:
            return loads
        beam = beam_from_block(replace(self, discretization=suited), carried["frame_b"])
        return (*free_tip(self.where, chosen, suited, [beam.deformations[axis] for axis in self.planes]), *loads)

    def implausible_sizes(self, carried: Carried) -> tuple[str, ...]:
        return (*section_doubts(self), *load_doubts(self, carried["frame_b"]))

    def doubts(self, carried: Carried) -> tuple[str, ...]:
        del carried
        return rigidity_doubts(self)

    def frequency_doubts(self, carried: Carried) -> tuple[str, ...]:
        return slender_doubts(self, carried["frame_b"])

    def small_deflections(self, carried: Carried) -> SmallDeflections | None:
        return beam_deflections(self, self._felt(carried))

    def _load(self, flexure: Flexure, axis: str, local: Local) -> ca.SX:
        load, nominal = (getattr(block, f"load_{axis}") for block in (self, self.nominal))
        if load is None:
            return ca.SX(1, 1)
        if nominal == "input" or isinstance(nominal, float):
            scale = local[f"load_{axis}"] if nominal == "input" else load
            return load_power(flexure, axis, scale, Distribution(1.0, self.nominal.length))
        return load_power(flexure, axis, 1.0, Distribution(nominal, self.nominal.length))

    def _section_forces(self, local: Local) -> dict[str, Output]:
        sections = None if self.section is None else self._sections
        return section_forces(self.cuts, self.deformations, local, sections, bool(self.largest_stress))
