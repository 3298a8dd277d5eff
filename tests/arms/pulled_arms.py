"""Random arms with a force element of every kind between random places, and the forces of these, written out anew."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import casadi as ca
import numpy as np

import flexblocks as fb
from arms.random_arms import Arm
from flexblocks.dynamics.algorithms.kinematics import motions

ELEMENTS = {
    "spring": (fb.SpringDamper, {"stiffness": 50.0, "damping": 3.0, "free_length": 0.3}),
    "balancer": (fb.SpringDamper, {"stiffness": 20.0}),
    "ram": (fb.LineForce, {}),
    "cylinder": (
        fb.HydraulicCylinder,
        {
            "area_a": 2e-3,
            "area_b": 1.5e-3,
            "retracted": 0.2,
            "extended": 0.9,
            "supply_pressure": 1e5,
            "rated_flow": 1e-4,
            "rated_drop": 1e4,
            "bulk_modulus": 1e5,
            "leakage": 1e-9,
            "friction": 5.0,
            "stop_stiffness": 300.0,
        },
    ),
    "rope": (fb.Cable, {"length": 0.8, "rigidity": 40.0, "via": 2, "damping_time": 0.05, "transition": 0.1}),
    "hoist": (fb.Cable, {"length": 0.7, "rigidity": 30.0, "via": 1, "damping_time": 0.02, "winch": True}),
    "wind": (fb.WorldForce, {}),
    "jet": (fb.WorldForce, {"resolve_in": "frame"}),
    "twist": (fb.WorldTorque, {}),
    "wheel": (fb.WorldTorque, {"resolve_in": "frame"}),
    "wall": (
        fb.Contact,
        {"stiffness": 80.0, "transition": 0.2, "radius": 0.05, "damping": 0.3, "friction": 0.4, "velocity": 0.2},
    ),
}


@dataclass(frozen=True)
class Pulled:
    """An arm without and with force elements, and for each of these its anchors by port."""

    bare: fb.DAE
    dae: fb.DAE
    anchors: dict[str, dict[str, str]]


def pulled(arm: Arm, flat: bool, seed: int, only: tuple[str, ...] = tuple(ELEMENTS)) -> Pulled:
    """Return an arm with these elements, each between brackets at random places of the arm and the ground."""
    numbers = np.random.default_rng(seed)
    model = arm.model
    places = ["ground.frame_b"]
    for segment in arm.segments:
        link = segment.link
        inner = link.station(0.5 * link.length) if isinstance(link, fb.FlexibleBeam) else link.frame_b
        places += [str(link.frame_b), str(inner)]
    anchors: dict[str, dict[str, str]] = {}
    elements = []
    for name in only:
        kind, values = ELEMENTS[name]
        if kind is fb.Contact:
            values = values | {"normal": tuple(numbers.normal(size=3) * (1, 1, not flat))}
        element = kind(name, **values)
        elements.append(element)
        anchors[name] = {}
        for spec in element.ports:
            shift = numbers.uniform(-0.3, 0.3, 3) * (1, 1, not flat)
            turn = numbers.normal(size=3) * ((0, 0, 1) if flat else (1, 1, 1))
            bracket = model.add(fb.FixedTransform(f"{name}_{spec.name}", tuple(shift), tuple(turn)))
            model.connect(places[numbers.integers(len(places))], bracket.frame_a)
            anchors[name][spec.name] = bracket.name
    bare = fb.assemble(model)
    for element in elements:
        model.add(element)
        for port, bracket in anchors[element.name].items():
            model.connect(f"{bracket}.frame_b", element.port(port))
    return Pulled(bare, fb.assemble(model), anchors)


class Written:
    """Forces of the elements in world axes from the motion of their anchors along the chains of blocks."""

    def __init__(self, arm: Pulled, x: ca.SX, z: ca.SX, u: ca.SX) -> None:
        dae = arm.dae
        self.dae, self.arm = dae, arm
        self.value = {n: x[i] for i, n in enumerate(dae.x.names)} | {n: u[i] for i, n in enumerate(dae.u.names)}
        self.virtual = ca.SX.sym("virtual", dae.tree.size)
        self.power, self.stored, self.lost = ca.SX(0), ca.SX(0), ca.SX(0)
        names = {body.name: i for i, body in enumerate(dae.tree.bodies)}
        # Poses and twists of the brackets' inlets; their outlets are turned and shifted by numbers.
        actual, test = motions(dae.tree, dae.q, dae.v), motions(dae.tree, dae.q, self.virtual)
        self.frames = {}
        for brackets in arm.anchors.values():
            for name in brackets.values():
                terms = dae.tree.bodies[names[name]].terms
                self.frames[name] = [
                    terms.motions["frame_b"](*motion[names[name]], [], [], terms.p) for motion in (actual, test)
                ]
        for name in arm.anchors:
            getattr(self, name)(name)

    def frame(self, name: str, port: str):
        (R, r, V), (_, _, W) = self.frames[self.arm.anchors[name][port]]
        return R, r, (R @ V[:3], R @ V[3:]), (R @ W[:3], R @ W[3:])

    def along(self, name: str, *ports: str):
        """Return length, rate and virtual rate of a polygon."""
        length, rate, virtual = ca.SX(0), ca.SX(0), ca.SX(0)
        for one, two in pairwise(ports):
            (_, a, (_, va), (_, wa)), (_, b, (_, vb), (_, wb)) = self.frame(name, one), self.frame(name, two)
            part = ca.norm_2(b - a)
            length, rate = length + part, rate + ca.dot(b - a, vb - va) / part
            virtual += ca.dot(b - a, wb - wa) / part
        return length, rate, virtual

    def spring(self, name: str) -> None:
        length, rate, virtual = self.along(name, "frame_a", "frame_b")
        self.power += (50.0 * (0.3 - length) - 3.0 * rate) * virtual
        self.stored += 25.0 * (length - 0.3) ** 2
        self.lost += 3.0 * rate**2

    def balancer(self, name: str) -> None:
        length, _, virtual = self.along(name, "frame_a", "frame_b")
        self.power -= 20.0 * length * virtual
        self.stored += 10.0 * length**2

    def ram(self, name: str) -> None:
        self.power += self.value["ram.force"] * self.along(name, "frame_a", "frame_b")[2]

    def cylinder(self, name: str) -> None:
        length, rate, virtual = self.along(name, "frame_a", "frame_b")
        force = 2e-3 * self.value["cylinder.pressure_a"] - 1.5e-3 * self.value["cylinder.pressure_b"]
        for depth, way in ((0.2 - length, 1.0), (length - 0.9, -1.0)):
            root = ca.sqrt(depth**2 + 0.7e-3**2)
            self.stored += 150.0 * ((depth + root) / 2) ** 2
            force += way * 300.0 * (depth + root) / 2 * (1 + depth / root) / 2
        self.power += (force - 5.0 * rate) * virtual
        self.lost += 5.0 * rate**2

    def rope(self, name: str) -> None:
        path, rate, virtual = self.along(name, "frame_a", "frame_1", "frame_2", "frame_b")

        def taut(e):
            root = ca.sqrt(e**2 + 0.1**2)
            return (e + root) / 2 * (1 + e / root) / 2

        strain = path / 0.8 - 1
        tension = 40.0 * taut(strain + 0.05 * rate / 0.8)
        self.power -= tension * virtual
        self.stored += 40.0 * 0.8 * ((strain + ca.sqrt(strain**2 + 0.01)) / 2) ** 2 / 2
        self.lost += (tension - 40.0 * taut(strain)) * rate

    def hoist(self, name: str) -> None:
        path, rate, virtual = self.along(name, "frame_a", "frame_1", "frame_b")
        length, speed = self.value["hoist.length"], self.value["hoist.speed"]
        strain = path / length - 1
        e = strain + 0.02 * (rate / length - path * speed / length**2)
        root = ca.sqrt(e**2 + 1e-8)
        self.power -= 30.0 * (e + root) / 2 * (1 + e / root) / 2 * virtual

    def _outer(self, name: str, what: str, turned: bool) -> None:
        R, _, _, (omega, v) = self.frame(name, "frame_a")
        effort = ca.vertcat(*[self.value[f"{name}.{what}_{axis}"] for axis in "xyz"])
        self.power += ca.dot(R @ effort if turned else effort, v if what == "force" else omega)

    def wind(self, name: str) -> None:
        self._outer(name, "force", False)

    def jet(self, name: str) -> None:
        self._outer(name, "force", True)

    def twist(self, name: str) -> None:
        self._outer(name, "torque", False)

    def wheel(self, name: str) -> None:
        self._outer(name, "torque", True)

    def wall(self, name: str) -> None:
        """A force at the point of the sphere that is deepest, and its reaction at the same point of the plane."""
        block = self.dae.model[name]
        (_, ra, (wa, va), (ya, xa)), (R, rb, (wb, vb), (yb, xb)) = (self.frame(name, p) for p in ("frame_a", "frame_b"))
        n = R @ ca.DM(list(block.normal))
        point = ra - 0.05 * n
        depth = -ca.dot(n, point - rb)
        root = ca.sqrt(depth**2 + 0.2**2)
        elastic = 80.0 * (depth + root) / 2 * (1 + depth / root) / 2
        slip = va + ca.cross(wa, point - ra) - vb - ca.cross(wb, point - rb)
        virtual = xa + ca.cross(ya, point - ra) - xb - ca.cross(yb, point - rb)
        # Of the gap itself: the velocity of the sphere's centre.
        closing = ca.dot(n, va - vb - ca.cross(wb, ra - rb))

        def soft(y):
            return (y + ca.sqrt(y**2 + 0.01)) / 2

        normal = elastic * soft(1 - 0.3 * closing) / soft(1.0)
        slip -= n * ca.dot(n, slip)
        drag = -0.4 * normal * slip / ca.sqrt(ca.dot(slip, slip) + 0.04)
        self.power += ca.dot(n * normal + drag, virtual)
        self.stored += 40.0 * ((depth + root) / 2) ** 2
        self.lost -= (normal - elastic) * closing + ca.dot(drag, slip)
