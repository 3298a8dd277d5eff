"""The example of measured data: what it finds explains the motion that it was not made of."""

from __future__ import annotations

import importlib.util
import warnings
from types import ModuleType

import pytest

import flexblocks as fb
from repository import ROOT


def example() -> ModuleType:
    path = ROOT / "examples/identify_flexible_bar.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_flexible_bar_from_measured_data() -> None:
    bar = example()
    with warnings.catch_warnings(action="ignore", category=fb.FlexblocksWarning):
        fit = fb.identify(bar.flexible_bar(), bar.measured("prbs"), bar.UNKNOWNS)
    assert fit.warnings  # one mode is not all
    assert 4 < fit["spring.stiffness"] < 12
    assert all(each.share > 80 for each in fit.residuals)
