"""Problems that are malformed or do not fit the arm are refused."""

import numpy as np
import pytest

from arms.loads import BACK, HEAVY, LIGHT, REACH, at, hinge, phased
from flexblocks import optim
from flexblocks.errors import FlexblocksError


@pytest.fixture(scope="module")
def body():
    return hinge()


MALFORMED = [
    (lambda: optim.Phase("reach", at(1.0)), "Phase 'reach': duration is missing"),
    (lambda: optim.Phase("", at(1.0), 1.0), "name = ''; must be a word"),
    (lambda: optim.Phase("reach", at(1.0), 1.0, passing=at(1.0)), "both goal and passing"),
    (lambda: optim.Phase("reach", {}, 1.0), "Phase 'reach': goal is empty"),
    (lambda: optim.Phase("reach", at(1.0), 1.0, pick_up="hard"), 'pick_up = \'hard\'; must be "matched" or "impact"'),
    (lambda: optim.Phase("reach", None, 1.0, balance="next"), "balance without a goal"),
    (lambda: optim.Phase("reach", None, 1.0, leeway=1e-4), "leeway without a goal"),
    (lambda: optim.Phase("reach", at(1.0), 1.0, leeway=-1e-4), "leeway = -0.0001 J; must be >= 0 J"),
    (lambda: optim.Phase("reach", at(1.0), 1.0, p={"payload.mass": np.nan}), "payload.mass = nan"),
    (lambda: optim.Problem(at(0.0), ()), "at least one"),
    (lambda: optim.Problem(at(0.0), (REACH, REACH)), "2 are called 'reach'"),
    (lambda: optim.Problem(at(0.0), (optim.Phase("reach", None, 1.0),)), "'reach' is the last and has no goal"),
    (lambda: optim.Problem(at(0.0), (optim.Phase("a", at(1.0), 1.0, balance="next"),)), "no phase comes next"),
    (lambda: optim.Problem(at(0.0), (REACH, BACK), "time"), r"duration = 1 \+ 1 s; a fixed time"),
    (lambda: optim.Problem(at(0.0), (optim.Phase("a", at(1.0), "free"), BACK)), "a slower motion always costs less"),
    (lambda: optim.Problem(at(0.0), (REACH,), scenarios={"payload.mass": 1.0}), "a sequence of dicts"),
    (lambda: optim.Problem(at(0.0), (REACH,), scenarios=[LIGHT, LIGHT]), r"scenarios\[1\] = .* is a duplicate"),
    (lambda: optim.Problem(at(0.0), (REACH,), aggregate="best"), '"mean" or "worst"'),
    (lambda: optim.Problem(at(0.0), (REACH,), design={"spring1.stiffness": (9.0, 2.0)}), "low < high"),
    (lambda: optim.Problem(at(0.0), (REACH,), design={"spring1.stiffness": 9.0}), r"its bounds \(low, high\)"),
    (
        lambda: optim.Problem(at(0.0), (optim.Phase("a", at(1.0), 1.0, p=LIGHT),), design={"payload.mass": (0.1, 2.0)}),
        "'payload.mass' has a value in p of phase 'a' and another in design",
    ),
    (
        lambda: optim.Problem(at(0.0), (REACH,), scenarios=[LIGHT, HEAVY], design={"payload.mass": (0.1, 2.0)}),
        r"in design and another in scenarios\[0\]",
    ),
]


@pytest.mark.parametrize(("make", "message"), MALFORMED)
def test_malformed_problems_are_refused_at_once(make, message):
    with pytest.raises(FlexblocksError, match=message):
        make()


MISFITS = [
    (
        phased(optim.Phase("a", at(1.0), 1.0, p={"payload.mas": 1.0})),
        {},
        r"phase 'a': p: .*Did you mean payload.mass\?",
    ),
    (
        phased(REACH, scenarios=({"payload.inertia": 1.0},)),
        {},
        r"is not a symbolic parameter .*symbolic=\(\"payload.inert",
    ),
    (phased(REACH, design={"payload.mass": (-1.0, 2.0)}), {}, r"= \(-1.0, 2.0\); its values are from 0 to inf"),
    (phased(REACH, design={"spring1.stiffness": (1.0, 2.0)}), {}, "design: 'spring1.stiffness' is not a symbolic"),
    (phased(REACH, optim.Phase("b", {"joint.angle": 0.0}, 1.0)), {}, "phase 'b': goal: there is no coordinate"),
    (phased(optim.Phase("a", None, 1.0, passing={"joint": 1.0}), BACK), {}, "passing: there is no state 'joint'"),
    (
        phased(optim.Phase("a", at(1.0), 1.0, leeway=1.0), design={"payload.mass": (0.1, 2.0)}),
        {},
        "leave one of them out",
    ),
    (phased(REACH, BACK), {"intervals": (5, 5, 5)}, "one number, or 2, one for each phase"),
    (
        phased(optim.Phase("a", None, 1.0, p=LIGHT), optim.Phase("b", at(1.0), 1.0, p=HEAVY)),
        {},
        "'b' begins in motion with more inertia than the phase 'a' before it",
    ),
    (
        phased(optim.Phase("a", None, 1.0, p=HEAVY), optim.Phase("b", at(1.0), 1.0, p=LIGHT, pick_up="impact")),
        {},
        "a release leaves the rates unchanged",
    ),
    (phased(REACH, objective="vibration"), {}, "elastic energy is the same for all motions of"),
]


@pytest.mark.parametrize(("problem", "options", "message"), MISFITS)
def test_problems_that_do_not_fit_the_arm_are_refused(body, problem, options, message):
    with pytest.raises(FlexblocksError, match=message):
        optim.pyomo_model(body, problem, **options)
