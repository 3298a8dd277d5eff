"""The block contract: what each part of a block's physics may depend on, and how.

The equations of motion are derivatives of these parts in certain symbols. What depends on others would be left out of
them without a word, so it is refused, with a message to the author of the block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.evaluation.variable_names import check_names, check_roles
from flexblocks.errors import ModelError

# What is left at rest of terms that vanish there, relative to the inertia or the force.
ROUNDING = 1e-9

WEIGHT = "Weight is not to be given: it follows from the kinetic energy and the gravity of the model"
SENSED = "local.acceleration, local.gravity, local.totals or local.effort"
HINTS = {
    "kinetic": "The pose of a body is no part of its inertia; displacements inside the block are its coordinates",
    "potential": f"{WEIGHT}. What else depends on the pose is a ForceElement's",
    "dissipation": "A force that resists the inlet's motion is a ForceElement's",
    "load": "Give a force on the inlet as power; its displacement, that of a load, is a function of the coordinates",
    "power": "Give what depends on rates as dissipation (a gradient in the rates) or as a load; what depends on the "
    "pose is a ForceElement's",
    "derivative": "Sense a motion by outputs",
    "residual": "Sense a motion by outputs",
    "outlet": "Make a state or input that moves an outlet a coordinate",
}


def check_contract(terms: BlockTerms) -> None:
    """Check that a block's physics is complete, and depends on what it may depend on.

    Raises
    ------
    ModelError
        The first part that breaks the contract.
    """
    _check_complete(terms)
    # The library's own blocks are checked by its tests: the walk over all symbols takes a third of an assembly.
    if type(terms.block).__module__.partition(".")[0] != "flexblocks":
        check_names(terms.block, terms.physics)
        check_roles(terms.block)
        check_dependence(terms)


def check_dependence(terms: BlockTerms) -> None:
    """Check that each part of a block's physics depends on what it may depend on, and as it may.

    Raises
    ------
    ModelError
        The first part that breaks the contract.
    """
    where, groups = terms.block.where, _groups(terms)
    names = {symbol.element_hash(): name for name, column in groups.items() for symbol in _elements(column)}
    for kind, part, words, allowed in _parts(terms):
        used = {names.get(symbol.element_hash(), f"a symbol of its own, {symbol}") for symbol in ca.symvar(part)}
        if SENSED in used:
            raise ModelError(
                f"{where}: physics() uses {SENSED} in its equations; these are for outputs only. Leave them out: "
                "forces of inertia and weight follow from the kinetic energy."
            )
        if strange := sorted(used.difference(allowed)):
            raise ModelError(
                f"{where}: physics() returned {words} that depends on {' and '.join(strange)}; may depend on "
                f"{', '.join(allowed)} only. {HINTS[kind]}."
            )
    for load in terms.physics.loads:
        if not ca.depends_on(ca.SX(load.displacement), groups[COORDINATES]):
            raise ModelError(
                f"{where}: physics() returned the displacement of a load that depends on no coordinate: it does no "
                f"work. {HINTS['load']}."
            )
    _check_kinetic(terms)
    _check_bodies(terms)
    _check_power(terms)


def _check_complete(terms: BlockTerms) -> None:
    """Refuse physics without an outlet, a derivative or a residual that the block declares."""
    block, physics, dependent = terms.block, terms.physics, terms.symbols.dependent.names
    for name in terms.local.outlets:
        if name not in physics.outlets:
            raise ModelError(f"{block.where}: physics() returned no frame for the outlet '{name}'.")
    states = sorted({variable.name for variable in block.states()}.difference(dependent))
    derived = sorted(physics.derivatives)
    if derived != states:
        raise ModelError(f"{block.where}: physics() returned derivatives of {derived}; its states are {states}.")
    count = len(physics.residuals)
    algebraics = sum(variable.name not in dependent for variable in block.algebraics())
    if count != algebraics:
        raise ModelError(f"{block.where}: physics() returned {count} residuals for {algebraics} algebraic variables.")


POSE, TWIST, COORDINATES, RATES = "the inlet's pose", "the inlet's twist", "coordinates", "rates"
STATES, INPUTS, PARAMETERS = "states and algebraic variables", "inputs", "parameters"


def _groups(terms: BlockTerms) -> dict[str, ca.SX]:
    """Return all symbols that a block sees, as columns by what they are."""
    inlet, local, symbols = terms.inlet, terms.local, terms.symbols
    return {
        POSE: ca.vertcat(ca.vec(inlet.R), inlet.r),
        TWIST: inlet.twist,
        COORDINATES: symbols.configuration,
        RATES: symbols.s,
        STATES: ca.vertcat(symbols.w, symbols.z),
        INPUTS: symbols.u,
        PARAMETERS: terms.p,
        SENSED: ca.vertcat(local.acceleration, local.gravity, local.totals.stacked, *local.efforts.values()),
    }


def _parts(terms: BlockTerms) -> Iterator[tuple[str, ca.SX, str, tuple[str, ...]]]:
    """Yield for each part of the physics its kind, expression, name, and what it may depend on."""
    physics = terms.physics
    inner, all_inside = (COORDINATES, PARAMETERS), (COORDINATES, RATES, STATES, INPUTS, PARAMETERS)
    of_frames = (POSE, TWIST, COORDINATES, RATES, PARAMETERS)
    parts: list[tuple[str, Any, str, tuple[str, ...]]] = [
        ("kinetic", physics.kinetic, "a kinetic energy", (TWIST, COORDINATES, RATES, PARAMETERS)),
        ("potential", physics.potential, "a potential", inner),
        ("dissipation", physics.dissipation, "a dissipation", (COORDINATES, RATES, PARAMETERS)),
        ("power", physics.power, "a power", (TWIST, *all_inside)),
        *(("load", load.effort, "the effort of a load", all_inside) for load in physics.loads),
        *(("load", load.displacement, "the displacement of a load", inner) for load in physics.loads),
        *(("potential", load.energy, "the energy of a load", inner) for load in physics.loads),
        *(("derivative", part, f"a derivative of '{name}'", all_inside) for name, part in physics.derivatives.items()),
        *(("residual", residual, "a residual", all_inside) for residual in physics.residuals),
    ]
    for kind, part, words, allowed in parts:
        yield kind, _scalar(terms, part, words), words, allowed
    for name, frame in physics.outlets.items():
        yield "outlet", ca.vertcat(ca.vec(frame.R), frame.r, frame.twist), f"a frame '{name}'", of_frames


def _scalar(terms: BlockTerms, part: Any, words: str) -> ca.SX:
    """Return a part of the physics as an expression (1, 1)."""
    try:
        expression = ca.SX(part)
    except (TypeError, NotImplementedError):
        expression = ca.SX(0, 0)
    if expression.shape != (1, 1):
        raise ModelError(
            f"{terms.block.where}: physics() returned {words} = {part!r} ({type(part).__name__}); must be a number "
            "or a CasADi SX (1, 1), built from the symbols of frame and local."
        )
    return expression


def _elements(column: ca.SX) -> Iterable[ca.SX]:
    return ca.vertsplit(column) if column.numel() else ()


def _check_kinetic(terms: BlockTerms) -> None:
    """Refuse a kinetic energy that is not a quadratic form of the twist and the rates."""
    if not terms.has_inertia:
        return
    moving = ca.vertcat(terms.inlet.twist, terms.symbols.s)
    energy, inertia = ca.SX(terms.physics.kinetic), terms.inertia_expression
    at_rest = ca.vertcat(energy, ca.gradient(energy, moving))
    if ca.depends_on(inertia, moving) or not _vanishes(at_rest, moving, inertia):
        raise ModelError(
            f"{terms.block.where}: physics() returned a kinetic energy that is not quadratic in the inlet's twist and "
            "the rates; its other terms would be left out. Velocities are relative to the world: build them from the "
            "frame and the rates alone."
        )


def _check_bodies(terms: BlockTerms) -> None:
    """Refuse bodies and velocity forces that say something else than the kinetic energy."""
    if not terms.physics.bodies and terms.physics.velocity_forces is None:
        return
    derived = replace(terms, physics=replace(terms.physics, bodies=(), velocity_forces=None))
    symbols = terms.symbols
    moving = [terms.inlet.omega, symbols.q, symbols.s, terms.p]
    both = [ca.vertcat(ca.vec(each.inertia_expression), *each.bias(*moving)) for each in (terms, derived)]
    numbers = np.random.default_rng(0)
    values = ca.Function("both", moving, both)(*(numbers.uniform(0.5, 1.5, symbol.shape) for symbol in moving))
    stated, expected = (value.full() for value in values)
    if not np.max(np.abs(stated - expected)) <= ROUNDING * np.max(np.abs(expected)):
        raise ModelError(
            f"{terms.block.where}: physics() returned inertia or velocity forces that are not those of its kinetic "
            "energy; both must say the same. Leave them (bodies, velocity_forces) out, and they follow from the energy."
        )


def _check_power(terms: BlockTerms) -> None:
    """Refuse a power that is not linear in the twist and the rates."""
    moving = ca.vertcat(terms.inlet.twist, terms.symbols.s)
    power = ca.SX(terms.physics.power)
    if not ca.sparsify(power).nnz():
        return
    force = ca.gradient(power, moving)
    if ca.depends_on(force, moving) or not _vanishes(power, moving, force):
        raise ModelError(
            f"{terms.block.where}: physics() returned a power that is not linear in the inlet's twist and the rates; "
            "forces are its gradient, which would be wrong: of -c v**2 it is -2 c v. " + HINTS["power"] + "."
        )


def _vanishes(expression: ca.SX, moving: ca.SX, scale: ca.SX) -> bool:
    """Whether an expression is zero at rest, beside the entries of `scale`.

    At two random points of the other symbols, since at one terms might cancel by chance. At rest each term that is
    right is zero by itself; with rates, sums of a beam's terms would be zero up to rounding only.
    """
    rates = {symbol.element_hash() for symbol in _elements(moving)}
    symbols = ca.symvar(ca.vertcat(expression, ca.vec(scale)))
    others = [symbol for symbol in symbols if symbol.element_hash() not in rates]
    column = ca.vertcat(*others, ca.SX(0, 1))
    function = ca.Function("at_rest", [moving, column], [expression, scale])
    numbers = np.random.default_rng(0)
    for _ in range(2):
        value, size = function(np.zeros(moving.numel()), numbers.uniform(0.5, 1.5, column.numel()))
        if not np.max(np.abs(value.full())) <= ROUNDING * np.max(np.abs(size.full())):
            return False
    return True
