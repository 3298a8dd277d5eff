"""Random linkages with damping in joints that move no mass of their own: closed loops and trees, in a plane and not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

import flexblocks as fb
from arms.one_link import DCMotor


def linkage(number: int) -> fb.Model:
    """Return one of many linkages: consecutive numbers are of different kinds."""
    rng = np.random.default_rng(number)
    model = fb.Model(f"linkage {number}", gravity=tuple(rng.uniform(-10.0, 10.0, 3)))
    ground, base = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("base", (0, 0, 0), rng.normal(size=3)))
    model.connect(ground.frame_b, base.frame_a)
    KINDS[number % len(KINDS)](model, base, rng)
    return model


def _four_bar(model: fb.Model, base: fb.Block, rng: np.random.Generator) -> None:
    """A crank, a coupler that may bend and a rocker, in a plane of any orientation; the crank driven by a current."""
    crank, rocker = rng.uniform(0.15, 0.25), rng.uniform(0.4, 0.5)
    coupler, foot = rng.uniform(0.4, 0.5), rng.uniform(0.35, 0.45)
    rod = fb.RigidLink("coupler", coupler, rng.uniform(0.3, 3.0))
    if rng.integers(2):
        rod = fb.FlexibleBeam(
            "coupler", coupler, 1.0, 3.0, discretization=fb.AssumedModes(2, tip="pinned"), bending="y"
        )
    _chain(model, base, [_hinge(rng, "hinge", 1.0), _link(rng, "crank", crank), _hinge(rng, "knee", -0.6), rod])
    motor = model.add(DCMotor("motor"))
    model.connect(motor.flange_b, "hinge.axis")
    place = fb.FixedTransform("foot", (foot, 0, 0))
    _chain(model, base, [place, _hinge(rng, "pivot", 1.4), _link(rng, "rocker", rocker), _hinge(rng, "pin", -1.0)])
    model.connect("pin.frame_b", rod.frame_b)


def _slider_crank(model: fb.Model, base: fb.Block, rng: np.random.Generator) -> None:
    """A crank and a rod that push a slide."""
    crank, rod = rng.uniform(0.1, 0.2), rng.uniform(0.4, 0.6)
    _chain(model, base, [_hinge(rng, "hinge", 0.8), _link(rng, "crank", crank), _hinge(rng, "knee", -1.0)])
    _chain(model, "knee", [_link(rng, "rod", rod), _hinge(rng, "pin", 0.3)])
    slide = fb.Prismatic("slide", axis=(1, 0, 0), damping=rng.uniform(0, 5), start=rod)
    _chain(model, base, [slide, fb.RigidBody("piston", rng.uniform(0.5, 2), np.eye(3) * 1e-3, (0, 0, 0))])
    model.connect("pin.frame_b", "slide.frame_b")
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "hinge.axis")


def _parallelogram(model: fb.Model, base: fb.Block, rng: np.random.Generator) -> None:
    """A bar on three equal cranks, one more than hold it."""
    length, place = rng.uniform(0.2, 0.4), rng.uniform(0.2, 0.4)
    bar = model.add(fb.RigidLink("bar", 2 * place, rng.uniform(0.5, 2.0)))
    for i in range(3):
        foot, crank = fb.FixedTransform(f"foot{i}", (i * place, 0, 0)), fb.RigidLink(f"crank{i}", length, 0.4)
        _chain(model, base, [foot, _hinge(rng, f"hinge{i}", 0.9), crank, _hinge(rng, f"pin{i}", -0.9)])
        model.connect(f"pin{i}.frame_b", bar.frame_a if i == 0 else bar.station(i * place))
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "hinge0.axis")


def _crossed(model: fb.Model, base: fb.Block, rng: np.random.Generator) -> None:
    """A crank that swings a lever about a crossed axis, by a rod on a gimbal and a cross joint."""
    damping, shift = rng.uniform(0.0, 0.05, 2), rng.uniform(-0.03, 0.03, 3)
    ball = fb.Gimbal("ball", axes=((0, 0, 1), (0, 1, 0), (1, 0, 0)), damping=damping[0])
    cross = fb.Universal("cross", axes=((0, 1, 0), (0, 0, 1)), damping=damping[1])
    crank, rod, lever = (_body(rng, name, reach) for name, reach in (("crank", 0.1), ("rod", 0.4), ("lever", 0.2)))
    _chain(model, base, [fb.Revolute("hinge", start=0.5), crank, ball, rod])
    foot = fb.FixedTransform("foot", tuple(np.array([0.35, 0.1, -0.05]) + shift))
    _chain(model, base, [foot, fb.Revolute("pivot", axis=(0, 1, 0), start=-1.5), lever, cross])
    model.connect("rod.frame_b", "cross.frame_b")
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "hinge.axis")


def _open_chain(model: fb.Model, base: fb.Block, rng: np.random.Generator) -> None:
    """A tree: a beam on a cross joint that carries a body on a gimbal, both with friction in every hinge."""
    cross = fb.Universal("cross", axes=((0, 1, 0), (0, 0, 1)), damping=rng.uniform(0.01, 0.1), start=(0.2, 0.3))
    beam = fb.FlexibleBeam("beam", 0.6, 0.5, 20.0, bending="yz", discretization=fb.AssumedModes(1, tip="free"))
    ball = fb.Gimbal("ball", damping=rng.uniform(0.01, 0.1), start=tuple(rng.uniform(-0.5, 0.5, 3)))
    _chain(model, base, [cross, beam, ball, _body(rng, "body", 0.3)])
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "cross.axis1")


KINDS: tuple[Callable[[fb.Model, fb.Block, np.random.Generator], None], ...] = (
    _four_bar,
    _crossed,
    _slider_crank,
    _parallelogram,
    _open_chain,
)


def _chain(model: fb.Model, base: fb.Block | str, blocks: Sequence[fb.Block]) -> None:
    """Add blocks, each on the one before."""
    names = [base if isinstance(base, str) else base.name, *(model.add(block).name for block in blocks)]
    for inner, outer in pairwise(names):
        model.connect(f"{inner}.frame_b", f"{outer}.frame_a")


def _hinge(rng: np.random.Generator, name: str, start: float) -> fb.Revolute:
    return fb.Revolute(name, damping=float(rng.choice([0.0, rng.uniform(0.01, 0.3)])), start=start)


def _link(rng: np.random.Generator, name: str, length: float) -> fb.RigidLink:
    return fb.RigidLink(name, length, rng.uniform(0.2, 1.0))


def _body(rng: np.random.Generator, name: str, reach: float) -> fb.RigidBody:
    inertia = np.diag([2e-4, 8e-4, 8e-4]) * rng.uniform(0.5, 2.0)
    return fb.RigidBody(name, rng.uniform(0.2, 0.6), inertia, (reach / 2, 0.01, 0), reach=(reach, 0, 0))
