"""A pytest option that moves every start of a solve by rounding, to find tests that hold a path of the solver.

IPOPT's path depends on the last digits of its start, which differ between processors. A test that holds behaviour
passes on each of these paths.
"""

import dataclasses

import numpy as np
import pytest

SIZE = 1e-12
"""Largest change of a start value, as a fraction of its magnitude or of the scale of its variable."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--perturb-guesses",
        type=int,
        metavar="SEED",
        default=None,
        help=f"move every start of an optimisation by up to {SIZE:g} of its size, at random with this seed",
    )


@pytest.fixture(autouse=True)
def perturbed_guesses(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Perturb the starts of all solves of a test if the option is set; equal programs are perturbed equally."""
    seed = request.config.getoption("--perturb-guesses")
    if seed is None:
        return
    # Not above: the process that hands out tests to workers plans nothing.
    from flexblocks.optim.casadi_solver.ipopt.run import Ipopt

    exact = Ipopt._instance

    def perturbed(self, *arguments):
        instance = exact(self, *arguments)
        x = instance.x0
        share = np.random.default_rng(seed).uniform(-1.0, 1.0, len(x))
        moved = x + SIZE * np.maximum(1.0, np.abs(x)) * share
        return dataclasses.replace(instance, x0=moved)

    monkeypatch.setattr(Ipopt, "_instance", perturbed)
