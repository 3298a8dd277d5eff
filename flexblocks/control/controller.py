"""Digital controllers by themselves: what they measure, their references, states and updates, without the arm."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.control.design.driven_inputs import without_disturbances
from flexblocks.control.estimation.observer import Observer
from flexblocks.control.law import Bindable, Bound, SampledUpdate, as_law
from flexblocks.control.laws.sampled import Sampled
from flexblocks.control.measured import signal
from flexblocks.control.naming import prefixed
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators, actuators
from flexblocks.control.sensing.sensed_arm import SensedArm
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.evaluation.incidence import Incidence
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.cut_joints import Loops
from flexblocks.dynamics.tree.feedback import Feedback
from flexblocks.errors import ParameterError, listing
from flexblocks.interfaces.physics import Output
from flexblocks.interfaces.variables import Variables, variables
from flexblocks.symbolic_pickle import HoldsSymbols


@dataclass(frozen=True, eq=False)
class Controller(HoldsSymbols):
    """A digital controller or observer by itself, see `controller`.

    Attributes
    ----------
    name : str
    arm : DAE
        The arm that it is for.
    law : Sampled or Observer
    sample_time : float
        [s]
    measured : Variables
        What it receives from the arm: states, algebraic variables, outputs, and inputs that it does not drive.
    references : Variables
    states : Variables
        Held commands, integrals, estimates.
    parameters : Variables
        Symbolic parameters of the arm that it depends on.
    outputs : Variables
        The inputs of the arm that it drives, with their limits, ``motor1.torque``; of an observer its estimates at the
        sample, ``observed.joint1.angle``.
    clocks : tuple of Clock
        Updates of the states, functions of (states, [], [measured, references], parameters).
    output : casadi.Function
        (states, parameters) -> the outputs: saturated commands, or estimates.
    """

    name: str
    arm: DAE
    law: Sampled | Observer
    sample_time: float
    measured: Variables
    references: Variables
    states: Variables
    parameters: Variables
    outputs: Variables
    clocks: tuple[Clock, ...]
    output: ca.Function

    def __repr__(self) -> str:
        return (
            f"Controller({self.name!r}: every {self.sample_time:g} s, measures {listing(self.measured.names)}; "
            f"{len(self.references)} references, {len(self.states)} states; gives {listing(self.outputs.names)})"
        )

    @property
    def is_law(self) -> bool:
        """Whether it commands the arm; otherwise it observes it."""
        return not isinstance(self.law, Observer)

    @property
    def dae(self) -> DAE:
        """The controller as a DAE: its inputs are what it measures, then its references.

        `flexblocks.simulate` runs it on recorded data, `flexblocks.export.fmu` makes a component of it.
        """
        x, p, arm = self.states.symbol, self.parameters.symbol, self.arm
        u, z = grouped("input", [self.measured, self.references]), variables("algebraic variable", ())
        u = dataclasses.replace(u, derivative_of=tuple(name if name in u else None for name in u.derivative_of))

        def function(name: str, result: ca.SX) -> ca.Function:
            return ca.Function(name, [x, z.symbol, u.symbol, p], [result], ["x", "z", "u", "p"], [name])

        feedback = Feedback(
            function("inputs", ca.SX(0, 1)),
            function("rates", ca.SX.zeros(len(self.states))),
            function("shown", self.output(x, p)),
            dict(zip(self.outputs.names, self.outputs.units, strict=True)),
        )
        # Of the arm nothing is left but the ground.
        nothing = slice(0, 0)
        ground = dataclasses.replace(
            arm.tree.bodies[arm.tree.root], share=Incidence.of((), (0, 0)), w=nothing, z=nothing, u=nothing
        )
        tree = dataclasses.replace(
            arm.tree, bodies=(ground,), size=0, p=p, loops=Loops(), feedback=feedback, locks=(), elements=(),
            prescribed=(), frames={}, first_order={}, state_ranges={},
        )  # fmt: skip
        return DAE(self.name, self.states, z, u, self.parameters, self.outputs, tree, clocks=self.clocks)

    def measure(self) -> ca.Function:
        """Return what is measured at the arm, function of the arm's (x, z, u, p)."""
        arm = self.arm
        symbols = [arm.x.symbol, arm.z.symbol, arm.u.symbol, arm.p.symbol]
        values = [_signal(arm, name) for name in self.measured.names]
        return ca.Function("measured", symbols, [ca.densify(ca.vertcat(*values, ca.SX(0, 1)))])


def controller(
    law: Bindable | Observer,
    dae: DAE,
    sample_time: float,
    *,
    measured: Sequence[str] | None = None,
    limits: bool = True,
) -> Controller:
    """Return a law or an observer as a digital controller by itself, without the arm.

    Parameters
    ----------
    law : Bindable or Observer
        What `Sampled` takes, or a `Sampled` law of the same sample time, with its delay.
    dae : DAE
        The arm.
    sample_time : float
        [s]
    measured : sequence of str, optional
        States, outputs and inputs of the arm that sensors measure; the controller may use nothing else of it. By
        default what the law uses, which must not contain elastic coordinates, those with an index such as
        ``link1.bending_y[1]``, since sensors do not measure them. An `optim.MPC` by itself, which predicts from states,
        has all of them measured.
    limits : bool
        Whether commands saturate at the limits of the arm's inputs, as in `close_loop`.

    Returns
    -------
    Controller
        At every sample it does what the law does in `close_loop` of the `Sampled` law. An observer receives the inputs
        of the arm, too, those that act from the sample on. Disturbances are not known to it, and zero.

    Raises
    ------
    ParameterError
        The law uses what is not measured, or is sampled at other times.
    FlexblocksError
        What `close_loop` raises for this law.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import control, models
    >>> dae = fb.assemble(models.subudhi_morris_2002())
    >>> law = control.PD({"rotor1.angle": "motor1.torque", "rotor2.angle": "motor2.torque"}, kp=5.0, kd=0.5)
    >>> control.controller(law, dae, 1e-3).measured.names
    ('rotor1.angle', 'rotor2.angle', 'der(rotor1.angle)', 'der(rotor2.angle)')
    """
    sampled = _sampled(law, sample_time)
    plant = SensedArm.of(dae.interpreted, {}, {})
    drives = actuators(plant, limits)
    bind = _observing if isinstance(sampled, Observer) else _commanding
    bound = bind(sampled, dae, plant, drives, sample_time)  # pyright: ignore[reportArgumentType]
    # Inputs that it drives are what it commands; of the others it knows what it receives.
    known = without_disturbances(dae, dae.u.symbol, ())
    inputs = [bound.commands.get(name, known[i]) for i, name in enumerate(dae.u.names)]
    before, after = ca.vertcat(drives.before, plant.u.symbol), ca.vertcat(*inputs, *inputs, ca.SX(0, 1))
    changes = [ca.substitute(update.change, before, after) for update in bound.updates]
    used = ca.vertcat(*changes)
    told = _told(dae, plant, used)
    if measured is None and getattr(law.law if isinstance(law, Sampled) else law, "predicts_from_states", False):
        measured = told.names
    _refuse_unmeasured(dae, told.names, measured)
    parameters = dae.p.take([i for i in range(len(dae.p)) if ca.depends_on(used, dae.p.symbol[i])])
    symbols = [bound.states.symbol, ca.SX(0, 1), ca.vertcat(told.symbol, bound.references.symbol), parameters.symbol]
    clocks = [
        Clock(update.period, update.offset, _change(symbols, change))
        for update, change in zip(bound.updates, changes, strict=True)
    ]
    shown = ca.densify(ca.vertcat(*[output.value for output in bound.outputs.values()]))
    entries = [(name, output.unit, 0.0) for name, output in bound.outputs.items()]
    limited = [float(dae.u.limits[dae.u.index(name)]) if name in dae.u else None for name in bound.outputs]
    return Controller(
        f"{'observer' if isinstance(sampled, Observer) else 'controller'} of {dae.name}",
        dae,
        sampled,
        sample_time,
        told,
        bound.references,
        bound.states,
        parameters,
        variables("output", entries, limited),
        tuple(clocks),
        ca.Function("output", [bound.states.symbol, parameters.symbol], [shown]),
    )


def _commanding(law: Sampled, dae: DAE, plant: DAE, drives: Actuators, sample_time: float) -> Bound:
    """Return a sampled law with its saturated commands, which are its outputs."""
    del sample_time
    bound = law.designed_on(dae.interpreted).bind(plant, drives)
    commands = {name: drives.saturated(name, ca.SX(command)) for name, command in bound.commands.items()}
    outputs = {name: Output(command, dae.u.unit(name)) for name, command in commands.items()}
    return dataclasses.replace(bound, commands=commands, outputs=outputs)


def _observing(observer: Observer, dae: DAE, plant: DAE, drives: Actuators, sample_time: float) -> Bound:
    """Return an observer that receives all inputs; its outputs are its estimates at a sample, held until the next."""
    estimate = observer.designed_on(dae.interpreted).estimate(plant, drives, sample_time)
    model = observer.model or dae
    names = {name: prefixed("observed", name) for name in estimate.values}
    starts = estimate.states.start[: len(names)].tolist()
    entries = [(f"held.{names[name]}", model.x.unit(name), start) for name, start in zip(names, starts, strict=True)]
    held = variables("state", entries)
    # What was measured may contain the inputs that acted until the sample: those that it received at the last one.
    starts = dae.u.start.tolist()
    last = variables("state", [(f"last.{n}", u, v) for n, u, v in zip(dae.u.names, dae.u.units, starts, strict=True)])
    change = ca.vertcat(sample_time * estimate.rates, ca.vertcat(*estimate.values.values()) - held.symbol)
    inputs = ca.vertcat(drives.applied, drives.before), ca.vertcat(plant.u.symbol, last.symbol)
    change = ca.substitute(change, *inputs)
    used = [i for i in range(len(last)) if ca.depends_on(change, last.symbol[i])]
    last = last.take(used)
    kept = ca.vertcat(*[plant.u.symbol[i] for i in used], ca.SX(0, 1)) - last.symbol
    update = SampledUpdate(sample_time, 0.0, ca.vertcat(change, kept))
    shown = zip(names.values(), ca.vertsplit(held.symbol), held.units, strict=True)
    return Bound(
        {},
        states=grouped("state", [estimate.states, held, last]),
        outputs={name: Output(value, unit) for name, value, unit in shown},
        updates=(update,),
    )


def _sampled(law: Bindable | Observer, sample_time: float) -> Sampled | Observer:
    """Return the law sampled at this sample time, or the observer."""
    if isinstance(law, Observer):
        if not 0 < sample_time < np.inf:
            raise ParameterError(f"controller: sample_time = {sample_time!r}; must be a number > 0 [s].")
        return law
    if not isinstance(law, Sampled):
        return Sampled(as_law(law, "controller"), sample_time)
    if law.sample_time != sample_time:
        raise ParameterError(
            f"controller: sample_time = {sample_time!r}, but the law is Sampled every {law.sample_time!r} s; must be "
            "the same."
        )
    return law


def _change(symbols: list[ca.SX], change: ca.SX) -> ca.Function:
    return ca.Function("change", symbols, [ca.densify(ca.cse(change))], ["x", "z", "u", "p"], ["change"])


def _told(dae: DAE, plant: SensedArm, used: ca.SX) -> Variables:
    """Return what a law receives: all of the arm that its updates depend on."""
    outputs = Variables(
        "output",
        tuple(plant.raw),
        tuple(raw.unit for raw in plant.raw.values()),
        np.zeros(len(plant.raw)),
        ca.vertcat(*[raw.symbol for raw in plant.raw.values()], ca.SX(0, 1)),
        np.full(len(plant.raw), np.inf),
    )
    parts = [
        group.take([i for i in range(len(group)) if ca.depends_on(used, group.symbol[i])])
        for group in (dae.x, dae.z, outputs, dae.u)
    ]
    told = grouped("input", [dataclasses.replace(part, roles=(), derivative_of=()) for part in parts])
    return dataclasses.replace(
        told,
        limits=np.full(len(told), np.inf),
        roles=("reference",) * len(told),
        derivative_of=(None,) * len(told),
    )


def _signal(dae: DAE, name: str) -> ca.SX:
    """Return what is measured of an arm by that name: an input, a state or output, or the rate of one."""
    return dae.u.symbol[dae.u.index(name)] if name in dae.u else signal(dae, name, "controller").value


def _refuse_unmeasured(dae: DAE, told: Sequence[str], measured: Sequence[str] | None) -> None:
    """Refuse a law that uses what no sensor measures."""
    if measured is None:
        coordinates = dae.q_names
        elastic = {name for name in coordinates if "[" in name}
        unknown = [name for name in told if name.removeprefix("der(").rstrip(")") in elastic]
        advice = f"name what your sensors measure, measured=[{told[0]!r}, ...]" if told else ""
    else:
        names = (measured,) if isinstance(measured, str) else tuple(measured)
        unknown = [name for name in told if name not in names]
        advice = "name them in measured="
    if unknown:
        raise ParameterError(
            f"controller: the law uses {listing(unknown)}, which no sensor measures; must use measured signals alone. "
            f"Estimate the states by an observer, as in OutputFeedback(law, Kalman(measured, ...)), or {advice}."
        )
