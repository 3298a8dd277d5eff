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
