"""Recursive forward dynamics against the closed form and against inverse dynamics, and what it costs."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models
from flexblocks.dae.operation_counts import operation_counts

STATES = 200


def chain(links: int, axes: tuple = ((0, 0, 1),), bending: str = "y", mass: float = 0.1) -> fb.Model:
    """A chain of flexible links with torque inputs, gravity and lumped masses at their ends."""
    model = fb.Model("chain", gravity=(1.0, -9.0, 2.0) if len(axes) > 1 else (0.0, -9.81, 0.0))
    hang(model, model.add(fb.Ground("ground")).frame_b, links, axes, bending, mass)
    return model


def hang(model: fb.Model, end, links: int, axes: tuple, bending: str, mass: float, prefix: str = "") -> None:
    for i in range(links):
        motor = model.add(fb.TorqueSource(f"{prefix}motor{i}"))
        joint = model.add(fb.Revolute(f"{prefix}joint{i}", axis=axes[i % len(axes)]))
        link = model.add(
            fb.FlexibleBeam(
                f"{prefix}link{i}",
                length=0.5,
                linear_density=0.2,
                flexural_rigidity=1.0,
                bending=bending,
                discretization=fb.AssumedModes(2, tip="free"),
            )
        )
        inertia = 0.0 if bending == "y" else np.diag([1e-3, 2e-3, 2.5e-3])
        lump = (
            fb.LumpedMass(f"{prefix}mass{i}", mass) if bending == "y" else fb.Payload(f"{prefix}mass{i}", mass, inertia)
        )
        model.add(lump)
        model.connect(motor.flange_b, joint.axis)
        model.connect(end, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        model.connect(link.frame_b, lump.frame_a)
        end = link.frame_b


def branched() -> fb.Model:
    """A spatial tree: two arms on the stations and the tip of a flexible trunk, one with an elastic joint, geared."""
    model = chain(2, axes=((0, 0, 1), (0, 1, 0)), bending="yz")
    trunk = model["link1"]
    hang(model, trunk.station(0.2), 2, ((1, 0, 0), (0, 0, 1)), "yz", 0.05, "left_")
    hang(model, trunk.station(0.35), 1, ((0, 0.6, 0.8),), "y", 0.05, "right_")
    rotor = model.add(fb.Rotor("rotor", inertia=1e-3, gear_ratio=20.0))
    gear = model.add(fb.Gear("gear", ratio=3.0))
    model.connect(rotor.flange_b, gear.flange_a)
    model.connect(gear.flange_b, model["left_joint0"].axis)
    model.connect(rotor.frame_a, model["link0"].frame_b)
    shoulder = model.add(fb.FlexibleJoint("shoulder", inertia=1e-3, stiffness=50.0, axis=(1, 2, 2)))
    hand = model.add(fb.Payload("hand", mass=0.2, inertia=np.diag([1e-3, 1e-3, 2e-3]), center=(0.05, 0.01, 0.02)))
    model.connect(trunk.frame_b, shoulder.frame_a)
    model.connect(shoulder.frame_b, hand.frame_a)
    return model


ARMS = {
    "planar 1": chain(1),
    "planar 2": chain(2),
    "planar 8": chain(8),
    "planar 20": chain(20),
    "spatial 3": chain(3, axes=((0, 0, 1), (0, 1, 0), (1, 2, 2)), bending="yz"),
    "spatial 10": chain(10, axes=((0, 0, 1), (0, 1, 0)), bending="yz"),
    "branched": branched(),
    "elastic joints": models.subudhi_morris_2002(links=4),
    "rotors on their mounts": models.subudhi_morris_2002(links=4, rotor_mount="carried"),
    "rigid joints, rotors on their mounts": models.subudhi_morris_2002(links=3, rotor_mount="carried", joints="rigid"),
}
LONG = ("planar 20", "spatial 10")  # seconds, and nothing that the shorter ones do not show


def random_states(dae: fb.DAE) -> tuple[np.ndarray, np.ndarray]:
    """Return x (nx, STATES) and u (nu, STATES), bending as large as it gets in use: 5 cm on half a metre."""
    n, rng = dae.tree.size, np.random.default_rng(7)
    scale = np.array([0.05 if "bending" in name else 1.0 for name in dae.q_names])
    x = np.vstack([0.5 * scale[:, None] * rng.normal(size=(n, STATES)), rng.normal(size=(n, STATES))])
    return x, rng.normal(size=(len(dae.u), STATES))


def mapped(function: ca.Function, *arguments: np.ndarray) -> np.ndarray:
    return np.array(function.map(STATES)(*arguments, ca.DM(0, STATES)))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in ("planar 20", "spatial 10") else name for name in ARMS],
)
def test_recursive_closed_form_and_inverse_dynamics_agree(name: str) -> None:
    recursive, closed = (fb.assemble(ARMS[name], dynamics=how) for how in ("recursive", "closed-form"))
    n, (x, u) = recursive.tree.size, random_states(recursive)
    a, b = (mapped(dae.forward_dynamics, x, u)[n:] for dae in (recursive, closed))
    needed, given = mapped(recursive.inverse_dynamics, x[:n], x[n:], a), mapped(recursive.input_force, x, u)
    velocity_forces = mapped(recursive.inverse_dynamics, x[:n], x[n:], 0 * a)
    M = mapped(recursive.mass_matrix, x[:n]).reshape(n, STATES, n)
    # What cancels in M a + h - Q: the size against which a difference counts.
    summed = np.einsum("ikj,jk->ik", np.abs(M), np.abs(a)) + np.abs(velocity_forces)
    assert (np.abs(needed - given).max(axis=0) / summed.max(axis=0)).max() < 1e-10
    apart = np.abs(a - b).max(axis=0) / np.abs(b).max(axis=0)
    for k in np.flatnonzero(apart > 1e-10):
        # The mass matrix of a long light chain has a condition number of 1e8 and more. There the two may be apart by
        # what a solution with LAPACK is off; the truth is that solution refined in extended precision.
        right = given[:, k] - velocity_forces[:, k]
        lapack = np.linalg.solve(M[:, k], right)
        truth = lapack.astype(np.longdouble)
        for _ in range(5):
            truth += np.linalg.solve(M[:, k], (right - M[:, k].astype(np.longdouble) @ truth).astype(float))
        off = [float(np.abs(solution - truth).max() / np.abs(truth).max()) for solution in (a[:, k], b[:, k], lapack)]
        assert np.linalg.cond(M[:, k]) > 1e7
        assert max(off[:2]) < 10 * max(off[2], 1e-10)


def operations(model: fb.Model) -> int:
    return operation_counts(fb.assemble(model).forward_dynamics)["total"]


@pytest.mark.parametrize("links", [2, 5, 20])
def test_cost_is_linear_in_the_number_of_links(links: int) -> None:
    """An upper bound that grows by the same number with each link, however many there are."""
    assert operations(chain(links)) <= 186 * links - 124


@pytest.mark.parametrize("links", [2, 3, 8])
def test_instructions_of_the_chain_of_the_benchmark(links: int) -> None:
    """Loads of inputs and constants and stores of results included: 200 a link."""
    arm = fb.assemble(models.yu_chen_2019(links=links, shapes="clamped-free"))
    assert arm.forward_dynamics.n_instructions() <= 200 * links - 64


# Of a link more, and of one and two links: with two assumed modes 75 and 248 planar, 181 and 1070 in space.
STRAINS = {
    "planar": (401, (267, 668), "y", ((0, 0, 1),)),
    "in space": (3462, (2169, 5631), "yz", ((0, 0, 1), (0, 1, 0))),
}


@pytest.mark.parametrize("case", STRAINS)
def test_cost_of_a_link_that_bends_far(case: str) -> None:
    """With two strain functions."""
    bound, most, bending, axes = STRAINS[case]
    arms = [chain(links, axes, bending) for links in (1, 2)]
    bent_far = [operations(fb.rediscretize(arm, fb.StrainModes(2))) for arm in arms]
    assert bent_far[1] - bent_far[0] <= bound
    assert bent_far[0] <= most[0]
    assert bent_far[1] <= most[1]


@pytest.mark.parametrize("links", [2, 3, 4, 9])
def test_cost_with_rotors_and_joint_springs_is_linear(links: int) -> None:
    assert operations(models.subudhi_morris_2002(links=links)) <= 202 * links - 140


def test_dynamics_is_one_of_two() -> None:
    with pytest.raises(fb.errors.ParameterError, match="'recursive' or 'closed-form'"):
        fb.assemble(chain(1), dynamics="fast")


def test_small_inertia_beside_a_large_mass_is_not_rounding() -> None:
    """A heavy hub that turns about its centre: its inertia is 1e-14 of its mass, and all that the wrist moves."""
    model = chain(1)
    motor, wrist = model.add(fb.TorqueSource("motor")), model.add(fb.Revolute("wrist"))
    hub = model.add(fb.Payload("hub", mass=1e4, inertia=1e-10))
    model.connect(motor.flange_b, wrist.axis)
    model.connect(model["link0"].frame_b, wrist.frame_a)
    model.connect(wrist.frame_b, hub.frame_a)
    recursive, closed = (fb.assemble(model, dynamics=how) for how in ("recursive", "closed-form"))
    x, u = np.full(len(closed.x), 0.01), np.array([0.3, 1e-10])
    a, b = (dae.forward_dynamics(x, u, []).full().ravel() for dae in (recursive, closed))
    np.testing.assert_allclose(a, b, rtol=1e-6)
