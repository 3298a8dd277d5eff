"""Booms of links on hinges, each luffed by a cylinder: as models, and by hand in the hinges' angles."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import flexblocks as fb

G = 9.81


@dataclass(frozen=True)
class Boom:
    """A chain of `count` equal links in a vertical plane, lengths in units of `scale` [m].

    Cylinder i goes from `foot` on the part that carries hinge i to `head` on link i, both seen from the hinge, in the
    axes of the part; its barrel and rod are uniform rods.
    """

    count: int = 1
    scale: float = 1.0
    length: float = 8.0
    foot: tuple[float, float] = (0.3, -1.2)
    head: tuple[float, float] = (1.5, -0.4)
    barrel: float = 0.6
    rod: float = 0.4
    density: float = 80.0
    rigidity: float = 5e8
    masses: tuple[float, float] = (60.0, 30.0)
    load: float = 200.0
    discretization: object = field(default_factory=fb.Rigid)

    def closed(self, angles: np.ndarray) -> dict[str, float]:
        """Return all coordinates of the rigid boom by the angles (count,) of its hinges."""
        values = {}
        for i, angle in enumerate(angles):
            along = _turned(angle, self.head) - np.array(self.foot)
            direction = np.arctan2(along[1], along[0])
            out = self.scale * (np.hypot(*along) - self.barrel - self.rod)
            values |= {f"hinge{i}.angle": angle, f"slide{i}.displacement": out}
            values |= {f"pin{i}.angle": direction, f"eye{i}.angle": angle - direction}
        return {name: float(value) for name, value in values.items()}

    def energy(self, angles: np.ndarray) -> float:
        """Return the potential energy [J] of the rigid boom."""
        place, direction, V = np.zeros(2), 0.0, 0.0
        for i, angle in enumerate(angles):
            foot = place + _turned(direction, self.foot)
            direction += angle
            head = place + _turned(direction, self.head)
            along = (head - foot) / np.hypot(*(head - foot))
            barrel, rod = foot + self.barrel / 2 * along, head - self.rod / 2 * along
            V += self.masses[0] * barrel[1] + self.masses[1] * rod[1]
            V += self.density * self.length * (place + _turned(direction, (self.length / 2, 0)))[1]
            place = place + _turned(direction, (self.length, 0))
            V += self.load * place[1] if i == self.count - 1 else 0.0
        return G * self.scale * V

    def forces(self, angles: np.ndarray, h: float = 1e-5) -> np.ndarray:
        """Return the forces (count,) of the cylinders [N] that hold the rigid boom, by virtual work."""
        forces = []
        for i in range(self.count):
            step = h * np.eye(self.count)[i]
            up, down = (self.closed(angles + sign * step)[f"slide{i}.displacement"] for sign in (1, -1))
            forces.append((self.energy(angles + step) - self.energy(angles - step)) / (up - down))
        return np.array(forces)

    def model(self, start: dict[str, float]) -> fb.Model:
        """Return the model with start values by coordinate; 0 where there is none."""
        model, size = fb.Model("boom", (0.0, -G, 0.0)), self.scale
        begin = model.add(fb.Ground("ground")).frame_b
        for i in range(self.count):
            hinge = fb.Revolute(f"hinge{i}", start=start.get(f"hinge{i}.angle", 0.0))
            density = self.density / size  # the same masses at every scale
            link = fb.FlexibleBeam(
                f"link{i}",
                self.length * size,
                density,
                self.rigidity * size**2,
                discretization=self.discretization,
                bending="y",
            )
            foot = fb.FixedTransform(f"foot{i}", (self.foot[0] * size, self.foot[1] * size, 0))
            head = fb.FixedTransform(f"head{i}", (0, self.head[1] * size, 0))
            chain = (
                foot,
                fb.Revolute(f"pin{i}", start=start.get(f"pin{i}.angle", 0.0)),
                fb.RigidLink(f"barrel{i}", self.barrel * size, self.masses[0]),
                fb.Prismatic(f"slide{i}", axis=(1, 0, 0), start=start.get(f"slide{i}.displacement", 0.0)),
                fb.RigidLink(f"rod{i}", self.rod * size, self.masses[1]),
                fb.Revolute(f"eye{i}", start=start.get(f"eye{i}.angle", 0.0)),
            )
            push = fb.ForceSource(f"cylinder{i}")
            for block in (hinge, link, head, *chain, push):
                model.add(block)
            place = begin
            model.connect(begin, hinge.frame_a)
            model.connect(hinge.frame_b, link.frame_a)
            model.connect(link.station(self.head[0] * size), head.frame_a)
            for block in chain:
                model.connect(place, block.frame_a)
                place = block.frame_b
            model.connect(place, head.frame_b)
            model.connect(push.flange_b, chain[3].axis)
            begin = link.frame_b
        model.connect(begin, model.add(fb.Payload("load", self.load)).frame_a)
        return model

    def postures(self, count: int, seed: int = 0) -> np.ndarray:
        """Return random angles (count, hinges): the first hinge raises the boom, the others fold it."""
        rng = np.random.default_rng(seed)
        return np.hstack([rng.uniform(0.0, 1.4, (count, 1)), rng.uniform(-0.8, 1.6, (count, self.count - 1))])


def _turned(angle: float, vector: tuple[float, float]) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])
