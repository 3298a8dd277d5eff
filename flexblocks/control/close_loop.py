"""Closed loop of an arm and a control law, as a DAE."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.control.design.driven_inputs import without_disturbances
from flexblocks.control.law import Bindable, Bound, SampledUpdate, as_law
from flexblocks.control.measured import signal
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators, actuators
from flexblocks.control.sensing.sampler import Raw
from flexblocks.control.sensing.sensed_arm import SensedArm
from flexblocks.control.sensing.sensor import Sensor, checked_sensors
from flexblocks.control.sensor_updates import through_sensors
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.feedback import Feedback, feedback_around
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError, listing, suggestion
from flexblocks.interfaces.physics import Output
from flexblocks.interfaces.variables import Variables, variables
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import UNREAD_SENSORS


def close_loop(
    dae: DAE,
    law: Bindable,
    *,
    limits: bool = True,
    disturbances: bool | Iterable[str] = (),
    sensors: Iterable[Sensor] = (),
) -> DAE:
    """Return the closed loop of an arm and a law, which is a DAE again.

    Parameters
    ----------
    dae : DAE
        The arm; it may be a closed loop itself.
    law : Law
        Or anything with the method `bind`, see `control.Bindable`.
    limits : bool
        Whether commands saturate at the limits of the arm's inputs (``limit`` of a TorqueSource or ForceSource), by an
        exact clamp.
    disturbances : bool or iterable of str
        Driven inputs to which a disturbance is added after saturation; True for all of them.
    sensors : iterable of Sensor
        What laws measure through sensors: their resolution, noise, delay and so on. All else is measured as it is.

    Returns
    -------
    DAE
        Everything that works on a DAE works on it. The driven inputs of the arm are gone; new are

        * in u: the references of the law, ``reference.joint1.angle``, ``der(reference.joint1.angle)``, and
          ``disturbance.motor1.torque``; noise of sensors, ``noise.joint1.angle``, and whether a sample is lost,
          ``lost.joint1.angle``, see `Sensor`; the equations remain independent of time;
        * in x, at its end: the states of the law, ``pid.integral[1]``, and of sensors, ``sensor.joint1.angle``;
        * in y: the inputs that reach the arm, under their own names, ``motor1.torque``; for inputs with a limit also
          the command before saturation, ``command.motor1.torque``; and the outputs of the law, ``error.joint1.angle``.
          With ``limits=False`` they keep the limits of the inputs, so that simulations warn of what exceeds them.

    Raises
    ------
    NameUnknownError
        The law or `disturbances` name a variable that the arm does not have.
    ParameterError
        The law cannot control this arm, or two variables would have the same name; a law in continuous time reads a
        sensor that takes samples of it.
    ComputationError
        Algebraic loop: a command depends on itself through a measurement that has direct feedthrough from an input.

    Warns
    -----
    FlexblocksWarning
        No law reads one of the sensors.

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
    law = as_law(law, "close_loop")
    # Bind the law to the symbols of the arm.
    drives = actuators(dae, limits)
    arm = _sensed(dae, sensors)
    bound = law.bind(arm, drives)
    if isinstance(arm, SensedArm):
        bound = through_sensors(arm, bound)
        _warn_of_unread(arm)
    samplers = list(arm.samplers.values()) if isinstance(arm, SensedArm) else []
    _refuse_unfit(dae, bound)
    # Put its commands, saturated and disturbed, in the place of the inputs.
    disturbance = _disturbances(dae, bound, disturbances)
    loop = _loop(dae, bound, drives, disturbance)
    # Give the closed loop its variables, and the tree the feedback that every algorithm of dynamics evaluates.
    u = grouped("input", [_undriven(dae, bound), bound.references, disturbance, *(each.inputs for each in samplers)])
    u = dataclasses.replace(u, derivative_of=tuple(name if name in u else None for name in u.derivative_of))
    x = grouped("state", [dae.x, bound.states])
    y = grouped("output", [dae.y, _shown(dae, loop, limits, disturbance)])
    _refuse_repeated(x, dae.z, u, dae.p, y)
    feedback = _feedback(dae, loop, bound, x, u)
    tree = dataclasses.replace(dae.tree, feedback=feedback)
    clocks = _clocks(dae, loop, bound, x, u)
    return dataclasses.replace(dae, x=x, u=u, y=y, tree=tree, model=None, clocks=clocks)


def _sensed(dae: DAE, sensors: Iterable[Sensor]) -> DAE:
    """Return the arm as its law sees it."""
    given = checked_sensors(sensors, "close_loop")
    if not given:
        return dae
    signals = {name: signal(dae, name, "close_loop: sensors") for name in given}
    raw = {name: Raw(ca.SX.sym(name), m.value, m.unit, m.start) for name, m in signals.items()}
    return SensedArm.of(dae, given, raw)


def _warn_of_unread(arm: SensedArm) -> None:
    if arm.unread:
        warn(
            f"close_loop: sensors: the law does not measure {listing(arm.unread)}; these sensors do nothing.",
            UNREAD_SENSORS,
        )


@dataclass(frozen=True, eq=False)
class _Loop:
    """Expressions in the symbols of the closed loop: inputs of the arm, rates and updates of the law, outputs."""

    inputs: ca.SX
    rates: ca.SX
    updates: tuple[SampledUpdate, ...]
    outputs: Mapping[str, Output]


def _loop(dae: DAE, bound: Bound, drives: Actuators, disturbance: Variables) -> _Loop:
    """Return the loop with saturated commands plus disturbances in the place of the driven inputs."""
    # What the controller knows of the inputs: its saturated commands, and the inputs that it does not drive, unless
    # these are disturbances.
    saturated = {name: drives.saturated(name, command) for name, command in bound.commands.items()}
    excess = drives.excess_values(bound.commands)
    symbols = {name: dae.u.symbol[i] for i, name in enumerate(dae.u.names)}
    measured = without_disturbances(dae, dae.u.symbol, ())
    known = ca.vertcat(*[saturated.get(name, measured[i]) for i, name in enumerate(symbols)], ca.SX(0, 1))
    # What reaches the arm: all of them, plus disturbances of those that it drives.
    added = dict(zip(disturbance.names, ca.vertsplit(disturbance.symbol), strict=True)) if len(disturbance) else {}
    acting = {name: saturated.get(name, own) + added.get(f"disturbance.{name}", 0) for name, own in symbols.items()}

    inputs = ca.vertcat(*acting.values(), ca.SX(0, 1))
    before = ca.vertcat(drives.excess, drives.applied, drives.before, dae.u.symbol)
    after = ca.vertcat(excess, known, known, inputs)

    def with_applied(expression: ca.SX) -> ca.SX:
        return ca.substitute(expression, before, after)

    outputs = {name: Output(acting[name], dae.u.unit(name)) for name in bound.commands}
    outputs |= {
        f"command.{name}": Output(command, dae.u.unit(name))
        for name, command in bound.commands.items()
        if drives.has_limit(name)
    }
    outputs |= {name: Output(with_applied(o.value), o.unit) for name, o in bound.outputs.items()}
    return _Loop(
        inputs,
        with_applied(bound.rates),
        tuple(update.through(with_applied) for update in bound.updates),
        outputs,
    )


def _shown(dae: DAE, loop: _Loop, limits: bool, disturbance: Variables) -> Variables:
    """Return the outputs of the loop; the inputs that it drives keep the limits that are not enforced.

    Those with a disturbance do not: what is added is no command.
    """
    kept = {} if limits else dict(zip(dae.u.names, dae.u.limits.tolist(), strict=True))
    entries = [(name, output.unit, 0.0) for name, output in loop.outputs.items()]
    return variables(
        "output",
        entries,
        [None if f"disturbance.{name}" in disturbance.names else kept.get(name) for name in loop.outputs],
    )


def _feedback(dae: DAE, loop: _Loop, bound: Bound, x: Variables, u: Variables) -> Feedback:
    """Return the feedback of the whole loop, composed with that of an inner loop if the arm is one already."""
    z, p = dae.z.symbol, dae.p.symbol
    outputs = ca.vertcat(*[ca.SX(o.value) for o in loop.outputs.values()])
    units = {name: o.unit for name, o in loop.outputs.items()}
    at_inner, symbols = (dae.x.symbol, z, loop.inputs, p), (x.symbol, z, u.symbol, p)
    return feedback_around(dae.tree.feedback, at_inner, symbols, loop.rates, outputs, units, bound.rest)


def _clocks(dae: DAE, loop: _Loop, bound: Bound, x: Variables, u: Variables) -> tuple[Clock, ...]:
    """Return the clocks of an inner loop and those of this law's updates; each leaves the other's states alone."""
    symbols = [x.symbol, dae.z.symbol, u.symbol, dae.p.symbol]

    def of_inner(change: ca.Function) -> ca.Function:
        inner = change(dae.x.symbol, dae.z.symbol, loop.inputs, dae.p.symbol)
        return _function("change", symbols, ca.cse(ca.vertcat(inner, ca.SX.zeros(len(bound.states)))))

    def of_law(change: ca.SX) -> ca.Function:
        return _function("change", symbols, ca.cse(ca.vertcat(ca.SX.zeros(len(dae.x)), change)))

    clocks = [clock.through(of_inner) for clock in dae.clocks]
    # Updates at the same times, of laws and sensors, are one: each has its own states.
    times = dict.fromkeys((update.period, update.offset) for update in loop.updates)
    for period, offset in times:
        together = [update for update in loop.updates if (update.period, update.offset) == (period, offset)]
        change = sum((update.change for update in together[1:]), together[0].change)
        linear = None
        if any(update.linear is not None for update in together):
            parts = [update.change if update.linear is None else update.linear for update in together]
            linear = of_law(sum(parts[1:], parts[0]))
        noises = tuple(noise for update in together for noise in update.noises)
        clocks.append(Clock(period, offset, of_law(change), linear, noises))
    return tuple(clocks)


def _function(name: str, symbols: list[ca.SX], result: ca.SX) -> ca.Function:
    return ca.Function(name, symbols, [ca.densify(result)], ["x", "z", "u", "p"], [name])


def _undriven(dae: DAE, bound: Bound) -> Variables:
    """Return the inputs that no law drives, with their symbols."""
    return dae.u.take([i for i, name in enumerate(dae.u.names) if name not in bound.commands])


def _disturbances(dae: DAE, bound: Bound, requested: bool | Iterable[str]) -> Variables:
    """Return the requested disturbance inputs; refuse one at an input that the law does not drive."""
    if isinstance(requested, str):
        requested = (requested,)
    names = list(bound.commands) if requested is True else [] if requested is False else list(requested)
    for name in names:
        if name not in bound.commands:
            raise NameUnknownError(
                f"close_loop: disturbances: the law drives no input '{name}'"
                f"{suggestion(name, bound.commands, 'it drives')}"
            )
    entries = [(f"disturbance.{name}", dae.u.unit(name), 0.0) for name in names]
    return variables("input", entries, roles=["disturbance"] * len(entries))


def _refuse_unfit(dae: DAE, bound: Bound) -> None:
    """Refuse commands for inputs that the arm does not have, and algebraic loops."""
    for name in bound.commands:
        dae.u.index(name)
    driven = ca.vertcat(*[dae.u.symbol[dae.u.index(name)] for name in bound.commands], ca.SX(0, 1))
    direct = [name for name, command in bound.commands.items() if ca.depends_on(ca.SX(command), driven)]
    if direct:
        raise ComputationError(
            f"close_loop: algebraic loop: the command of {listing(direct)} depends on itself at once, through a "
            "measurement with direct feedthrough from a driven input, such as the output of an Accelerometer. Measure "
            "something else, use it in an observer, or make the law Sampled with a delay."
        )


def _refuse_repeated(*groups: Variables) -> None:
    """Refuse a closed loop in which two variables would have the same name."""
    names = [name for group in groups for name in group.names]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError(
            f"close_loop: two variables would be named {listing(repeated)}; must differ. Give one law another name, as "
            "in PID(..., name='outer')."
        )
