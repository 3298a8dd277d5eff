"""The equations of motion as a function of JAX: the DAE's numbers under jit and vmap, and its derivatives."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np
import pytest

import flexblocks as fb
from arms.equation_arms import ARMS, agree, expected, point
from arms.library import subudhi_morris
from flexblocks import export
from flexblocks.errors import ParameterError
from flexblocks.export.equations.parts import equation_parts
from flexblocks.export.equations.program import Constant, Entry, Operation
from flexblocks.export.equations.routine import equations_routine, names_of
from flexblocks.export.equations.schedule import schedule

jax = pytest.importorskip("jax", reason="JAX is not installed: nothing is compiled with it.")


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    """Sixteen digits, for these tests."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def letters(dae: fb.DAE) -> list[str]:
    return list(export.equations(dae, "casadi").arguments())


SLOW = [pytest.param(arm, marks=pytest.mark.slow) for arm in [*ARMS][1:4:2]]


@pytest.mark.parametrize("arm", [*SLOW, "current, algebraic variable"])
def test_jit_and_vmap_give_the_numbers_of_the_dae(arm: str) -> None:
    dae = ARMS[arm]
    motion = export.equations(dae, "jax", name="motion")
    given = [point(dae, seed) for seed in range(3)]
    batch = [np.stack([one[letter] for one in given]) for letter in letters(dae)]
    found = jax.jit(jax.vmap(motion))(*batch)
    for i, one in enumerate(given):
        wanted = expected(dae, one)
        agree({name: np.asarray(part[i]) for name, part in zip(wanted, found, strict=True)}, wanted)


@pytest.mark.slow
def test_derivatives_are_those_of_casadi() -> None:
    """Forward and reverse: places that the loop leaves empty add nothing, and nothing that is not a number."""
    import casadi as ca

    dae = ARMS["friction, gears"]
    motion, parts = export.equations(dae, "jax"), export.equations(dae, "casadi")
    symbols = parts.arguments()
    given = point(dae, 3)
    arguments = [given[letter] for letter in symbols]
    wanted = ca.Function("J", list(symbols.values()), [ca.jacobian(parts["d"], symbols["v"])])(*arguments).full()
    where, which = list(symbols).index("v"), parts.names.index("d")
    for transform in (jax.jacfwd, jax.jacrev):
        found = jax.jit(transform(lambda *values: motion(*values)[which], argnums=where))(*arguments)
        assert np.max(np.abs(found - wanted)) <= 1e-12 * np.max(np.abs(wanted))


def test_a_loop_stands_for_equations_of_any_size() -> None:
    """What XLA compiles does not grow with the arm."""
    counts = []
    for links in (2, 4):
        dae = subudhi_morris(links=links, modes=1)
        sizes = {"q": dae.tree.size, "v": dae.tree.size, "u": len(dae.u)}
        zeros = [np.zeros(sizes[letter]) for letter in letters(dae)]
        counts.append(jax.jit(export.equations(dae, "jax")).lower(*zeros).as_text().count("stablehlo."))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("arm", ARMS)
def test_schedules_compute_what_their_programs_compute(arm: str) -> None:
    """Each operation stands in one place, after its operands."""
    dae = ARMS[arm]
    routine = equations_routine(equation_parts(dae), names_of(dae))
    source = routine.program
    plan = schedule(source, [len(argument.variables) for argument in routine.arguments])
    assert plan.steps < 2 * len(source.values)
    for kind, places in plan.operands.items():
        ends = plan.start + plan.stride * np.arange(plan.steps)
        assert (places < ends[:, None, None]).all(), kind
    assert sum(isinstance(value, Operation) for value in source.values) <= plan.steps * plan.stride
    known = {value.value for value in source.values if isinstance(value, Constant)}
    assert known <= set(plan.constants)
    assert all(isinstance(value, (Constant, Entry, Operation)) for value in source.values)


def test_the_source_stands_for_itself() -> None:
    """It names arguments and results, runs without flexblocks and survives pickling."""
    dae = ARMS["current, algebraic variable"]
    motion = export.equations(dae, "jax", name="motion")
    assert "flexblocks" not in motion.source
    for told in ("joint.angle [rad]", "M (", "def motion("):
        assert told in motion.source
    again = pickle.loads(pickle.dumps(motion))
    given = [point(dae, 1)[letter] for letter in letters(dae)]
    wanted = expected(dae, point(dae, 1))
    agree({name: np.asarray(part) for name, part in zip(wanted, jax.jit(again)(*given), strict=True)}, wanted)
    assert "joint.angle" in str(motion.__doc__)


def test_names_of_functions_are_checked() -> None:
    with pytest.raises(ParameterError, match="function name '2arm'"):
        export.equations(ARMS["numbers"], "jax", name="2arm")
