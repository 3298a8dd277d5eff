"""Equal blocks: evaluated once, and still each a block of its own; costs that are linear in their number."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from flexblocks.constraints.singularities import singular_mass
from flexblocks.dynamics.at_posture import massless_coordinates
from flexblocks.dynamics.at_posture.mass_matrix import is_massless, mass_at_posture, weakest_motion
from flexblocks.dynamics.at_posture.massless_coordinates import massless_coordinate
from flexblocks.dynamics.evaluation import block_kinds
from flexblocks.errors import ModelWarning, SingularMassError

INERTIA = np.diag([0.02, 0.03, 0.04])


def links(count: int) -> list[fb.Block]:
    """Hinges about z, each with the same link of 0.3 m."""
    blocks: list[fb.Block] = []
    for i in range(count):
        link = fb.RigidBody(f"link{i}", 1.0, INERTIA, (0.1, 0.02, 0.0), (0.3, 0.0, 0.0))
        blocks += [fb.Revolute(f"hinge{i}"), link]
    return blocks


def hand() -> fb.Model:
    """Two equal fingers of two equal hinges on one palm; behind the wrist two equal hinges in series, with rotors."""
    model = fb.Model("hand", gravity=(0.0, -9.81, 0.0))
    ground = model.add(fb.Ground("ground"))
    place = ground.frame_b
    for name in ("inner", "outer"):
        rotor, joint = model.add(fb.Rotor(f"{name}_rotor", 0.2)), model.add(fb.Revolute(name))
        model.connect(rotor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        place = joint.frame_b
    palm = model.add(
        fb.FlexibleBeam("palm", 0.8, 2.0, 50.0, discretization=fb.AssumedModes(2, tip="free"), internal_forces=(0.2,))
    )
    model.connect(place, palm.frame_a)
    for side in ("left", "right"):
        place = palm.frame_b
        for i in range(2):
            joint = model.add(fb.Revolute(f"{side}_joint{i}", axis=(0, 1, 0)))
            bone = model.add(fb.RigidBody(f"{side}_bone{i}", 0.3, INERTIA / 10, (0.1, 0.0, 0.02), (0.2, 0, 0)))
            model.connect(place, joint.frame_a)
            model.connect(joint.frame_b, bone.frame_a)
            place = bone.frame_b
    return model


def evaluations(monkeypatch: pytest.MonkeyPatch, model: fb.Model) -> int:
    """Return how often physics of blocks is evaluated as a model is assembled."""
    count, evaluate = 0, block_kinds.block_terms

    def counted(*arguments: Any) -> Any:
        nonlocal count
        count += 1
        return evaluate(*arguments)

    monkeypatch.setattr(block_kinds, "block_terms", counted)
    fb.assemble(model)
    monkeypatch.undo()
    return count


@pytest.mark.parametrize("count", [2, 40])
def test_each_kind_is_evaluated_once(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """The ground, a hinge, a link that carries another and the last one; 2 N + 1 evaluations before."""
    assert evaluations(monkeypatch, chain(*links(count))) == 4


def test_what_differs_is_evaluated_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [
        fb.Revolute("a"),
        fb.FlexibleBeam("b", 1.0, 1.0, 10.0, discretization=fb.AssumedModes(1, tip="auto")),
        fb.Revolute("c"),
        # The same, but it carries less, so that its modes are others.
        fb.FlexibleBeam("d", 1.0, 1.0, 10.0, discretization=fb.AssumedModes(1, tip="auto")),
        fb.Payload("e", 1.0),
    ]
    assert evaluations(monkeypatch, chain(*blocks)) == 5


def test_as_if_each_block_was_evaluated_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Motion, outputs and numbers of operations, with equal hinges in series and on one frame."""
    shared = fb.assemble(hand(), symbolic=("left_bone1.mass",))
    monkeypatch.setattr(block_kinds, "_kind", id)
    alone = fb.assemble(hand(), symbolic=("left_bone1.mass",))
    assert len({body.terms for body in shared.tree.bodies}) < len({body.terms for body in alone.tree.bodies})
    rng = np.random.default_rng(5)
    x, a, p = 0.3 * rng.normal(size=len(shared.x)), rng.normal(size=shared.tree.size), [0.3]
    q, v = np.split(x, 2)
    np.testing.assert_array_equal(shared.forward_dynamics(x, [], p), alone.forward_dynamics(x, [], p))
    np.testing.assert_array_equal(shared.inverse_dynamics(q, v, a, p), alone.inverse_dynamics(q, v, a, p))
    np.testing.assert_array_equal(shared.output(x, [], p), alone.output(x, [], p))
    assert shared.y.names == alone.y.names
    assert shared.forward_dynamics.n_instructions() <= alone.forward_dynamics.n_instructions()


def test_equal_hinges_in_series_turn_by_the_sum_of_their_angles() -> None:
    """Without gravity: J_1 a_1 + I (a_1 + a_2) = tau_1 and J_2 a_2 + I (a_1 + a_2) = tau_2; the tip by the sum."""
    model = fb.Model("two hinges")
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        motor, rotor = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Rotor(f"rotor{i}", 0.3))
        joint = model.add(fb.Revolute(f"joint{i}"))
        model.connect(motor.flange_b, rotor.flange_a)
        model.connect(rotor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        place = joint.frame_b
    body = model.add(fb.RigidBody("body", 2.0, np.diag([0.3, 0.3, 0.5]), (0.25, 0, 0), (0.4, 0, 0)))
    model.connect(place, body.frame_a)
    dae = fb.assemble(model)
    angles = [dae.x.index(name) for name in dae.q_names]
    x = np.zeros(4)
    x[angles] = 0.4, 0.9
    inertia = 0.5 + 2.0 * 0.25**2
    M = np.diag([0.3, 0.3]) + inertia
    a = dae.forward_dynamics(x, [1.0, -2.0], []).full().ravel()[2:]
    np.testing.assert_allclose(a, np.linalg.solve(M, [1.0, -2.0]), rtol=1e-12)
    y = dict(zip(dae.y.names, dae.output(x, [0, 0], []).full().ravel(), strict=True))
    np.testing.assert_allclose([y["body.x"], y["body.y"]], 0.4 * np.array([np.cos(1.3), np.sin(1.3)]), rtol=1e-12)


def test_equal_blocks_keep_their_names() -> None:
    blocks = [block for i in range(2) for block in (fb.Revolute(f"j{i}"), fb.FlexibleBeam(f"b{i}", 1.0, 1.0, 9.0))]
    with pytest.warns(ModelWarning) as caught:
        dae = fb.assemble(chain(*blocks))
    assert [any(f"'b{i}'" in str(one.message) for one in caught) for i in range(2)] == [True, True]
    assert [body.block.name for body in dae.tree.bodies] == [body.name for body in dae.tree.bodies]


# --- coordinates without mass ---

WRIST = (fb.Revolute("wrist", axis=(1, 0, 0)), fb.LumpedMass("mass", 0.5))
SLIDES = (fb.Prismatic("near", axis=(1, 0, 0)), fb.Prismatic("far", axis=(1, 0, 0)), fb.LumpedMass("mass", 0.5))
GIMBAL = tuple(fb.Revolute(f"g{i}", axis=axis) for i, axis in enumerate(((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1))))


@pytest.mark.parametrize(
    ("more", "singular"),
    [((), False), (WRIST, True), (SLIDES, True), ((*GIMBAL[:3], fb.RigidBody("tool", 1.0, INERTIA)), False),
     ((*GIMBAL, fb.RigidBody("tool", 1.0, INERTIA)), True)],
    ids=["none", "wrist", "slides", "three hinges at a point", "four hinges at a point"],
)  # fmt: skip
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_pivots_find_what_eigenvalues_find(
    monkeypatch: pytest.MonkeyPatch, more: tuple[fb.Block, ...], singular: bool, scale: float
) -> None:
    """Coordinates that move no mass, by elimination and by the null space of M, at sizes from a millimetre on."""
    monkeypatch.setattr(sys.modules["flexblocks.assemble"], "refuse_singular_mass", lambda dae: None)
    blocks = [*links(5), *more]
    for i, block in enumerate(blocks):
        if isinstance(block, fb.RigidBody):
            center, reach = (tuple(scale * np.array(v)) for v in (block.center, block.reach))
            size = {"mass": block.mass * scale**3, "inertia": np.array(block.inertia) * scale**5}
            blocks[i] = fb.RigidBody(block.name, size["mass"], size["inertia"], center, reach)
    dae = fb.assemble(chain(*blocks))
    q = np.random.default_rng(1).uniform(-1, 1, dae.tree.size)
    value, _ = weakest_motion(mass_at_posture(dae.tree, q, np.zeros(0)))
    assert is_massless(value, dae.tree.size) == singular
    worst = massless_coordinate(dae.tree, q, np.zeros(0))
    assert (worst is not None) == singular
    if worst is not None:
        assert worst >= 5  # none of the links' hinges


def test_a_coordinate_without_mass_in_a_large_arm_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(singular_mass, "LARGE", 10)
    with pytest.raises(SingularMassError, match=r"coordinate 'wrist.angle' moves no mass"):
        fb.assemble(chain(*links(12), *WRIST))
    with pytest.raises(SingularMassError, match=r"coordinates '(near|far).displacement', '(near|far).displacement'"):
        fb.assemble(chain(*links(12), *SLIDES))


# --- cost ---


def calls(work: Callable[[], object]) -> int:
    """Return the number of Python and C functions that are called."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_assembling_is_linear_in_the_number_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(singular_mass, "LARGE", 10)
    models = [chain(*links(count)) for count in (30, 60)]
    first, second = (calls(partial(fb.assemble, model)) for model in models)
    assert second < 2.1 * first


def test_rotors_in_series_are_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that turn nothing in the tree of frames are not eliminated from one dense form of all."""
    sizes, eliminated = [], massless_coordinates._eliminated
    monkeypatch.setattr(singular_mass, "LARGE", 10)
    monkeypatch.setattr(
        massless_coordinates, "_eliminated", lambda form, j: sizes.append(len(form.K)) or eliminated(form, j)
    )
    model = chain(*links(1))
    place = model.add(fb.Fixed("wall")).flange_b
    for i in range(20):
        spring, rotor = model.add(fb.TorsionalSpring(f"spring{i}", 3.0)), model.add(fb.Rotor(f"rotor{i}", 0.1))
        model.connect(place, spring.flange_a)
        model.connect(spring.flange_b, rotor.flange_a)
        place = rotor.flange_b
    assert fb.assemble(model).tree.size == len(sizes) == 21
    assert max(sizes) == 7


@pytest.mark.slow
def test_thousands_of_blocks_are_assembled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of them hinges: the eigenvalues of their M would take longer than all else."""
    assert evaluations(monkeypatch, chain(*links(1_500))) == 4
