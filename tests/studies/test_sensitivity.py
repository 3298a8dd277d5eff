"""Sensitivities against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import plot, studies
from flexblocks.errors import ParameterError

PI = dict.fromkeys(("x", "y", "z"), (-np.pi, np.pi))


def ishigami(case):
    return np.sin(case["x"]) + 7 * np.sin(case["y"]) ** 2 + 0.1 * case["z"] ** 4 * np.sin(case["x"])


def test_sobol_indices_of_ishigamis_function() -> None:
    """Sobol' and Levitan 1999: closed form with a = 7, b = 0.1."""
    runs = fb.study(ishigami, studies.sobol_design(PI, 1024))
    indices = studies.sobol_indices(runs, "value")
    a, b = 7.0, 0.1
    x, y, xz = 0.5 * (1 + b * np.pi**4 / 5) ** 2, a**2 / 8, b**2 * np.pi**8 * (1 / 18 - 1 / 50)
    variance = x + y + xz
    np.testing.assert_allclose(indices["first"], np.array([x, y, 0.0]) / variance, atol=0.02)
    np.testing.assert_allclose(indices["total"], np.array([x + xz, y, xz]) / variance, atol=0.02)
    with pytest.raises(ParameterError, match="must be one of morris_design"):
        studies.morris_effects(runs, "value")


def test_a_constant_has_no_variance_to_share_out() -> None:
    runs = fb.study(lambda case: 3.0, studies.sobol_design(PI, 4))
    with pytest.raises(ParameterError, match="'value' is 3 in all cases; what does not vary has no variance"):
        studies.sobol_indices(runs, "value")


def test_elementary_effects_of_a_plane_are_its_slopes() -> None:
    cases = studies.morris_design({"x": (0.0, 2.0), "y": (-1.0, 1.0), "z": (5.0, 6.0)}, 8, seed=4)
    assert len(cases) == 8 * 4
    effects = studies.morris_effects(fb.study(lambda case: 3 * case["x"] - 5 * case["y"] + 1, cases), "value")
    np.testing.assert_allclose(effects["mean"], [3.0, -5.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(effects["mean_magnitude"], [3.0, 5.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(effects["deviation"], 0.0, atol=1e-12)


def test_pictures_of_many_cases() -> None:
    runs = fb.study(lambda case: {"sum": case["a"] + case["b"]}, fb.studies.samples({"a": (0, 1), "b": (2.0, 4.0)}, 10))
    axes = plot.parallel_coordinates(runs, ["a", "b", "sum"])
    assert len(axes.lines) == 10
    sums = [line.get_ydata()[2] for line in axes.lines]
    np.testing.assert_allclose(sums, (runs["sum"] - runs["sum"].min()) / np.ptp(runs["sum"].values))
    assert plot.scatter_matrix(runs, ["a", "b", "sum"]).shape == (3, 3)
