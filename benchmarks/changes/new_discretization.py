"""A new beam discretisation: Ritz's method with powers of the position as shape functions."""

from __future__ import annotations

from benchmarks.changes.change import Change, Edit, after

REGISTER = "flexblocks/beam/__init__.py"

DISCRETIZATION = '''\
"""Ritz's method with polynomials: a beam that bends in powers of the position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from flexblocks.beam.discretization import Discretization, check_number, numbered_coordinates
from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.axial_torsional import RodShapes
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.interfaces import Coordinate


@dataclass(frozen=True)
class Polynomials(Discretization):
    """A cantilever that bends in xi^2, ..., xi^(n + 1), and stretches and twists in xi, ..., xi^n; xi = x / l.

    Parameters
    ----------
    n : int
        Functions in each plane of bending, and of extension and torsion where there is any.

    Notes
    -----
    Coordinates: ``bending_y[i]``, ``bending_z[i]`` [m], ``extension[i]`` [m], ``torsion[i]`` [rad], i = 1..n. Powers
    are ever more alike: beyond n = 10 their mass matrix is singular but for rounding.
    """

    n: int

    keyword = "polynomials"

    def __post_init__(self) -> None:
        check_number("Polynomials", self.n)

    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        return numbered_coordinates(axis, self.n)

    def richer(self) -> Polynomials:
        return replace(self, n=self.n + 1)

    def shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        del tip, profiles
        return BendingPowers(self.n)

    def rod_shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        del tip, profiles
        return RodPowers(self.n)


@dataclass(frozen=True)
class BendingPowers(Shapes):
    """The powers xi^2, ..., xi^(n + 1)."""

    n: int

    @property
    def size(self) -> int:
        return self.n

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        return _powers(xi, range(2, self.n + 2), order)

    @property
    def points(self) -> int:
        return self.n + 2  # exact for products of degree 2 (n + 1)


@dataclass(frozen=True)
class RodPowers(RodShapes):
    """The powers xi, ..., xi^n."""

    n: int

    @property
    def size(self) -> int:
        return self.n

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        return _powers(xi, range(1, self.n + 1), order)

    @property
    def points(self) -> int:
        return self.n + 1


def _powers(xi: float | np.ndarray, exponents: Sequence[int], order: int) -> np.ndarray:
    """Return derivatives of xi^k with respect to xi, (n,) or (n, places)."""
    place = np.asarray(xi, dtype=float)
    factors = [np.prod([k - i for i in range(order)]) for k in exponents]
    return np.array([factor * place ** max(k - order, 0) for k, factor in zip(exponents, factors, strict=True)])
'''

CHECK = '''
import numpy as np
import flexblocks as fb

def lowest(discretization, count):
    """Return the lowest frequencies [rad/s] of a cantilever with EI = m = l = 1, by way of a model file."""
    model = fb.Model("cantilever")
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, discretization=discretization))
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    model.save("cantilever.yaml")
    return [mode.frequency for mode in fb.linearize(fb.assemble(fb.load("cantilever.yaml"))).modes()[:count]]

# Rayleigh's quotient of xi^2 is 4 / (1/5); Ritz's method with two functions is in the textbooks; eight are exact.
assert np.isclose(lowest(fb.Polynomials(1), 1), np.sqrt(20)).all()
assert np.allclose(lowest(fb.Polynomials(2), 2), [3.53273, 34.80689], rtol=1e-5)
assert np.allclose(lowest(fb.Polynomials(8), 2), [3.51602, 22.03449], rtol=1e-5)

# The command line takes it by its keyword.
from typer.testing import CliRunner
from flexblocks.cli.app import app
result = CliRunner().invoke(app, ["compare", "cantilever.yaml", "--beams", "polynomials:2", "--beams", "modes:2"])
assert result.exit_code == 0, result.output
assert "polynomials:2" in result.output and "34.807" in result.output, result.output
'''

CHANGE = Change(
    name="new beam discretisation",
    at_most=2,
    files={"flexblocks/beam/polynomials.py": DISCRETIZATION},
    edits=(
        after(
            REGISTER,
            "from flexblocks.beam.finite_elements import FiniteElements\n",
            "from flexblocks.beam.polynomials import Polynomials\n",
        ),
        after(REGISTER, '    "Material",\n', '    "Polynomials",\n'),
        Edit(REGISTER, "RigidSegments, StrainModes)", "RigidSegments, StrainModes, Polynomials)"),
    ),
    check=CHECK,
)
