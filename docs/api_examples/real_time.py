"""Examples of receding horizons."""

# %%
import numpy as np

import flexblocks as fb
from flexblocks import control, models, optim

dae = fb.assemble(models.subudhi_morris_2002(modes=1))
start = {"joint1.angle": -0.5, "rotor1.angle": -0.5, "joint2.angle": 1.0, "rotor2.angle": 1.0}

# %% optim.MPC optim.Report
task = optim.Tracking({"payload.x": 0.85, "payload.y": 0.05}, tolerance=1e-3)
mpc = optim.MPC(dae, task, sample_time=4e-3, horizon=0.4, intervals=8, effort=0.3, at=start)
run = fb.simulate(control.close_loop(dae, mpc), (0.0, 0.1), x0=start)
report = mpc.report(run)  # an optim.Report
print(report.steps, report.fallbacks)

# %% optim.MovingHorizon optim.Estimates
measured = ["rotor1.angle", "rotor2.angle"]
observer = optim.MovingHorizon(
    dae, measured, noise=1e-4, process={"motor1.torque": 1e-6, "motor2.torque": 1e-6}, sample_time=5e-3
)
motion = fb.simulate(dae, np.arange(41) * 5e-3, {"motor1.torque": 0.2})
estimates = observer.filter(fb.Record.from_trajectory(motion, measured))  # optim.Estimates
print(np.abs(estimates["joint2.angle"] - motion["joint2.angle"]).max())
