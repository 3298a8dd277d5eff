"""Examples of results: linear models, comparisons, pictures, exports."""

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import flexblocks as fb
from flexblocks import export, models, notebook, plot, schemas

folder = Path(tempfile.mkdtemp())
model = models.subudhi_morris_2002(modes=1)
dae = fb.assemble(model)
run = fb.simulate(dae, (0.0, 1.0), u={"motor1.torque": 0.1})
lin = fb.linearize(dae, outputs=("payload.x", "payload.y"))

# %% stepper Stepper
step = fb.stepper(dae, 1e-3)
x = step(dae.x.start, {"motor1.torque": 0.1})
states = step.rollout(U={"motor1.torque": 0.1 * np.ones((8, 100))})  # runs, samples + 1, states

# %% LinearModel
print(lin.states, lin.inputs, lin.outputs)
print(lin.A.shape, lin.modes())
print(lin.report())  # controllability and observability

# %% reduce
small = fb.reduce(lin, states=6)  # rigid-body motions stay exact
print(small.states)

# %% LinearGrid
grid = fb.linear_grid(dae, {"joint2.angle": [0.0, 0.75, 1.5]})
print(grid)

# %% export.save_linear
export.save_linear(lin, folder / "arm.m")  # a function file for MATLAB and Octave

# %% export.save_grid
export.save_grid(grid, folder / "grid.mat")  # for MATLAB and Octave

# %% load
grid.save(folder / "grid.nc")
again = fb.load(folder / "grid.nc")

# %% Comparison
fidelities = [fb.AssumedModes(1), fb.AssumedModes(2), fb.FiniteElements(4)]
comparison = fb.compare(model, fidelities, u={"motor1.torque": 0.1})
print(comparison)
axes = plot.comparison(comparison)

# %% plot.time_series
ax = plot.time_series(run, ["joint1.angle", "joint2.angle"])

# %% plot.eigenvalues
ax = plot.eigenvalues(lin, reach=100.0)

# %% plot.mode plot.modes
ax = plot.mode(lin, 3)
axes = plot.modes(lin)  # the six slowest that are no rigid-body motions

# %% plot.model
ax = plot.model(model)  # the blocks and what joins them

# %% plot.Animation
animation = plot.animate(run, exaggeration=3.0)
animation.save(folder / "run.html")  # or .glb, .gif, .mp4

# %% export.report
export.report(run, folder / "run_report.html")
export.report(lin, folder / "modes.html")

# %% export.save_equations
export.save_equations(fb.assemble(models.subudhi_morris_2002(links=1, modes=1)), folder / "arm.tex")

# %% export.linear_schema
print(sorted(export.linear_schema()))

# %% notebook.html
page = notebook.html(lin)  # what a notebook shows of it

# %% notebook.latex
equations = export.equations(fb.assemble(models.subudhi_morris_2002(links=1, modes=1)), "sympy")  # pip install sympy
formulas = notebook.latex(equations)

# %% schemas.SCHEMAS schemas.document_schema schemas.text_of
schema = schemas.document_schema("model")
(folder / "model.schema.json").write_text(schemas.text_of(schema))

# %%
plt.close("all")

# %% Record
t = np.arange(0.0, 2.0, 0.01)
angle = np.where((t > 1.0) & (t < 1.1), np.nan, 0.01 * t**2)  # with a gap
record = fb.Record(t, u={"motor1.torque": 0.1 * np.sin(t)}, y={"joint1.angle": angle}, units={"joint1.angle": "rad"})
print(record.filtered(10.0).between(0.5, 1.5))

# %% FrequencyResponse plot.frequency_response
response = fb.FrequencyResponse.of(dae, np.linspace(0.1, 5.0, 200), "motor1.torque", "joint1.angle")
measured = fb.FrequencyResponse(
    response.frequency,
    1.02 * response.response,
    response.inputs,
    response.outputs,
    coherence=np.full((200, 1), 0.98),
    averages=20,
)
measured.plot(beside=dae)

# %% identify_response SpectralFit
fit = fb.identify_response(dae, measured.between(0.2, 1.0), ["payload.mass"], starts=1)
print(fit.p, fit.intervals)

# %% identify_modes MeasuredModes
taps = fb.MeasuredModes([1.15, 5.2], locked={"rotor1.angle": 0.0, "rotor2.angle": 0.0})  # [Hz], brakes on
fit = fb.identify_modes(dae, taps, ["link1.flexural_rigidity", "link2.flexural_rigidity"], starts=2)
print(fit.residuals)

# %% regressor Regressor RegressorFit
rigid = fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid"))
regressor = fb.regressor(rigid)
print(regressor.names)  # base parameters in words
motion = fb.simulate(
    rigid,
    np.arange(0.0, 4.0, 2e-3),
    {"motor1.torque": fb.Signal(lambda t: np.sin(3 * t)), "motor2.torque": fb.Signal(lambda t: np.cos(5 * t))},
)
fit = regressor.fit(fb.Record.from_trajectory(motion, ["joint1.angle", "joint2.angle"]), held=False)
print(fit.links["link2"])

# %% plot.record
measured = fb.Record.from_trajectory(run, ["joint1.angle", "joint2.angle"])
plot.record(measured, beside=run)
