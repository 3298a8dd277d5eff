"""Random arms: hypothesis draws how an arm is built, a generator seeded by it draws the numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

import flexblocks as fb
from flexblocks.beam.discretization import Discretization

BEAMS = ("modes", "elements", "segments")
# With those whose energies no oracle writes down in closed form.
ALL_BEAMS = (*BEAMS, "strains")
DRIVES = ("free", "motor", "rotor", "gear", "elastic", "geared elastic", "held")


@dataclass(frozen=True)
class Segment:
    """A joint with its drive, the link it carries and what hangs on the link.

    Attributes
    ----------
    carrier : int or None
        The segment whose link carries the joint; None for the ground.
    station : float or None
        Where on that link [m]; None for its end.
    joint : Revolute, Prismatic, Universal, Gimbal or Spherical
    drive : tuple of Block
        In series, from the motor to the joint's axis.
    mounted : bool
        Whether the rotor carries the spin of what carries the joint.
    link : RigidLink or FlexibleBeam
    loads : tuple of (station or None, Block)
    mount : FixedTransform or None
        Between the carrier and the joint.
    """

    carrier: int | None
    station: float | None
    joint: fb.Revolute | fb.Prismatic | fb.Universal | fb.Gimbal | fb.Spherical
    drive: tuple[fb.Block, ...]
    mounted: bool
    link: fb.RigidLink | fb.FlexibleBeam
    loads: tuple[tuple[float | None, fb.Payload | fb.LumpedMass], ...]
    mount: fb.FixedTransform | None = None

    @property
    def hinges(self) -> tuple[fb.Revolute, ...]:
        """The hinges that make up the joint, by their names in the arm."""
        if isinstance(self.joint, fb.Composite):
            return tuple(part.with_values({"name": f"{self.joint.name}.{part.name}"}) for part in self.joint.parts())
        return (self.joint,) if isinstance(self.joint, fb.Revolute) else ()

    @property
    def rotor(self) -> fb.Rotor | None:
        return next((block for block in self.drive if isinstance(block, fb.Rotor)), None)

    @property
    def gear_ratio(self) -> float:
        """Turns of the motor's side of the gear in the drive for one turn of the arm's side."""
        return next((block.ratio for block in self.drive if isinstance(block, fb.Gear)), 1.0)

    @property
    def blocks(self) -> tuple[fb.Block, ...]:
        mount = () if self.mount is None else (self.mount,)
        return (*self.drive, *mount, self.joint, self.link, *(load for _, load in self.loads))


@dataclass(frozen=True)
class Arm:
    """Segments and gravity (3) [m/s2]; `base` blocks stand between the ground and what it carries."""

    segments: tuple[Segment, ...]
    gravity: tuple[float, float, float]
    base: tuple[fb.Block, ...] = ()

    @property
    def model(self) -> fb.Model:
        model = fb.Model("arm", self.gravity)
        foot = model.add(fb.Ground("ground")).frame_b
        for block in self.base:
            model.add(block)
            model.connect(foot, block.frame_a)
            foot = block.frame_b
        for segment in self.segments:
            for block in segment.blocks:
                model.add(block)
        for segment in self.segments:
            place = foot if segment.carrier is None else _place(self.segments[segment.carrier].link, segment.station)
            if segment.mount:
                model.connect(place, segment.mount.frame_a)
                place = segment.mount.frame_b
            model.connect(place, segment.joint.frame_a)
            if segment.mounted:
                model.connect(place, segment.rotor.frame_a)
            model.connect(segment.joint.frame_b, segment.link.frame_a)
            flanges = [block.flange_a for block in segment.drive[1:]]
            flanges += [segment.joint.axis] if segment.drive else []
            for block, flange in zip(segment.drive, flanges, strict=True):
                model.connect(block.flange_b, flange)
            for station, load in segment.loads:
                model.connect(_place(segment.link, station), load.frame_a)
        return model

    def without_damping(self) -> Arm:
        def still(segment: Segment) -> Segment:
            return replace(
                segment,
                joint=_copy(segment.joint, damping=0.0),
                drive=tuple(_copy(block, damping=0.0) for block in segment.drive),
                link=_copy(segment.link, damping_ratio=0.0),
            )

        return replace(self, segments=tuple(still(segment) for segment in self.segments))

    def random_state(self, dae: fb.DAE, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return coordinates, rates, accelerations and inputs of sizes as they may occur."""
        rng = np.random.default_rng(seed)
        size = np.array([_size(name) for name in dae.q_names])
        q, v, a = (rng.uniform(-1, 1, len(size)) * size * factor for factor in (1.0, 2.0, 10.0))
        return q, v, a, rng.uniform(-2, 2, len(dae.u))


# How far coordinates go, by the last word of their names; angles of joints and rotors go further.
SIZES = {
    "bending": 0.03,
    "deflection": 0.03,
    "slope": 0.1,
    "bend": 0.3,
    "curvature": 0.8,
    "shear": 0.05,
    "displacement": 0.4,
    "extension": 0.02,
}


def _size(name: str) -> float:
    return SIZES.get(name.rpartition(".")[2].partition("_")[0], 3.0)


def _copy(block: fb.Block, **values: float) -> fb.Block:
    return block.with_values({name: value for name, value in values.items() if hasattr(type(block), name)})


def _place(link: fb.RigidLink | fb.FlexibleBeam, station: float | None):
    return link.frame_b if station is None else link.station(station)


@st.composite
def arms(
    draw: st.DrawFn,
    links: int = 5,
    planar: bool | None = None,
    modes: int = 3,
    beams: tuple[str, ...] = BEAMS,
    particles: bool = False,
) -> Arm:
    """Draw an arm of up to `links` links; a planar one moves in the xy plane.

    Its flexible beams are of the kinds `beams`, with up to `modes` modes, elements or segments. With `particles` all
    their mass is on their axes.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    flat = draw(st.booleans()) if planar is None else planar
    gravity = rng.uniform(-10, 10, 3) * (1, 1, not flat) if draw(st.booleans()) else np.zeros(3)
    segments: list[Segment] = []
    for i in range(1, draw(st.integers(1, links)) + 1):
        carrier, station = (len(segments) - 1 if segments else None), None
        if segments and draw(st.integers(0, 3)) == 3:  # mostly a chain; now and then a branch
            carrier = draw(st.integers(0, len(segments) - 1))
            station = round(segments[carrier].link.length * draw(st.sampled_from((0.0, 0.37, 0.8, 1.0))), 6)
        segments.append(_segment(draw, rng, i, carrier, station, flat, modes, beams, particles))
    carriers = {segment.carrier for segment in segments}
    # What hangs on an end keeps the mass matrix regular whatever the axes.
    for i, segment in enumerate(segments):
        if i not in carriers:
            segments[i] = replace(segment, loads=(*segment.loads, (None, _payload(rng, f"payload{i + 1}", flat))))
    return Arm(tuple(segments), tuple(float(g) for g in gravity))


def _segment(
    draw: st.DrawFn,
    rng: np.random.Generator,
    i: int,
    carrier: int | None,
    station: float | None,
    flat: bool,
    modes: int,
    beams: tuple[str, ...],
    particles: bool,
) -> Segment:
    link = _link(draw, rng, i, flat, modes, beams, particles)
    loads = ()
    if draw(st.booleans()):
        loads = ((round(0.6 * link.length, 6), fb.LumpedMass(f"mass{i}", mass=rng.uniform(0.1, 0.5))),)
    damping = draw(st.sampled_from((0.0, 0.3)))
    mount = None if flat or not draw(st.booleans()) else _mount(rng, f"mount{i}")
    kind = draw(st.sampled_from(("hinge", "hinge", "slide", "hinge" if flat else "compound")))
    if kind == "slide":
        slide = fb.Prismatic(f"joint{i}", axis=_axis(draw, rng, flat, slide=True), damping=damping)
        force = (fb.ForceSource(f"motor{i}"),) if draw(st.booleans()) else ()
        return Segment(carrier, station, slide, force, False, link, loads, mount)
    if kind == "compound":
        joint = draw(st.sampled_from((fb.Universal, fb.Gimbal, fb.Spherical)))
        # A thin link that carries others at a ball joint could spin about itself without moving any mass.
        loads = (*loads, (round(0.3 * link.length, 6), _payload(rng, f"body{i}", flat)))
        return Segment(carrier, station, joint(f"joint{i}", damping=damping), (), False, link, loads, mount)
    joint = fb.Revolute(f"joint{i}", axis=_axis(draw, rng, flat), damping=damping)
    motor, axis = fb.TorqueSource(f"motor{i}"), _axis(draw, rng, flat)
    rotor = fb.Rotor(f"rotor{i}", inertia=rng.uniform(0.005, 0.05), gear_ratio=rng.uniform(1, 3), axis=axis)
    spring = fb.TorsionalSpring(f"spring{i}", stiffness=rng.uniform(5, 100), damping=draw(st.sampled_from((0.0, 0.2))))
    gear = fb.Gear(f"gear{i}", ratio=rng.uniform(-3, -1))
    drive = {
        "free": (),
        "motor": (motor,),
        "rotor": (motor, rotor),
        "gear": (motor, rotor, gear),
        "elastic": (motor, rotor, spring),
        "geared elastic": (motor, rotor, gear, spring),
        "held": (fb.Fixed(f"wall{i}"), spring),
    }[draw(st.sampled_from(DRIVES))]
    return Segment(carrier, station, joint, drive, rotor in drive and draw(st.booleans()), link, loads, mount)


def _mount(rng: np.random.Generator, name: str) -> fb.FixedTransform:
    return fb.FixedTransform(name, tuple(rng.uniform(-0.2, 0.2, 3)), tuple(rng.normal(size=3)))


def _link(
    draw: st.DrawFn,
    rng: np.random.Generator,
    i: int,
    flat: bool,
    modes: int,
    beams: tuple[str, ...],
    particles: bool,
) -> fb.RigidLink | fb.FlexibleBeam:
    length, name = round(rng.uniform(0.4, 1.0), 6), f"link{i}"
    kind = draw(st.sampled_from(("rod", "body", "rigid", "flexible", "flexible", "flexible")))
    if kind == "rod":
        return fb.RigidLink(name, length=length, mass=rng.uniform(0.2, 2))
    if kind == "body":
        inertia = rng.uniform(0.01, 0.1) if flat else _inertia(rng)
        return fb.RigidLink(name, length, mass=rng.uniform(0.2, 2), inertia=inertia, center=rng.uniform(0, 1) * length)
    discretization = fb.Rigid() if kind == "rigid" else _discretization(draw, modes, beams)
    return fb.FlexibleBeam(
        name,
        length=length,
        discretization=discretization,
        bending="y" if flat else draw(st.sampled_from(("y", "z", "yz"))),
        damping_ratio=draw(st.sampled_from((0.0, 0.02))),
        **_properties(draw, rng, length, flat or particles, discretization.can_shear),
    )


def _properties(
    draw: st.DrawFn, rng: np.random.Generator, length: float, points_only: bool, can_shear: bool
) -> dict[str, object]:
    """Draw what a beam is made of; with `points_only` nothing turns but its axis."""
    if not points_only and draw(st.integers(0, 2)) == 2:
        inner, outer = (fb.Rectangle(width=w, height=h) for w, h in rng.uniform(0.01, 0.03, (2, 2)).tolist())
        return {
            "section": draw(st.sampled_from((inner, ((0.0, inner), (length, outer))))),
            "material": fb.Material(density=2700.0, youngs_modulus=1e8, poissons_ratio=0.3),
            "axial": draw(st.booleans()),
            "torsion": draw(st.booleans()),
            "shear": can_shear and draw(st.booleans()),
            "rotary_inertia": draw(st.booleans()),
            "stiffening": draw(st.booleans()),
        }
    options: dict[str, object] = {"linear_density": rng.uniform(0.2, 2), "flexural_rigidity": rng.uniform(5, 50)}
    if draw(st.booleans()):
        options["flexural_rigidity_z"] = rng.uniform(5, 50)
    if draw(st.integers(0, 2)) == 2:
        options["stiffening"] = True
    if draw(st.integers(0, 2)) == 2:
        options |= {"axial": True, "axial_rigidity": rng.uniform(100, 1000)}
    if draw(st.integers(0, 2)) == 2:
        step = round(0.4 * length, 6)
        options["linear_density"] = ((0.0, rng.uniform(1, 2)), (length, rng.uniform(0.2, 1)))
        options["flexural_rigidity"] = ((0.0, 40.0), (step, 30.0), (step, rng.uniform(5, 20)), (length, 5.0))
    return options


def _discretization(draw: st.DrawFn, most: int, beams: tuple[str, ...]) -> Discretization:
    kind, n = draw(st.sampled_from(beams)), draw(st.integers(1, most))
    if kind == "modes":
        return fb.AssumedModes(n, tip=draw(st.sampled_from(("free", "auto", "pinned", fb.TipBody(0.4, 0.02, 0.03)))))
    if kind == "strains":
        return fb.StrainModes(n, functions=draw(st.sampled_from(("polynomials", "modes"))))
    return fb.FiniteElements(n) if kind == "elements" else fb.RigidSegments(n)


def _payload(rng: np.random.Generator, name: str, flat: bool) -> fb.Payload:
    center = rng.uniform(-0.1, 0.1, 3) * (1, 1, not flat)
    inertia = rng.uniform(0.005, 0.05) if flat else _inertia(rng)
    return fb.Payload(name, mass=rng.uniform(0.1, 1), inertia=inertia, center=tuple(center))


def _axis(draw: st.DrawFn, rng: np.random.Generator, flat: bool, slide: bool = False) -> tuple[float, ...]:
    """Draw an axis; never along a thin link, about which it would move no mass."""
    if flat:
        return (*rng.normal(size=2), 0.0) if slide else (0.0, 0.0, 1.0)
    return draw(st.sampled_from(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), tuple(rng.normal(size=3)))))


def _inertia(rng: np.random.Generator) -> tuple[tuple[float, ...], ...]:
    """Return the inertia of three random pairs of particles: whatever these give, some rigid body has."""
    second = sum(np.outer(d, d) for d in rng.normal(size=(3, 3)) * 0.1)
    matrix = np.trace(second) * np.eye(3) - second
    return tuple(map(tuple, ((matrix + matrix.T) / 2).tolist()))
