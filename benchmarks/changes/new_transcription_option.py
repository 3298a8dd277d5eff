"""A new transcription option: how the mesh is spaced, with shorter intervals at the ends of a motion."""

from __future__ import annotations

from benchmarks.changes.change import Change, Edit, after

OPTIONS = "optim/collocation/transcription_options.py"
MESH = "optim/collocation/mesh.py"
TRANSCRIBE = "optim/presolve/transcribe.py"

DOCSTRING = """\
    grading : "uniform" or "clustered"
        Whether intervals are all of one length, or shorter towards the ends of a phase, where torques change most.
"""

CLUSTERED = '''\
def clustered_mesh(duration: float, intervals: int, through: Sequence[float] = ()) -> Mesh:
    """Return a mesh of Chebyshev's points between the shares `through`: its intervals are shorter at their ends."""
    even, ends = uniform_mesh(1.0, intervals, through).times, np.array([0.0, *through, 1.0])
    stretch = np.clip(np.searchsorted(ends, even, side="right") - 1, 0, len(ends) - 2)
    start, length = ends[stretch], np.diff(ends)[stretch]
    shares = start + length * (1 - np.cos(np.pi * (even - start) / length)) / 2
    return Mesh(shares * duration)


MESHES = {"uniform": uniform_mesh, "clustered": clustered_mesh}


def check_grading(grading: str) -> None:
    """Refuse what is no grading of intervals.

    Raises
    ------
    ProblemError
        There is none of that name.
    """
    if grading not in MESHES:
        names = " or ".join(f'"{name}"' for name in MESHES)
        raise ProblemError(f"plan: grading = {grading!r}; must be {names}.{nearest(str(grading), MESHES)}")


'''

CHECK = """
import inspect
import numpy as np
import flexblocks as fb
from flexblocks import optim

model = fb.Model("flywheel")
model.add(fb.Ground("ground"))
motor, rotor = model.add(fb.TorqueSource("motor", limit=2.0)), model.add(fb.Rotor("rotor", inertia=1.0))
model.connect(motor.flange_b, rotor.flange_a)
dae = fb.assemble(model)
problem = optim.RestToRest(start={"rotor.angle": 0.0}, goal={"rotor.angle": 1.0}, duration=2.0)

# The plan's mesh is Chebyshev's, and its optimum that of least effort, 12 angle^2 / T^3, within what the mesh allows.
plan = optim.plan(dae, optim.RestToRest(start={"rotor.angle": 0.0}, goal={"rotor.angle": 1.0}, duration=2.0,
                                        objective=optim.Effort(rate_weight=0.0), input_ends="free"),
                  intervals=16, grading="clustered")
assert plan.status == "converged", plan.status
times = plan.transcribed.first[0].mesh.times
assert np.allclose(times, 1 - np.cos(np.pi * np.arange(17) / 16))
assert np.isclose(plan.objective, 12 / 2.0**3, rtol=1e-6), plan.objective
assert np.isclose(plan.replay().trajectory["rotor.angle"][-1], 1.0, atol=1e-6)

# A via point stays a mesh point; a free duration stretches the mesh; a plan's file brings the option back.
timed = optim.RestToRest(start={"rotor.angle": 0.0}, goal={"rotor.angle": 1.0}, duration="free", objective="time")
fast = optim.plan(dae, timed, intervals=10, grading="clustered", inputs="linear")
assert np.isclose(fast.duration, 2 * np.sqrt(1.0 / 2.0), rtol=0.1), fast.duration
fast.save("plan.nc")
assert fb.load("plan.nc").transcribed.options.grading == "clustered"

assert "grading" in inspect.signature(optim.plan).parameters and "shorter towards the ends" in optim.plan.__doc__
try:
    optim.plan(dae, problem, grading="clusterd")
except optim.ProblemError as error:
    assert "clustered" in str(error), error
else:
    raise AssertionError("a grading that does not exist was not refused")
"""

CHANGE = Change(
    name="new transcription option",
    at_most=3,
    edits=(
        Edit(
            OPTIONS,
            "import check_intervals, checked_spacing\n",
            "import check_grading, check_intervals, checked_spacing\n",
        ),
        Edit(
            OPTIONS,
            "\n    Raises\n    ------\n    ProblemError\n        An invalid value",
            f"{DOCSTRING}\n    Raises\n    ------\n    ProblemError\n        An invalid value",
        ),
        after(OPTIONS, "a float or a tuple of str once checked\n", '    grading: str = "uniform"\n'),
        after(OPTIONS, "        _check_quasi_static(static)\n", "        check_grading(self.grading)\n"),
        Edit(OPTIONS, "| None\n\n\ndef", "| None\n    grading: str\n\n\ndef"),
        Edit(MESH, "def check_intervals", f"{CLUSTERED}def check_intervals"),
        Edit(MESH, "import listing\n", "import listing, nearest\n"),
        Edit(TRANSCRIBE, "import Mesh, spaced_mesh, uniform_mesh", "import MESHES, Mesh, spaced_mesh"),
        Edit(TRANSCRIBE, "uniform_mesh(duration", "MESHES[asked.options.grading](duration"),
    ),
    check=CHECK,
)
