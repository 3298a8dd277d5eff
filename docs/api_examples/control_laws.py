"""Examples of control."""

# %%
import numpy as np

import flexblocks as fb
from flexblocks import control, models

dae = fb.assemble(models.subudhi_morris_2002(modes=1))
LOOPS = {"rotor1.angle": "motor1.torque", "rotor2.angle": "motor2.torque"}
servo = control.PD(LOOPS, kp=5.0, kd=0.5)
mode = next(mode for mode in fb.linearize(dae).modes() if mode.eigenvalue.imag > 0)

# %% control.EI control.Shaper
shaper = control.EI(mode, vibration=0.05)  # a Shaper, as control.ZV and control.ZVD return
print(shaper.residual(1.1 * mode.frequency))  # vibration left if the mode is 10 % off
shaped = shaper.apply(fb.bang_bang(0.2, 0.5))

# %% control.PID
closed = control.close_loop(dae, control.PID(LOOPS, kp=5.0, ki=2.0, kd=0.5, tracking_time=0.2))

# %% control.GravityCompensation control.Sum control.Law
heavy = fb.assemble(models.yu_chen_2019())
joints = {"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}
rigid = fb.assemble(fb.stiffen(models.yu_chen_2019()))
law = control.PD(joints, kp=125.0, kd=25.0) + control.GravityCompensation(model=rigid)  # control.Sum(law, other)
closed = control.close_loop(heavy, law)

# %% control.Bindable control.Bound
from dataclasses import dataclass


@dataclass(frozen=True)
class Damper(control.Law):
    """A law of your own: it brakes the motors; u = -d v."""

    damping: float

    def bind(self, dae: fb.DAE, actuators: object) -> control.Bound:
        rates = {f"motor{i}.torque": dae.x.symbol[dae.x.index(f"der(rotor{i}.angle)")] for i in (1, 2)}
        return control.Bound({name: -self.damping * rate for name, rate in rates.items()})


print(np.linalg.eigvals(fb.linearize(control.close_loop(dae, Damper(0.5))).A).real.max())

# %% control.Controller control.controller
controller: control.Controller = control.controller(servo, dae, sample_time=1e-3)
print(controller.measured.names, controller.outputs.names)
print(controller.dae)  # runs on recorded signals: fb.simulate(controller.dae, t, u=...)

# %% control.Observer
observer: control.Observer = control.Kalman(
    ["rotor1.angle", "rotor2.angle"], process={"motor1.torque": 1e-3}, noise=1e-6
)

# %% control.Filtered
filter = control.SampledKalman(["rotor1.angle"], model=dae, process={"motor1.torque": 1e-3}, noise=1e-4,
                               uncertainty={"joint1.angle": 0.01})  # fmt: skip
times = np.linspace(0, 0.1, 21)
result = filter.filter(fb.Record(times, {"motor1.torque": 0.0, "motor2.torque": 0.0}, {"rotor1.angle": 0.0 * times}))
print(result["joint1.angle"][-1], result.deviation("joint1.angle")[-1], result.innovations.shape, result.nis.mean())

# %% identify Unknown
arm = fb.assemble(models.subudhi_morris_2002(modes=1), symbolic=("payload.mass",))
samples = np.arange(0, 0.5, 0.01)
swing = fb.simulate(arm, samples, u={"motor1.torque": 0.2}, p={"payload.mass": 0.12})
noisy = swing["joint2.angle"] + 1e-4 * np.random.default_rng(0).normal(size=len(samples))
record = fb.Record(samples, {"motor1.torque": 0.2, "motor2.torque": 0.0}, {"joint2.angle": noisy})
guess = fb.Unknown("payload.mass", guess=0.2, low=0.01, high=1.0)  # from data alone; mean=, deviation= are a prior
fit = fb.identify(arm, record, guess, noise={"joint2.angle": 1e-4}, compiled=False)

# %% Fit
print(fit)
print(fit.p, fit.intervals["payload.mass"], fit.worst.frequency, fit.undetermined)
arm_as_measured = fit.model

# %% Validation
validation = fit.validate(record)  # of a record that was not used, as a rule
print(validation.is_consistent)

# %% control.Reference control.reference
way = control.reference(control.quintic(0.0, 1.0, 2.0))
print(way.position(1.0), way.rate(1.0), way.acceleration(1.0))

# %% control.Margins
margins = control.margins(dae, servo)["motor1.torque"]
print(margins)

# %% control.OpenLoop control.open_loop
loop = control.open_loop(dae, servo)  # the loop cut at the motors
print(loop.inputs, loop.A.shape)

# %% control.Spillover
few, many = (fb.assemble(models.subudhi_morris_2002(links=1, modes=modes)) for modes in (1, 3))
report = control.spillover(control.LQR({"payload.y": 100.0}), design=few, finer=many)
print(report.stable)

# %% control.SingularPerturbation control.TimeScales
split = control.singular_perturbation(dae)  # split.slow is a DAE, the arm with stiff joints and links
slow, fast = control.ComputedTorque(5.0, 2.0, model=split.slow), control.FastFeedback.damper(split, 1.0)
closed = control.close_loop(dae, control.SlowFast(slow, fast))
run = fb.simulate(closed, (0.0, 1.0), control.follow(closed, {"joint1.angle": control.quintic(0.0, 0.5, 1.0)}))
scales = control.time_scales(split, run, slow, fast)
print(scales.ratio)

# %% control.GainSchedule control.gain_schedule
schedule = control.gain_schedule(
    lambda at: np.array([[1.0 + np.cos(at["joint2.angle"])]]), {"joint2.angle": (0.0, 1.5)}
)

# %% control.TimeVaryingLQR
goals = {"rotor1.angle": control.quintic(0.0, 0.5, 1.0), "rotor2.angle": control.quintic(0.0, 0.3, 1.0)}
led = control.close_loop(dae, servo)
motion = fb.simulate(led, np.linspace(0.0, 1.0, 101), control.follow(led, goals))
tracker = control.TimeVaryingLQR(
    fb.simulate(dae, motion.t, u={name: motion[name] for name in dae.u.names}),
    {"elastic_energy": 10.0, "joint1.angle": 10.0},
)
closed = control.close_loop(dae, tracker)
run = fb.simulate(closed, motion.t, u=tracker.signals(dae, closed))
