"""What a force element adds to the equations: upper bounds on instructions, and no change of the mass matrix."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb

AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
BODY = np.diag([0.1, 0.2, 0.3])


@cache
def bare(hinges: int) -> fb.DAE:
    return arm(hinges)


def arm(hinges: int, *elements: tuple[fb.ForceElement, str]) -> fb.DAE:
    """Return an arm in space, with elements between the ground (or another frame) and its payload."""
    model = fb.Model("arm", gravity=(0, 0, -9.81))
    place = model.add(fb.Ground("ground")).frame_b
    model.connect(place, model.add(fb.FixedTransform("post", rotation=(0.0, 0.7, 0.0))).frame_a)
    for i in range(hinges):
        hinge = model.add(fb.Revolute(f"hinge{i}", axis=AXES[i]))
        link = model.add(fb.RigidLink(f"link{i}", 1.0, 1.0, inertia=BODY))
        model.connect(place, hinge.frame_a)
        model.connect(hinge.frame_b, link.frame_a)
        place = link.frame_b
    load = model.add(fb.Payload("load", 1.0, BODY))
    model.connect(place, load.frame_a)
    for element, other in elements:
        model.add(element)
        model.connect(place, element.port("frame_a"))
        model.connect(other, element.port("frame_b"))
    return fb.assemble(model)


@pytest.mark.parametrize(
    ("hinges", "values", "most"),
    [
        (3, {}, 20),
        (3, {"damping": 1.0}, 34),
        (3, {"friction": 0.3}, 49),
        (3, {"damping": 1.0, "friction": 0.3}, 57),
        (3, {"damping": 1.0, "friction": 0.3, "radius": 0.1}, 77),
        (3, {"normal": (-1, 0, 0)}, 28),
        (3, {"normal": (-1, 0, 0), "damping": 1.0, "friction": 0.3}, 69),
        (3, {"normal": (0.48, 0.64, 0.6), "damping": 1.0}, 59),
        (6, {}, 39),
        (6, {"damping": 1.0, "friction": 0.3}, 103),
        (6, {"normal": (0.48, 0.64, 0.6)}, 62),
    ],
)
def test_a_contact_with_a_wall(hinges, values, most):
    wall = fb.Contact("wall", stiffness=1e4, transition=1e-4, **values)
    touching = arm(hinges, (wall, "ground.frame_b"))
    added = touching.forward_dynamics.n_instructions() - bare(hinges).forward_dynamics.n_instructions()
    assert 0 < added <= most
    assert touching.mass_matrix.n_instructions() == bare(hinges).mass_matrix.n_instructions()


def test_a_wall_on_a_turned_post_costs_what_one_costs_that_is_told_its_normal():
    """To rounding: its forces are the same, too."""
    told = fb.Contact("wall", 1e4, 1e-4, normal=(np.sin(0.7), 0.0, np.cos(0.7)), damping=1.0, friction=0.3)
    first = arm(3, (told, "ground.frame_b")).forward_dynamics
    second = arm(3, (fb.Contact("wall", 1e4, 1e-4, damping=1.0, friction=0.3), "post.frame_b")).forward_dynamics
    x = [0.3, 0.4, 0.2, 0.5, -0.6, 0.7]
    np.testing.assert_allclose(second(x, [], []).full(), first(x, [], []).full(), rtol=1e-12)
    assert second.n_instructions() <= first.n_instructions()


def test_a_line_between_neighbours_costs_the_way_between_them():
    """However far from the ground: the same number for the last two links of three and of six."""
    added = []
    for hinges in (3, 6):
        spring = fb.SpringDamper("spring", stiffness=10.0, damping=1.0, free_length=0.5)
        bare, sprung = arm(hinges), arm(hinges, (spring, f"link{hinges - 2}.frame_a"))
        added.append(sprung.forward_dynamics.n_instructions() - bare.forward_dynamics.n_instructions())
    assert max(added) <= 60
