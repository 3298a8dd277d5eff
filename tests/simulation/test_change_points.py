"""Change points of loops: runs that pass one say so, whichever way they go on; those that pass beside one do not."""

from __future__ import annotations

import re
import warnings
from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad

import flexblocks as fb
from flexblocks.constraints.singularities.change_points import CHUNK, change_points


@cache
def four_bar(crank: float, coupler: float, follower: float, base: float, size: float = 1.0) -> fb.DAE:
    """A four-bar linkage that falls from rest; lengths go with the size, masses with its cube."""
    model = fb.Model("four-bar", gravity=(0.0, -9.81, 0.0))
    ground, place = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("place", (base * size, 0.0, 0.0)))
    hinges = {name: model.add(fb.Revolute(name, start=at)) for name, at in (("left", 0.5), ("a", 0.0), ("b", 0.0))}
    hinges["right"] = model.add(fb.Revolute("right", start=2.0))
    lengths = {"crank": crank, "coupler": coupler, "follower": follower}
    links = {name: model.add(fb.RigidLink(name, each * size, size**3)) for name, each in lengths.items()}
    model.connect(ground.frame_b, place.frame_a)
    model.connect(ground.frame_b, hinges["left"].frame_a)
    model.connect(hinges["left"].frame_b, links["crank"].frame_a)
    model.connect(links["crank"].frame_b, hinges["a"].frame_a)
    model.connect(hinges["a"].frame_b, links["coupler"].frame_a)
    model.connect(place.frame_b, hinges["right"].frame_a)
    model.connect(hinges["right"].frame_b, links["follower"].frame_a)
    model.connect(links["follower"].frame_b, hinges["b"].frame_a)
    model.connect(hinges["b"].frame_b, links["coupler"].frame_b)
    return fb.assemble(model)


PASSES = {"unequal": (0.15, 0.35, 0.3, 0.5), "stretched": (0.3, 0.1, 0.3, 0.5), "parallelogram": (0.2, 0.3, 0.2, 0.3)}
BESIDE = {"nearly a parallelogram": (0.2, 0.301, 0.3, 0.2), "crank and rocker": (0.1, 0.35, 0.3, 0.3)}


@pytest.mark.filterwarnings("ignore:.*start values moved far")
@pytest.mark.parametrize(
    ("lengths", "size", "options"),
    [*zip(PASSES.values(), (0.02, 20.0, 1.0), ({}, {"rtol": 1e-10, "atol": 1e-12}, {"method": "radau"}), strict=True)],
    ids=str,
)
def test_runs_that_pass_a_change_point_say_so(lengths: tuple[float, ...], size: float, options: dict) -> None:
    """At any tolerance: it arrives where all links are in line, and continues one way or another."""
    dae = four_bar(*lengths, size=size)
    with pytest.warns(fb.FlexblocksWarning, match="its loops pass a change point at about t = "):
        run = fb.simulate(dae, (0.0, 0.6 * np.sqrt(size)), **options)
    n = dae.tree.size
    first = run.t[change_points(dae, run.x[:, :n], np.zeros(0))[0]]
    # Joint angles of links in line are multiples of half a turn.
    at = run.x[np.searchsorted(run.t, first) - 2 : np.searchsorted(run.t, first) + 2, :n]
    assert np.abs(np.sin(at)).max(axis=1).min() < 0.05


@pytest.mark.filterwarnings("ignore:.*start values moved far")
@pytest.mark.parametrize(("lengths", "size"), zip(BESIDE.values(), (0.02, 20.0), strict=True), ids=BESIDE)
def test_runs_beside_one_do_not(lengths: tuple[float, ...], size: float) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*change point")
        fb.simulate(four_bar(*lengths, size=size), (0.0, 0.6 * np.sqrt(size)))


@pytest.mark.filterwarnings("ignore:.*(change point|start values moved far)")
def test_long_runs_are_looked_at_in_parts() -> None:
    """A flip between the last sample of one part and the first of the next is seen, too."""
    dae = four_bar(*PASSES["parallelogram"])
    run = fb.simulate(dae, np.linspace(0.0, 0.6, 201), rtol=1e-12, atol=1e-14)
    q = run.x[:, : dae.tree.size]
    passed = change_points(dae, q, np.zeros(0))
    at = int(passed[0])
    for shift in (-1, 0, 1):
        still = np.repeat(q[:1], CHUNK - at + shift, axis=0)
        found = change_points(dae, np.vstack([still, q]), np.zeros(0))
        np.testing.assert_array_equal(found, len(still) + passed)


@pytest.mark.filterwarnings("ignore:.*(start values moved far|open on the way)")
def test_runs_of_a_batch_say_so_together() -> None:
    dae = four_bar(*PASSES["parallelogram"])
    with pytest.warns(fb.FlexblocksWarning, match=r"run 0, 1: its loops pass a change point at about t = "):
        fb.simulate_batch(dae, (0.0, 0.6), x0={"left.angle": [0.5, 0.6]})


def n_four_bar(count: int, gravity: float = 9.81, size: float = 1.0) -> fb.Model:
    """As many parallelograms in a row, on links of equal lengths (IFToMM benchmark A02); upright at the start."""
    model = fb.Model("n-four-bar", gravity=(0.0, -gravity, 0.0))
    ground = model.add(fb.Ground("ground"))
    for i in range(count + 1):
        foot, hinge = (
            model.add(fb.FixedTransform(f"foot{i}", (i * size, 0.0, 0.0))),
            fb.Revolute(f"a{i}", start=np.pi / 2),
        )
        model.add(hinge)
        model.connect(ground.frame_b, foot.frame_a)
        model.connect(foot.frame_b, hinge.frame_a)
        model.connect(hinge.frame_b, model.add(fb.RigidLink(f"rod{i}", size, 1.0)).frame_a)
    for i in range(count):
        left, right = (model.add(fb.Revolute(f"{name}{i}", start=-np.pi / 2)) for name in ("p", "q"))
        bar = model.add(fb.RigidLink(f"bar{i}", size, 1.0))
        model.connect(f"rod{i}.frame_b", left.frame_a)
        model.connect(left.frame_b, bar.frame_a)
        model.connect(f"rod{i + 1}.frame_b", right.frame_a)
        model.connect(right.frame_b, bar.frame_b)
    return model


def _in_line(gravity: float, count: int) -> float:
    """Return when its rods come to lie in line, from upright at -1 rad/s: all are parallel until then."""
    inertia, weight = (count + 1) / 3 + count, gravity * ((count + 1) / 2 + count)
    speed = lambda angle: np.sqrt(1 + 2 * weight / inertia * (1 - np.sin(angle)))  # noqa: E731
    return quad(lambda angle: 1 / speed(angle), 0.0, np.pi / 2)[0]


@pytest.mark.parametrize(
    ("count", "method", "gravity"),
    [
        (1, "bdf", 9.81),
        (2, "auto", 9.81),
        *(pytest.param(*other, marks=pytest.mark.slow) for other in ((2, "radau", 0.0), (5, "adams", 9.81))),
    ],
)
def test_links_in_line_are_never_passed_in_silence(count: int, method: str, gravity: float) -> None:
    """With four samples, too: the time and the joints in line are named, whichever way they go on."""
    dae = fb.assemble(n_four_bar(count, gravity))
    reached = _in_line(gravity, count)
    with pytest.warns(fb.FlexblocksWarning, match="its loops pass a change point at about t = ") as told:
        fb.simulate(dae, np.linspace(0.0, 1.3 * reached, 4), x0={"der(a0.angle)": -1.0}, method=method, time_limit=60)
    text = next(str(each.message) for each in told if "change point" in str(each.message))
    assert float(text.partition("t = ")[2].split()[0].rstrip(",")) == pytest.approx(reached, abs=0.01 * reached)
    assert "where a0.angle" in text


def test_a_run_that_does_not_get_past_one_names_it() -> None:
    """As of Runge-Kutta steps, at a tolerance that rounding does not allow there: they are not tried for ever.

    Rounding decides whether they end there, or go on in another of the motions.
    """
    dae = fb.assemble(n_four_bar(1, 0.0))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            fb.simulate(dae, (0.0, 2.0), x0={"der(a0.angle)": -1.0}, method="rk8")
            words = [str(each.message) for each in told]
        except fb.SimulationError as error:
            words = [str(error)]
    assert any(re.search(r"a change point,? at about t = 1\.57\d* s, where a0.angle", each) for each in words)
