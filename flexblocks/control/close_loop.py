"""Closing the loop: an arm and a law make a DAE again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.control.law import Bound, Law
from flexblocks.control.reference_inputs import grouped, with_symbols
from flexblocks.control.saturation import Actuators, actuators
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.feedback import Feedback
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError, listing, nearest
from flexblocks.interfaces.physics import Output
from flexblocks.interfaces.variables import Variables, variables


def close_loop(dae: DAE, law: Law, *, limits: bool = True, disturbances: bool | Iterable[str] = ()) -> DAE:
    """Return the closed loop of an arm and a law, which is a DAE again.

    Parameters
    ----------
    dae : DAE
        The arm; it may be a closed loop itself.
    law : Law
    limits : bool
        Whether commands are kept within the limits of the arm's inputs (``limit`` of a TorqueSource or ForceSource),
        by an exact clamp.
    disturbances : bool or iterable of str
        Driven inputs at which a disturbance acts on top of the command, past the limit; True for all of them.

    Returns
    -------
    DAE
        Everything that works on a DAE works on it. Of the arm's inputs the driven ones are gone. New are

        * in u: the references of the law, ``reference.joint1.angle``, ``der(reference.joint1.angle)``, and
          ``disturbance.motor1.torque``; the equations do not depend on time otherwise;
        * in x, at its end: the states of the law, ``pid.integral[1]``;
        * in y: the inputs that the arm gets, under their own name, ``motor1.torque``; where they have a limit also what
          was asked for, ``command.motor1.torque``; and what the law shows, ``error.joint1.angle``.

    Raises
    ------
    NameUnknownError
        The law or `disturbances` name a variable that the arm does not have.
    ParameterError
        The law cannot control this arm, or a name would be there twice.
    ComputationError
        A command would depend on itself at once: something measured depends on a driven input without delay.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import control, models
    >>> dae = fb.assemble(models.subudhi_morris_2002())
    >>> law = control.PD({"rotor1.angle": "motor1.torque", "rotor2.angle": "motor2.torque"}, kp=5.0, kd=0.5)
    >>> closed = control.close_loop(dae, law)
    >>> closed.u.names[:2]
    ('reference.rotor1.angle', 'der(reference.rotor1.angle)')
    """
    if not isinstance(law, Law):
        raise ParameterError(f"close_loop: law = {law!r}; must be a law of flexblocks.control, such as PD(...).")
    site = actuators(dae, limits)
    bound = law.bind(dae, site)
    _refuse_unfit(dae, bound)
    disturbing = _disturbances(dae, bound, disturbances)
    loop = _loop(dae, bound, site, disturbing)
    u = grouped("input", [_undriven(dae, bound), bound.references, disturbing])
    x = grouped("state", [dae.x, bound.states])
    y = grouped("output", [dae.y, variables("output", [(name, o.unit, 0.0) for name, o in loop.outputs.items()])])
    _refuse_repeated(x, dae.z, u, dae.p, y)
    feedback = _feedback(dae, loop, bound, x, u)
    tree = dataclasses.replace(dae.tree, feedback=feedback)
    return dataclasses.replace(dae, x=x, u=u, y=y, tree=tree, model=None, clocks=_clocks(dae, loop, bound, x, u))


@dataclass(frozen=True, eq=False)
class _Loop:
    """Expressions in the symbols of the closed loop: inputs of the arm, rates and changes of the law, outputs."""

    inputs: ca.SX
    rates: ca.SX
    changes: tuple[ca.SX, ...]
    outputs: Mapping[str, Output]


def _loop(dae: DAE, bound: Bound, site: Actuators, disturbing: Variables) -> _Loop:
    applied = {name: site.clamped(name, command) for name, command in bound.commands.items()}
    excess = site.excesses(bound.commands)
    own = {name: dae.u.symbol[i] for i, name in enumerate(dae.u.names)}
    known = ca.vertcat(*[applied.get(name, symbol) for name, symbol in own.items()], ca.SX(0, 1))
    disturbed = dict(zip(disturbing.names, ca.vertsplit(disturbing.symbol), strict=True)) if len(disturbing) else {}
    acting = {name: known[i] + disturbed.get(f"disturbance.{name}", 0) for i, name in enumerate(own)}

    inputs = ca.vertcat(*acting.values(), ca.SX(0, 1))
    before, after = ca.vertcat(site.excess, site.applied, dae.u.symbol), ca.vertcat(excess, known, inputs)

    def with_applied(expression: ca.SX) -> ca.SX:
        return ca.substitute(expression, before, after)

    outputs = {name: Output(acting[name], dae.u.unit(name)) for name in bound.commands}
    outputs |= {
        f"command.{name}": Output(command, dae.u.unit(name))
        for name, command in bound.commands.items()
        if site.has_limit(name)
    }
    outputs |= {name: Output(with_applied(o.value), o.unit) for name, o in bound.outputs.items()}
    return _Loop(
        inputs,
        with_applied(bound.rates),
        tuple(with_applied(tick.change) for tick in bound.ticks),
        outputs,
    )


def _feedback(dae: DAE, loop: _Loop, bound: Bound, x: Variables, u: Variables) -> Feedback:
    """Return the feedback of the whole loop: around an inner loop it goes through that one's."""
    symbols = [x.symbol, dae.z.symbol, u.symbol, dae.p.symbol]
    inputs, rates = loop.inputs, loop.rates
    outputs = ca.vertcat(*[ca.SX(o.value) for o in loop.outputs.values()])
    units = {name: o.unit for name, o in loop.outputs.items()}
    inner = dae.tree.feedback
    if inner is not None:
        given = [dae.x.symbol, dae.z.symbol, loop.inputs, dae.p.symbol]
        rates = ca.vertcat(inner.rates(*given), rates)
        outputs, units = ca.vertcat(inner.outputs(*given), outputs), {**inner.units, **units}
        inputs = inner.inputs(*given)
    return Feedback(
        _function("inputs", symbols, inputs),
        _function("rates", symbols, rates),
        _function("shown", symbols, outputs),
        units,
    )


def _clocks(dae: DAE, loop: _Loop, bound: Bound, x: Variables, u: Variables) -> tuple[Clock, ...]:
    symbols = [x.symbol, dae.z.symbol, u.symbol, dae.p.symbol]
    found = []
    for clock in dae.clocks:
        change = clock.change(dae.x.symbol, dae.z.symbol, loop.inputs, dae.p.symbol)
        change = ca.vertcat(change, ca.SX.zeros(len(bound.states)))
        found.append(Clock(clock.period, clock.offset, _function("change", symbols, change)))
    for tick, change in zip(bound.ticks, loop.changes, strict=True):
        change = ca.vertcat(ca.SX.zeros(len(dae.x)), change)
        found.append(Clock(tick.period, tick.offset, _function("change", symbols, change)))
    return tuple(found)


def _function(name: str, symbols: list[ca.SX], result: ca.SX) -> ca.Function:
    return ca.Function(name, symbols, [ca.densify(ca.cse(result))], ["x", "z", "u", "p"], [name])


def _undriven(dae: DAE, bound: Bound) -> Variables:
    kept = [i for i, name in enumerate(dae.u.names) if name not in bound.commands]
    group = Variables(
        "input",
        tuple(dae.u.names[i] for i in kept),
        tuple(dae.u.units[i] for i in kept),
        dae.u.start[kept],
        ca.SX(0, 1),
        dae.u.limits[kept],
    )
    return with_symbols(group, [dae.u.symbol[i] for i in kept])


def _disturbances(dae: DAE, bound: Bound, wanted: bool | Iterable[str]) -> Variables:
    if isinstance(wanted, str):
        wanted = (wanted,)
    names = list(bound.commands) if wanted is True else [] if wanted is False else list(wanted)
    for name in names:
        if name not in bound.commands:
            raise NameUnknownError(
                f"close_loop: disturbances: '{name}' is no input that the law drives ({listing(bound.commands)})."
                f"{nearest(name, bound.commands)}"
            )
    return variables("input", [(f"disturbance.{name}", dae.u.unit(name), 0.0) for name in names])


def _refuse_unfit(dae: DAE, bound: Bound) -> None:
    """Refuse commands for inputs that are not there, and commands that depend on themselves."""
    for name in bound.commands:
        dae.u.index(name)
    driven = ca.vertcat(*[dae.u.symbol[dae.u.index(name)] for name in bound.commands], ca.SX(0, 1))
    direct = [name for name, command in bound.commands.items() if ca.depends_on(ca.SX(command), driven)]
    if direct:
        raise ComputationError(
            f"close_loop: the command of {listing(direct)} depends on itself at once: something measured depends "
            "on a driven input without delay, as the output of an Accelerometer does. Measure something else, use it "
            "in an observer, or make the law Sampled with a delay."
        )


def _refuse_repeated(*groups: Variables) -> None:
    names = [name for group in groups for name in group.names]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError(
            f"close_loop: {listing(repeated)} would be there twice; give one of the laws another name, as in "
            "PID(..., name='outer')."
        )
