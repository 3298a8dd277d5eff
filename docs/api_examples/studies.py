"""Examples of studies."""

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import flexblocks as fb
from flexblocks import models, plot, studies, tasks

arm = models.subudhi_morris_2002(modes=1)


def peak(case: dict) -> float:
    """Return the largest deflection [m] of a cantilever, a stand-in for what takes long."""
    return case["load"] * case["length"] ** 3 / (3 * case["rigidity"])


# %% studies.Cases
cases: fb.studies.Cases = fb.studies.grid({"payload.mass": [0.05, 0.1], "joint2.angle": [0.0, 0.5, 1.0]})
print(len(cases))

# %% grid
postures = fb.grid({"joint1.angle": [0.0, 1.0], "joint2.angle": [0.0, 0.5]})

# %% studies.samples
cases = fb.studies.samples({"load": (1.0, 2.0), "length": (0.4, 0.6), "rigidity": (0.9, 1.1)}, 32)
runs = fb.study(peak, cases)

# %% studies.table
runs_of_table = fb.study(peak, fb.studies.table({"load": [1.0, 2.0], "length": [0.5, 0.5], "rigidity": [1.0, 1.2]}))

# %% plot.scatter_matrix plot.parallel_coordinates
ax = plot.parallel_coordinates(runs, ["load", "length", "value"], color="value")
axes = plot.scatter_matrix(runs, ["load", "length", "value"])

# %% studies.morris_design studies.morris_effects
RANGES = {"load": (1.0, 2.0), "length": (0.4, 0.6), "rigidity": (0.9, 1.1)}
effects = studies.morris_effects(fb.study(peak, studies.morris_design(RANGES, 8)), "value")
print(effects)

# %% studies.sobol_indices studies.sobol_design
indices = studies.sobol_indices(fb.study(peak, studies.sobol_design(RANGES, 64)), "value")
print(indices)

# %% studies.StudyError
try:
    runs = fb.study(peak, cases)
except studies.StudyError as error:  # its workers died, say: what is finished is there
    runs = error.dataset

# %% studies.StoreError
folder = Path(tempfile.mkdtemp(suffix=".zarr"))
(folder / "notes.txt").write_text("no study")
try:
    fb.study(peak, cases, store=folder)
except studies.StoreError as error:
    print(error)

# %% tasks.Linearize
models_of_grid = fb.study(tasks.Linearize(arm), fb.studies.grid({"payload.mass": [0.05, 0.1]}))

# %%
plt.close("all")
