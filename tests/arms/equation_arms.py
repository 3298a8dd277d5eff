"""Arms whose equations are exported in several forms, and the numbers that every form has to give."""

from __future__ import annotations

from functools import cache

import numpy as np

import flexblocks as fb
from arms.library import subudhi_morris
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from flexblocks import export, models
from flexblocks.models.yu_chen_chords import chord_coordinates


@cache
def one_link() -> fb.DAE:
    """A link with a motor that has a current, and a spring that hardens by an algebraic equation."""
    link = fb.RigidLink("link", length=0.5, mass=0.1)
    return fb.assemble(joint_arm(beam=link, drive=(DCMotor("motor"), HardeningSpring("hard"))), symbolic=("link.mass",))


ARMS = {
    "numbers": subudhi_morris(),
    "symbols": fb.assemble(models.subudhi_morris_2002(), symbolic="all"),
    "gravity, chords": chord_coordinates(fb.assemble(models.yu_chen_2019(), symbolic=("mass1.mass",))),
    "friction, gears": fb.assemble(models.yu_chen_2019(drives="geared", friction=True), symbolic="all"),
    "current, algebraic variable": one_link(),
}
POINTS = 4


def point(dae: fb.DAE, seed: int) -> dict[str, np.ndarray]:
    """Return random arguments by letter; parameters keep their signs."""
    random = np.random.default_rng(seed)
    n = dae.tree.size
    sizes = {"q": n, "v": n, "a": n, "w": len(dae.x) - 2 * n, "z": len(dae.z), "u": len(dae.u)}
    values = {letter: random.uniform(-0.6, 0.6, size) for letter, size in sizes.items()}
    return values | {"p": np.where(dae.p.start == 0, 0.05, dae.p.start) * random.uniform(0.8, 1.2, len(dae.p))}


def expected(dae: fb.DAE, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the parts of the equations as CasADi's virtual machine computes them."""
    equations = export.equations(dae, "casadi")
    values = equations.function().call([given[letter] for letter in equations.arguments()])
    return {name: np.array(value) for name, value in zip(equations.names, values, strict=True)}


def agree(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        scale = np.max(np.abs(value), initial=1e-300)
        assert np.max(np.abs(np.reshape(found[name], value.shape) - value), initial=0.0) <= 1e-12 * scale, name
