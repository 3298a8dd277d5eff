"""Assembly: the symbolic DAE of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import casadi as ca

from flexblocks.constraints.close_loops import close_loops
from flexblocks.constraints.closed_posture import warn_of_change_points
from flexblocks.constraints.locked_start import locked_start
from flexblocks.constraints.scalar_inertia import refuse_scalar_inertia
from flexblocks.constraints.singularities.singular_mass import refuse_singular_mass
from flexblocks.constraints.singularities.singular_posture import tell_of_singular_start
from flexblocks.constraints.states_at_posture import start_at_posture
from flexblocks.constraints.undefined_forces import refuse_undefined_forces
from flexblocks.dae.dae import DAE
from flexblocks.dae.expressions import of_same_mass
from flexblocks.dynamics.algorithms.outputs import output_units
from flexblocks.dynamics.evaluation.block_kinds import BlockKinds
from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.evaluation.element import Element
from flexblocks.dynamics.evaluation.force_terms import force_terms
from flexblocks.dynamics.evaluation.incidence import Incidence
from flexblocks.dynamics.tree.bending_planes import decided_topology
from flexblocks.dynamics.tree.cut_joints import Closure, Loops
from flexblocks.dynamics.tree.lock import Lock
from flexblocks.dynamics.tree.outboard_inertia import evaluated
from flexblocks.dynamics.tree.prescription import Prescription
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.errors import ParameterError
from flexblocks.interfaces.block_variables import Variable
from flexblocks.interfaces.carried import Carried
from flexblocks.interfaces.variables import Variables, variables
from flexblocks.modeling.flanges import SharedCoordinate
from flexblocks.modeling.locks import checked_locks, checked_prescriptions, with_locks
from flexblocks.modeling.model import Model
from flexblocks.modeling.spanning_tree import Topology, topology
from flexblocks.modeling.start_values import start_values
from flexblocks.modeling.state_ranges import state_ranges
from flexblocks.modeling.symbolic_parameters import symbolic_parameters
from flexblocks.validity.deflection_error import linear_blocks
from flexblocks.validity.remarks import warn_of_remarks


def assemble(
    model: Model,
    symbolic: Iterable[str] | str = (),
    dynamics: Literal["auto", "recursive", "closed-form"] = "auto",
    locked: Mapping[str, float] | None = None,
    prescribed: Iterable[str] | str = (),
) -> DAE:
    """Assemble a model into one symbolic DAE.

    Parameters
    ----------
    model : Model
    symbolic : iterable of str
        Parameters that stay symbols, as ``"payload.mass"``; ``"all"`` for every number that can. The rest is folded in.
    dynamics : "auto", "recursive" or "closed-form"
        How accelerations are computed: by the articulated-body recursion, whose cost is linear in the number of links,
        or from M(q) by LDL^T. Automatic is recursive: it takes fewer operations from the first link on.
    locked : dict, optional
        Coordinates that are held at numbers, as by brakes: ``{"joint1.angle": 0.3}`` [rad or m]. They are no states
        then; what holds each is an output, ``joint1.holding_torque`` or ``slide1.holding_force``, positive in the
        direction of the coordinate (``<block>.holding_torque_<coordinate>`` where that is not the angle or
        displacement of a joint).
    prescribed : iterable of str, optional
        Coordinates that move as a function of time, whatever that takes: shakers, rigs, moving bases. The acceleration
        of each is an input, ``joint1.prescribed_acceleration`` [rad/s2 or m/s2], and what drives it an output,
        ``joint1.driving_torque`` or ``slide1.driving_force``. `flexblocks.simulate` takes the coordinate itself,
        ``u={"joint1.angle": f}``, and derives start values and acceleration from f.

    Returns
    -------
    DAE

    Raises
    ------
    FlexblocksError
        The model is not an arm (see `Model.check`), a parameter or a locked or prescribed coordinate is unknown, a
        coordinate moves no mass, a body of which the inertia about z alone is known turns about other axes, a loop
        cannot be closed or has a prescribed coordinate, or the ends of a force element are at one place.

    Warns
    -----
    FlexblocksWarning
        Beams had to bend to close the loops at the start, or a start value that was set had to move far; the way of a
        linkage to its start values, or to those of its locks, passes a change point.
    ModelWarning
        A block may be a mistake: a size that is orders of magnitude off, a beam without a discretisation, modes of a
        free tip under a body, damping ratios of clamped beams that are far larger in the arm.

    Notes
    -----
    Where frames close a loop, accelerations come from M(q) and the closures (`constrained_accelerations`), and
    the blocks' start values are guesses: joints move until all loops are closed, those whose start value is zero first,
    and each other one keeps its value if those added before it allow that. Beams stay straight unless joints alone
    cannot close. `DAE.closed_start` lists what moved.
    """
    if dynamics not in ("auto", "recursive", "closed-form"):
        raise ParameterError(f"assemble: dynamics = {dynamics!r}; must be 'auto', 'recursive' or 'closed-form'.")
    # Spanning tree; an invalid model is refused before any symbol is made.
    plan = topology(model)
    # Symbolic parameters, which replace numbers in the blocks from here on.
    p, values, gravity = symbolic_parameters(model, symbolic)
    if values:
        plan = topology(model, values)
    # The planes in which beams bend, where they leave that to the arm.
    kinds = BlockKinds(p.symbol)
    plan = decided_topology(model, plan, values, kinds, p.start, gravity)
    locks = checked_locks(plan, locked)
    free, plan = plan, with_locks(plan, locks)
    moved = checked_prescriptions(plan, prescribed)
    # Physics of every block by itself, then the multibody tree of all of them.
    terms, carried = evaluated(plan, kinds, p.start)
    tree, x, z, u = _tree(model.name, gravity, plan, terms, carried, p, moved)
    algorithm, no_output = "recursive" if dynamics == "auto" else dynamics, variables("output", [])
    dae = DAE(model.name, x, z, u, p, no_output, tree, algorithm, model.copy(), locked=locks)
    # Kinematic loops: start values that close them, and the closures that are independent.
    leads = []
    if tree.loops.closures:
        near = None
        if locks:
            whole, x, z, u = _tree(model.name, gravity, free, *evaluated(free, kinds, p.start), p, ())
            near = locked_start(DAE(model.name, x, z, u, p, no_output, whole, algorithm), locks)
        dae, leads = close_loops(dae, near)
    # Outputs, to which the forces in the closures belong.
    units = output_units(dae.tree)
    dae = of_same_mass(dae, y=variables("output", [(name, unit, 0.0) for name, unit in _in_order(units, plan)]))
    # Forces between frames: there must be a line between these.
    if dae.tree.elements:
        refuse_undefined_forces(dae)
        dae = start_at_posture(dae)
    dae = refuse_scalar_inertia(dae)
    # Every coordinate must move mass, or there is no equation of motion for it.
    refuse_singular_mass(dae)
    tell_of_singular_start(dae)
    for way, led_ones in leads:
        warn_of_change_points(dae, way, dae.p.start, led_ones, "assemble")
    warn_of_remarks(dae)
    # What every use of the arm begins with, so that it is not made in the midst of one.
    _ = dae.tree.nodes, linear_blocks(dae)
    return dae


def _tree(
    arm: str,
    gravity: ca.SX,
    plan: Topology,
    terms: dict[str, BlockTerms],
    carried: dict[str, Carried],
    p: Variables,
    moved: tuple[tuple[str, str], ...],
) -> tuple[Tree, Variables, Variables, Variables]:
    """Return the multibody tree, and its states, algebraic variables and inputs."""
    # Variables, in the order of the model, and where those of each block stand among them.
    q, rates, w, z, u = [], [], [], [], []
    about: list[tuple[float | None, str, str | None]] = []  # limit and role of each input, and what it is the rate of
    symbols: dict[str, ca.SX] = {}
    number: dict[tuple[str, str], int] = {}
    slices: dict[str, list[slice]] = {}
    blocks = plan.blocks
    starts_at = start_values(arm, plan)
    first_order: dict[int, Variable] = {}
    for name in plan.order:
        block = blocks[name]
        for c in block.coordinates():
            if plan.shared[name, c.name].owner == (name, c.name):
                number[name, c.name] = len(q)
                q.append((f"{name}.{c.name}", c.unit, starts_at[name, c.name]))
                rates.append((f"der({name}.{c.name})", f"{c.unit}/s", 0.0))
        starts = len(w), len(z), len(u)
        starts_of: dict[str, float] = {}
        if name in terms:
            dependent = terms[name].symbols.dependent
            fixed = zip(dependent.names, ca.vertsplit(dependent.symbols), strict=True)
            symbols |= {f"{name}.{key}": c for key, c in fixed}
            starts_of = dict(zip(dependent.names, dependent.starts.tolist(), strict=True))
        first_order |= dict(enumerate(block.states(), len(w)))
        for group, declared in ((w, block.states()), (z, block.algebraics()), (u, block.inputs())):
            group += [(f"{name}.{v.name}", v.unit, starts_of.get(v.name, v.start)) for v in declared]
        about += [
            (v.limit, v.role, None if v.derivative_of is None else f"{name}.{v.derivative_of}") for v in block.inputs()
        ]
        slices[name] = [slice(start, len(group)) for start, group in zip(starts, (w, z, u), strict=True)]
    # Bodies, a parent before what it carries.
    position = {name: i for i, name in enumerate(plan.nodes)}
    bodies = []
    for name, node in plan.nodes.items():
        shared = [plan.shared[name, c.name] for c in node.block.coordinates()]
        bodies.append(
            Body(
                name=name,
                block=node.block,
                terms=terms[name],
                parent=None if node.parent is None else position[node.parent],
                outlet=node.outlet,
                share=_share(shared, number),
                w=slices[name][0],
                z=slices[name][1],
                u=slices[name][2],
                carried=carried[name],
            )
        )
    # Force elements between the bodies' frames.
    elements = [
        Element(
            name,
            force_terms(node.element, p.symbol),
            tuple((position[port.block], port.name) for port in node.places),
            *slices[name],
        )
        for name, node in plan.elements.items()
    ]
    # Cut joints of the loops.
    ends = [[(position[port.block], port.name) for port in pair] for pair in plan.closures]
    closures: list[Closure] = []
    for first, second in ends:
        name = bodies[second[0]].name
        before = sum(closure.name == name for closure in closures)
        closures.append(Closure(name, first, second, number=1 + before))
    loops = Loops(tuple(closures))
    prescribed = tuple(
        Prescription(*place, q[number[place]][1], number[place], len(u) + i) for i, place in enumerate(moved)
    )
    u += [(*each.acceleration, 0.0) for each in prescribed]
    about += [(None, "actuator", None)] * len(prescribed)  # the user chooses these accelerations
    parts = {
        "locks": _locks(plan),
        "elements": tuple(elements),
        "prescribed": prescribed,
        "frames": plan.frames,
        "first_order": first_order,
        "state_ranges": state_ranges(plan),
    }
    tree = Tree(tuple(bodies), len(q), gravity, p.symbol, loops, **parts)
    x = variables("state", q + rates + w, symbols=symbols)
    limits, roles, derivative_of = zip(*about, strict=True) if about else ((), (), ())
    inputs = variables("input", u, limits, roles=roles, derivative_of=derivative_of)
    return tree, x, variables("algebraic variable", z, symbols=symbols), inputs


def _locks(plan: Topology) -> tuple[Lock, ...]:
    """Return the locks, in the order of the model."""
    units: dict[tuple[str, str], str] = {}
    factors: dict[tuple[str, str], dict[tuple[int, int], float]] = {}
    for index, (name, node) in enumerate(plan.nodes.items()):
        for row, c in enumerate(node.block.coordinates()):
            shared = plan.shared[name, c.name]
            if shared.lock is None:
                continue
            factors.setdefault(shared.lock, {})[index, row] = shared.factor
            if shared.lock == (name, c.name):
                units[shared.lock] = c.unit
    position = {name: i for i, name in enumerate(plan.order)}
    order = sorted(factors, key=lambda place: position[place[0]])
    return tuple(Lock(*place, units[place], factors[place]) for place in order)


def _share(shared: list[SharedCoordinate], number: dict[tuple[str, str], int]) -> Incidence:
    """Return the incidence matrix (n_block, n) of a block: its coordinates are share @ q."""
    entries = ((row, number[c.owner], c.factor) for row, c in enumerate(shared) if c.owner is not None)
    return Incidence.of(entries, (len(shared), len(number)))


def _in_order(units: dict[str, str], plan: Topology) -> list[tuple[str, str]]:
    """Return outputs with their units in the order in which blocks were added to the model."""
    place = {name: i for i, name in enumerate(plan.order)}

    def block_of(output: str) -> str:
        # There may be dots on both sides: elbow.rotor.angle, beam.station(0.2).moment_y.
        while output not in place:
            output = output.rpartition(".")[0]
        return output

    return sorted(units.items(), key=lambda item: place[block_of(item[0])])
