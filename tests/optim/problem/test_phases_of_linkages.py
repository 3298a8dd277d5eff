"""Phases of linkages: loads picked up in motion, lengths that change, design parameters."""

import math
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.driven import driven_links
from arms.slider_crank import CRANK, ROD, slider_crank
from flexblocks import optim

RATES = ("joint.angle", "pin.angle", "wrist.angle", "slide.displacement")


def motion_of_crank(angle: float) -> np.ndarray:
    """Rates of all coordinates per rate of the crank, by the geometry of the loop."""
    rod_angle = -math.asin(CRANK / ROD * math.sin(angle))
    turning = -CRANK * math.cos(angle) / (ROD * math.cos(rod_angle))
    sliding = -CRANK * math.sin(angle) - ROD * math.sin(rod_angle) * turning
    return np.array([1.0, turning - 1.0, -turning, sliding])


@cache
def two_links(symbolic: str) -> fb.DAE:
    links = [fb.RigidLink(f"link{i}", 0.5, 0.5) for i in (1, 2)]
    model = driven_links(*links, load=fb.Payload("load", 0.2, 1e-3), gravity=0.0).model
    return fb.assemble(model, symbolic=(symbolic,))


def test_an_impact_leaves_loops_closed():
    """A load on the piston: of the one motion that the loop allows the momentum stays, by its effective inertia."""
    dae = fb.assemble(slider_crank(), symbolic=("piston.mass",))
    fast = {"joint.angle": 1.5, "der(joint.angle)": 3.0}
    phases = (
        optim.Phase("swing", None, 0.5, p={"piston.mass": 0.4}, passing=fast),
        optim.Phase("carry", {"joint.angle": 2.6}, 0.5, p={"piston.mass": 1.6}, pick_up="impact"),
    )
    plan = optim.plan(dae, optim.Problem({"joint.angle": 0.5}, phases), intervals=30)
    assert plan.status == "converged"
    after = np.array([plan.pyomo_model.phase["carry"].v[0, name].value for name in RATES])
    q = np.array([plan.pyomo_model.phase["carry"].q[0, name].value for name in RATES])
    way = motion_of_crank(q[0])
    inertias = [way @ dae.mass_matrix(q, [mass]).full() @ way for mass in (0.4, 1.6)]
    np.testing.assert_allclose(after, way * 3.0 * inertias[0] / inertias[1], rtol=1e-6, atol=1e-8)
    assert plan.replay().tip_miss < 1e-6


def test_lengths_that_open_a_loop_are_refused():
    dae = fb.assemble(slider_crank(), symbolic=("crank.length",))
    phases = (
        optim.Phase("there", {"joint.angle": 2.8}, 0.5, p={"crank.length": 0.05}),
        optim.Phase("back", {"joint.angle": 0.5}, 0.5, p={"crank.length": 0.06}, input_jump=True),
    )
    says = r"phase 'back': p: crank\.length from 0\.05 to 0\.06, .* closed in the phase 'there', are open: 0\.01 m"
    with pytest.raises(optim.ProblemError, match=says):
        optim.plan(dae, optim.Problem({"joint.angle": 0.5}, phases), intervals=5)


def test_a_phase_arrives_with_its_own_lengths():
    """A tool that is 0.1 m longer in the next phase: the first one does not miss its place by that."""
    dae = two_links("link2.length")
    there, back = {"joint1.angle": 0.5, "joint2.angle": 0.3}, {"joint1.angle": 1.2, "joint2.angle": 0.0}
    phases = (
        optim.Phase("fetch", there, 1.0, p={"link2.length": 0.4}),
        optim.Phase("work", back, 1.0, p={"link2.length": 0.5}),
    )
    plan = optim.plan(dae, optim.Problem({"joint1.angle": 0.0, "joint2.angle": 0.3}, phases), intervals=20)
    assert all(arrival.misses["load"] < 1e-4 for arrival in plan.replay().arrivals)


def test_a_design_at_the_end_of_its_range_is_kept():
    """The least effort has no load: the solver's bounds are 1e-8 wide, and a mass below 0 was refused."""
    dae = two_links("load.mass")
    start, goal = {"joint1.angle": 0.0, "joint2.angle": 0.3}, {"joint1.angle": 1.0, "joint2.angle": 0.0}
    problem = optim.Problem(start, (optim.Phase("move", goal, 1.0),), design={"load.mass": (0.0, 1.0)})
    plan = optim.plan(dae, problem, intervals=20)
    assert plan.p["load.mass"] == 0.0
    assert plan.replay().tip_miss < 1e-3


def test_energy_left_by_a_linkage_with_a_design_is_known():
    """Rates of what follows a loop are rounding at rest, and no motion."""
    dae = fb.assemble(slider_crank(), symbolic=("piston.mass",))
    problem = optim.Problem(
        {"joint.angle": 0.5}, (optim.Phase("move", {"joint.angle": 2.0}, 0.5),), design={"piston.mass": (0.1, 0.3)}
    )
    replay = optim.plan(dae, problem, intervals=20).replay()
    assert abs(replay.energy_left) < 1e-4


@pytest.mark.parametrize(("angle", "moves"), [(1.0, False), (math.pi, False), (math.pi, True)])
def test_lengths_that_close_a_loop_in_one_posture_alone(angle, moves):
    """Crank and rod in line, one longer by what the other is shorter: closed there, at rest, and in no motion."""
    dae = fb.assemble(slider_crank(), symbolic=("crank.length", "rod.length", "piston.mass"))
    there = {"joint.angle": angle}
    end = {"passing": there | {"der(joint.angle)": 1.0}} if moves else {"goal": there}
    more = {"crank.length": CRANK + 0.01, "rod.length": ROD + 0.01, "piston.mass": 0.3}
    phases = (
        optim.Phase("there", duration=0.5, **end),
        optim.Phase("on", {"joint.angle": 4.0}, 0.5, p=more, pick_up="matched", input_jump=True),
    )
    problem = optim.Problem({"joint.angle": 0.5}, phases)
    if angle == math.pi and not moves:
        optim.pyomo_model(dae, problem, intervals=5)
        return
    says = "open as the arm moves on" if moves else r"are open: 0\.0\d+ m"
    with pytest.raises(optim.ProblemError, match=says) as refusal:
        optim.pyomo_model(dae, problem, intervals=5)
    assert "crank.length from 0.05" in str(refusal.value)
    assert "piston.mass" not in str(refusal.value)
