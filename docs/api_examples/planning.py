"""Examples of motion planning."""

# %%
import tempfile
import warnings
from pathlib import Path

import flexblocks as fb
from flexblocks import models, optim, tasks

folder = Path(tempfile.mkdtemp())
dae = fb.assemble(models.subudhi_morris_2002(modes=1))
START, GOAL = {"joint1.angle": 0.0, "joint2.angle": 0.0}, {"joint1.angle": 1.0, "joint2.angle": 0.5}
problem = optim.RestToRest(start=START, goal=GOAL, duration=2.0)

# %% optim.Plan optim.Replay
plan = optim.plan(dae, problem, intervals=20)
print(plan.summary())
replay = plan.replay()  # an independent simulation under the planned inputs
print(replay.tip_miss, replay.energy_left)
plan.save(folder / "plan.nc")

# %% optim.rigid_motion
motion = optim.rigid_motion(dae, problem, intervals=20)  # from where the planner starts; to be looked at, and changed
raised = motion["joint2.angle"] + 0.3 * (motion.t / motion.t[-1]) * (1 - motion.t / motion.t[-1])
plan = optim.plan(dae, problem, intervals=20, guess={"joint2.angle": (motion.t, raised)})

# %% optim.Attempt
for attempt in plan.attempts:
    print(attempt)

# %% optim.Audit
audit = plan.audit()
print(audit)

# %% optim.Objective optim.Time optim.Jerk optim.Final
objective: optim.Objective = optim.Time() + 0.001 * optim.Effort()  # or optim.Jerk(), optim.Final("payload.x"), ...
fast = optim.RestToRest(start=START, goal=GOAL, objective=objective, duration=(0.5, 3.0))

# %% optim.Tracking
follow = optim.Tracking({"joint1.angle": lambda s: s**2 * (3 - 2 * s)}, over="share")

# %% optim.Excitation optim.next_experiment
t = [0.01 * k for k in range(51)]
arm = fb.assemble(models.subudhi_morris_2002(links=1, modes=1), symbolic=("spring1.stiffness",))
run = fb.simulate(arm, t, u={"motor1.torque": 0.05})
record = fb.Record(
    t, {"motor1.torque": 0.05}, {"rotor1.angle": run["rotor1.angle"] + [1e-4 * (-1) ** k for k in range(51)]}
)
with warnings.catch_warnings(action="ignore"):  # such noise is not white
    fit = fb.identify(arm, record, "spring1.stiffness", noise={"rotor1.angle": 1e-4}, compiled=False)
aim = optim.Excitation("spring1.stiffness", noise={"rotor1.angle": 1e-4})
turn = optim.RestToRest(
    start={"joint1.angle": 0.0}, goal={"joint1.angle": 0.5}, duration=0.8, limits={"motor1.torque": 0.3}
)
plan = optim.next_experiment(fit, turn, intervals=30)  # as optim.plan with the objective aim, and what the fit knows
print(aim.deviations(plan))  # relative standard deviation after the motion alone

# %% optim.Capsule optim.HalfSpace optim.KeepIn
table = optim.HalfSpace(point=(0.0, -0.4), normal=(0.0, 1.0))
pipe = optim.Capsule(end_a=(0.6, -0.3), end_b=(0.9, -0.3), radius=0.05)
cell = optim.Cuboid(low=(-1.5, -1.0), high=(1.5, 1.5))
path = (
    optim.KeepOut(table, frames="payload"),  # above the table,
    optim.KeepOut(pipe, links="link2", margin=0.01),  # off the pipe,
    optim.KeepIn(cell, frames="payload"),  # and in its cell
)
plan = optim.plan(dae, optim.RestToRest(start=START, goal=GOAL, duration=2.0, path=path), intervals=20)

# %% optim.KeepApart
apart = optim.KeepApart(links="link1", frames="payload", radius=0.05)

# %% optim.Upright
upright = optim.Upright("payload", tilt=0.1, axis=(0.0, 0.0, 1.0))

# %% optim.solve
m = optim.pyomo_model(dae, problem, intervals=20)
m.q[10, "joint1.angle"].setub(0.4)  # any constraint of your own
plan = optim.solve(m)

# %% optim.diagnose optim.Conflict
m = optim.pyomo_model(dae, problem, intervals=20)
m.q[10, "joint1.angle"].setub(-2.0)
m.q[11, "joint1.angle"].setlb(2.0)
conflict = optim.diagnose(m)  # what must give, when and by how much; None if all can be satisfied
print(conflict)

# %% optim.PlanError optim.ProblemError
try:
    optim.plan(dae, optim.RestToRest(start=START, goal={"joint9.angle": 1.0}, duration=2.0))
except optim.ProblemError as error:
    print(error)  # before anything is solved; a solve that fails raises optim.PlanError, with a report

# %% optim.PlanWarning
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", optim.PlanWarning)
    optim.plan(dae, problem, intervals=3)
print(caught[0].message)  # its mesh is too coarse ...

# %% tasks.Plan
task = tasks.Plan(models.subudhi_morris_2002(modes=1), problem, options={"intervals": 60})
plans = fb.study(task, fb.studies.grid({"payload.mass": [0.05, 0.1]}))

# %% tasks.Replay tasks.Audit
uncertain = fb.assemble(models.subudhi_morris_2002(modes=1), symbolic=("payload.mass",))
plan = optim.plan(uncertain, problem, intervals=20)
replays = fb.study(tasks.Replay(plan), fb.studies.grid({"payload.mass": [0.05, 0.1]}))

# %% tasks.Equilibrium
held = fb.study(
    tasks.Equilibrium(models.yu_chen_2019(), x={"joint1.angle": 0.5}),
    fb.studies.grid({"joint2.angle": [-1.0, -0.5, 0.0]}),
)
