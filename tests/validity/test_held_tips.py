"""Beams whose tips loops hold, of assumed modes at an angle, of one curvature at a deflection: reported, no others."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.beam.discretization import Discretization
from flexblocks.errors import ModelWarning
from flexblocks.validity.held_tips import remarks_on_held_tips

MODES = fb.AssumedModes(3, tip="free")
RIGIDITY, DENSITY = 400.0, 2.0  # EI [N m2], rho A [kg/m]


def held(discretization: Discretization, *axes: tuple[float, float, float], bending: str = "y") -> fb.DAE:
    """A beam of 1 m, clamped at its root, whose tip is held by hinges about these axes, one after another."""
    model = fb.Model("held", gravity=(0.0, -9.81, 0.0))
    ground, end = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("end", (1.0, 0.0, 0.0)))
    more = {"axial": True, "axial_rigidity": 1e6} if not isinstance(discretization, fb.AssumedModes) else {}
    beam = model.add(
        fb.FlexibleBeam("beam", 1.0, DENSITY, RIGIDITY, discretization=discretization, bending=bending, **more)
    )
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(ground.frame_b, end.frame_a)
    for i, axis in enumerate(axes):
        pin = model.add(fb.Revolute(f"pin{i}", axis=axis))
        model.connect(end.frame_b, pin.frame_a)
        end = pin
    model.connect(end.frame_b, beam.frame_b)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return fb.assemble(model)


@pytest.mark.parametrize("count", [3, 5, 8])
def test_deflections_of_a_tip_that_is_held_are_off_by_as_much_as_is_told(count: int) -> None:
    dae = held(fb.AssumedModes(count, tip="free"), bending="y")
    (remark,) = remarks_on_held_tips(dae)
    assert f"off by a share of 1/{count} and more" in remark
    middle = "beam.station(0.5).y"
    sag = fb.equilibrium(dae.with_outputs((middle,)))[middle] / (-9.81 * DENSITY / 384 / RIGIDITY)
    assert 1 / count < 1 - sag < 2 / count


@pytest.mark.parametrize(
    ("axes", "bending", "is_told"),
    [
        ([(0, 0, 1)], "y", False),  # a pin takes the moment up
        ([(0, 1, 0)], "y", True),  # about another axis
        ([(0, 0, 1)], "yz", True),  # bending along z is held
        ([(0, 0, 1), (0, 1, 0)], "yz", False),
        ([(0, 0, 1), (1, 0, 0)], "yz", True),
    ],
)
def test_hinges_between_the_tip_and_the_cut_take_moments_up(
    axes: list[tuple[float, float, float]], bending: str, is_told: bool
) -> None:
    assert bool(list(remarks_on_held_tips(held(fb.AssumedModes(4, tip="free"), *axes, bending=bending)))) == is_told


@pytest.mark.parametrize("discretization", [fb.FiniteElements(3), fb.StrainModes(4)], ids=repr)
def test_other_discretizations_hold_moments_at_the_tip(discretization: Discretization) -> None:
    assert not list(remarks_on_held_tips(held(discretization)))


def test_it_is_told_when_the_arm_is_assembled() -> None:
    model = held(MODES).model
    with pytest.warns(ModelWarning, match="FlexibleBeam 'beam': .* which a loop holds at an angle"):
        fb.assemble(model)


def test_a_loop_that_begins_at_a_station_holds_no_tip() -> None:
    """And a coupler between two pins, as in a four-bar, is held nowhere."""
    model = fb.Model("propped", gravity=(0.0, -9.81, 0.0))
    ground, foot = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("foot", (0.5, -0.5, 0.0)))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, DENSITY, RIGIDITY, discretization=MODES, bending="y"))
    low, high = model.add(fb.Revolute("low", start=1.57)), model.add(fb.Revolute("high"))
    prop = model.add(fb.FlexibleBeam("prop", 0.5, DENSITY, RIGIDITY, discretization=MODES, bending="y"))
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(ground.frame_b, foot.frame_a)
    model.connect(foot.frame_b, low.frame_a)
    model.connect(low.frame_b, prop.frame_a)
    model.connect(prop.frame_b, high.frame_a)
    model.connect(high.frame_b, beam.station(0.5))
    assert not list(remarks_on_held_tips(fb.assemble(model)))


@cache
def four_bars(discretization: Discretization, bending: str) -> fb.DAE:
    """A four-bar mechanism in the xy plane, of three beams, whose crank is held; its hinges are about z."""
    model = fb.Model("four bars")
    ground, end = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("end", (0.24, 0.0, 0.0)))
    bars = [
        model.add(
            fb.FlexibleBeam(
                f"bar{i}", length, linear_density=2.0, flexural_rigidity=1e3, discretization=discretization,
                bending=bending, torsion=True, torsional_rigidity=8e2, polar_inertia=1e-4,
            )
        )
        for i, length in enumerate((0.12, 0.24, 0.12), 1)
    ]  # fmt: skip
    starts = (np.pi / 2, -np.pi / 2, np.pi / 2, np.pi / 2)
    hinges = [model.add(fb.Revolute(f"hinge{i}", start=start)) for i, start in enumerate(starts, 1)]
    for first, second in (
        (ground.frame_b, hinges[0].frame_a), (hinges[0].frame_b, bars[0].frame_a),
        (bars[0].frame_b, hinges[1].frame_a), (hinges[1].frame_b, bars[1].frame_a), (ground.frame_b, end.frame_a),
        (end.frame_b, hinges[2].frame_a), (hinges[2].frame_b, bars[2].frame_a), (bars[1].frame_b, hinges[3].frame_a),
        (hinges[3].frame_b, bars[2].frame_b),
    ):  # fmt: skip
        model.connect(first, second)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fb.assemble(model, locked={"hinge1.angle": np.pi / 2})


def test_beams_of_one_curvature_that_loops_hold_across_are_told() -> None:
    remarks = list(remarks_on_held_tips(four_bars(fb.StrainModes(1), "yz")))
    assert len(remarks) == 3
    assert all("one curvature along z" in remark and "StrainModes(n=2)" in remark for remark in remarks)


@pytest.mark.slow
def test_beams_of_one_curvature_lock_in_loops_that_hold_them_across() -> None:
    daes = [four_bars(kind, "yz") for kind in (fb.StrainModes(1), fb.StrainModes(2), fb.FiniteElements(2))]
    one, two, elements = [fb.linearize(dae).modes()[0].frequency for dae in daes]
    assert one > 1.1 * elements
    assert two == pytest.approx(elements, rel=0.02)
    assert not list(remarks_on_held_tips(daes[1]))


def test_loops_whose_hinges_take_deflections_up_do_not_lock_beams() -> None:
    """In the plane of a four-bar mechanism nothing is held: there one curvature is as good as in an open arm."""
    assert not list(remarks_on_held_tips(four_bars(fb.StrainModes(1), "y")))
