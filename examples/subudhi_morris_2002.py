"""Sections 4 to 6 of Subudhi & Morris (2002): bang-bang torques, and composite control in two time scales.

    python examples/subudhi_morris_2002.py [folder]

prints peak values under three control laws, and draws Figures 4 to 8 and the poles along the path of two of them into
the folder (by default ``out``).
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyomo.environ as pyo
import scipy.linalg

import flexblocks as fb
from flexblocks import control, models, optim

GOAL = {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6}
MOTORS = ("motor1.torque", "motor2.torque")
MOTION, SETTLED, END, SAMPLES = 2.0, 3.0, 4.0, 401

# Limits of the tuned law's motion: below the peak values of the paper's law, and a corridor round the quintic [rad].
LIMITS = {
    "motor1.torque": 0.552,
    "motor2.torque": 0.2205,
    "link1.tip_deflection_y": 0.053,
    "link2.tip_deflection_y": 0.0186,
}
CORRIDOR = 0.049


def bang_bang(joints: str) -> fb.Trajectory:
    """Simulate the arm without control under torques of 0.2 N m, 0.5 s each way."""
    dae = fb.assemble(models.subudhi_morris_2002(shapes="as-printed", joints=joints))
    torque = fb.bang_bang(0.2, 0.5)
    return fb.simulate(dae, np.linspace(0, 5.0, 1001), {"motor1.torque": torque, "motor2.torque": torque})


def tracking(dae: fb.DAE, law: control.Law) -> tuple[fb.DAE, fb.Trajectory]:
    """Simulate the quintic of eq 71 and two seconds of rest."""
    closed = control.close_loop(dae, law)
    motions = {name: control.quintic(0.0, angle, MOTION) for name, angle in GOAL.items()}
    return closed, fb.simulate(closed, np.linspace(0, END, SAMPLES), control.follow(closed, motions))


def elastic_motion(dae: fb.DAE, intervals: int = 90) -> optim.Plan:
    """Plan the minimum-effort motion of the flexible arm in a corridor round the quintic and within limits."""
    task = optim.RestToRest(
        start=dict.fromkeys(GOAL, 0.0), goal=GOAL, duration=SETTLED, limits=LIMITS, input_ends="holding"
    )  # fmt: skip
    m = optim.pyomo_model(dae, task, intervals=intervals)
    # The corridor: bounds on the joint angles at the mesh points.
    for k in range(1, intervals):
        for name, goal in GOAL.items():
            middle = float(wanted(np.array(SETTLED * k / intervals), goal))
            m.q[k, name].setlb(middle - CORRIDOR)
            m.q[k, name].setub(middle + CORRIDOR)
    pyo.SolverFactory("casadi").solve(m)
    return optim.Plan.from_model(m)


def tuned_law(split: control.SingularPerturbation) -> control.SlowFast:
    """Return feedforward and LQR of the slow coordinates, and fast damping with gains scheduled over the elbow."""
    middle = {name: goal / 2 for name, goal in GOAL.items()}
    slow = control.LQR(
        {"joint1.angle": 10.0, "joint2.angle": 10.0, "der(joint1.angle)": 3.0, "der(joint2.angle)": 3.0},
        at=middle,
        references=split.slow.x.names,
        model=split.slow,
    )
    springs = dict.fromkeys(("der(rotor1.angle - joint1.angle)", "der(rotor2.angle - joint2.angle)"), 1.0)
    fast = control.FastFeedback.lqr(
        split,
        {"elastic_energy": 100.0, "kinetic_energy": 100.0, **springs},
        over={"joint2.angle": (0.0, GOAL["joint2.angle"])},
        decay=1.0,
        about="reference",
    )
    return control.SlowFast(control.Feedforward(MOTORS) + slow, fast, corrected=True)


def wanted(t: np.ndarray, goal: float) -> np.ndarray:
    """Return the quintic joint motion of eq 71 [rad]."""
    s = np.minimum(t / MOTION, 1.0)
    return goal * (10 * s**3 - 15 * s**4 + 6 * s**5)


def damping(poles: np.ndarray, below: float = np.inf) -> float:
    """Return the least damping ratio of poles nearer to 0 than `below` [rad/s]."""
    slow_poles = poles[np.abs(poles) < below]
    return float(np.min(-slow_poles.real / np.abs(slow_poles)))


def report(name: str, run: fb.Trajectory, poles: np.ndarray) -> None:
    """Print peak values and damping of a controlled run."""
    tips = [1e3 * np.abs(run[f"link{i}.tip_deflection_y"]).max() for i in (1, 2)]
    errors = [np.abs(run[joint] - wanted(run.t, goal)).max() for joint, goal in GOAL.items()]
    torques = [np.abs(run[motor]).max() for motor in MOTORS]
    last = 1e3 * np.abs(run["link1.tip_deflection_y"][run.t >= END - 1]).max()
    print(
        f"{name}: tips {tips[0]:.1f}, {tips[1]:.1f} mm; joint errors {errors[0]:.4f}, {errors[1]:.4f} rad; torques "
        f"{torques[0]:.4f}, {torques[1]:.4f} N m; first tip in the last second {last:.3f} mm; along the path largest "
        f"real part {np.real(poles).max():+.3f} 1/s, least damping ratio {damping(poles):.4f}, below 100 rad/s "
        f"{damping(poles, 100.0):.3f}"
    )


def report_quintic(dae: fb.DAE, split: control.SingularPerturbation) -> None:
    """Print the quasi-static deflections on the quintic, the clamped frequency, and the peaks under a stiff law."""
    # Quasi-static deflections on the quintic.
    t = np.linspace(0, MOTION, SAMPLES)
    motion = split.quasi_static({name: control.quintic(0.0, goal, MOTION) for name, goal in GOAL.items()}, t)
    x = np.zeros((len(dae.x), len(t)))
    x[: len(motion)] = [motion[name][1] for name in dae.q_names]
    y = dae.output(x, np.zeros((len(dae.u), len(t))), []).full()
    tips = [1e3 * np.abs(y[dae.y.names.index(f"link{i}.tip_deflection_y")]).max() for i in (1, 2)]
    # The lowest frequency of the links with all joints clamped.
    bending = [i for i, name in enumerate(dae.q_names) if "bending" in name]
    structure, both = fb.linearize(dae).structure, np.ix_(bending, bending)
    clamped = np.sqrt(scipy.linalg.eigh(structure.stiffness[both], structure.mass[both], eigvals_only=True)[0])
    print(f"quintic, quasi-static: tips {tips[0]:.1f}, {tips[1]:.1f} mm; with clamped joints {clamped:.2f} rad/s")
    # Computed torque with high gains on the rotors.
    rotors = {f"joint{i}.angle": f"rotor{i}.angle" for i in (1, 2)}
    slow = control.ComputedTorque(40.0, 20.0, model=split.slow, measured=rotors)
    closed = control.close_loop(dae, control.SlowFast(slow, control.FastFeedback.damper(split, 2.0)))
    motions = {rotors[name]: control.quintic(0.0, goal, MOTION) for name, goal in GOAL.items()}
    run = fb.simulate(closed, np.linspace(0, END, SAMPLES), control.follow(closed, motions))
    report("rotors held tightly", run, control.poles_along(closed, run)[1])


def report_robustness(law: control.Law, motion: optim.Plan) -> None:
    """Print the stability of the tuned law on finer models, and its errors with other payloads than planned."""
    for modes in (3, 4, 6):
        closed = control.close_loop(fb.assemble(models.subudhi_morris_2002(modes=modes)), law)
        growth = np.linalg.eigvals(fb.linearize(closed).A).real.max()
        print(f"tuned, {modes} converged modes a link: largest real part stretched out {growth:+.2f} 1/s")
    loaded = fb.assemble(models.subudhi_morris_2002(shapes="as-printed"), symbolic=("payload.mass",))
    closed = control.close_loop(loaded, law)
    for mass in (0.08, 0.12):
        inputs, parameters = control.follow(closed, motion), {"payload.mass": mass}
        run = fb.simulate(closed, np.linspace(0, END, SAMPLES), inputs, p=parameters)
        errors = [np.abs(run[joint] - wanted(run.t, goal)).max() for joint, goal in GOAL.items()]
        print(f"tuned, payload {mass:g} kg instead of 0.1 kg: joint errors {errors[0]:.3f}, {errors[1]:.3f} rad")


def draw(path: Path, panels: list[tuple[str, list[tuple[str, np.ndarray, np.ndarray]]]]) -> None:
    """Draw panels of labelled lines over time."""
    figure, axes = plt.subplots(2, (len(panels) + 1) // 2, figsize=(10, 6), squeeze=False, layout="constrained")
    for axis, (title, lines) in zip(axes.ravel(), panels, strict=False):
        for label, t, values in lines:
            axis.plot(t, values, label=label, linewidth=0.9)
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("t [s]")
        axis.legend(fontsize=7)
    for axis in axes.ravel()[len(panels) :]:
        axis.set_visible(False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def draw_open_loop(folder: Path) -> None:
    """Draw Figures 4 to 6: flexible against rigid joints."""
    runs = {joints: bang_bang(joints) for joints in ("flexible", "rigid")}

    def both(name: str, title: str) -> tuple[str, list[tuple[str, np.ndarray, np.ndarray]]]:
        return title, [(f"{joints} joints", run.t, run[name]) for joints, run in runs.items()]

    flexible = runs["flexible"]
    torque = ("torque [N m]", [("both motors", flexible.t, flexible["motor1.torque"])])
    angles = [both(f"joint{i}.angle", f"link {i}, angle [rad]") for i in (1, 2)]
    modes = {(i, j): both(f"link{i}.bending_y[{j}]", f"link {i}, mode {j}") for i in (1, 2) for j in (1, 2)}
    tips = [both(f"link{i}.tip_deflection_y", f"link {i}, tip deflection [m]") for i in (1, 2)]
    springs = [(f"joint {i}", flexible.t, flexible[f"spring{i}.deflection"]) for i in (1, 2)]
    draw(folder / "figure4.png", [torque, *angles, modes[1, 1]])
    draw(folder / "figure5.png", [modes[1, 2], modes[2, 1], modes[2, 2], tips[0]])
    draw(folder / "figure6.png", [tips[1], ("joint deflections [rad]", springs)])


def draw_control(folder: Path, run: fb.Trajectory) -> None:
    """Draw Figures 7 and 8: composite control."""

    def of(title: str, names: dict[str, str]) -> tuple[str, list[tuple[str, np.ndarray, np.ndarray]]]:
        return title, [(label, run.t, run[name]) for label, name in names.items()]

    title, angles = of("angles [rad]", {"joint 1": "joint1.angle", "joint 2": "joint2.angle"})
    angles += [(f"{name} wanted", run.t, wanted(run.t, goal)) for name, goal in GOAL.items()]
    springs = of("joint deflections [rad]", {f"joint {i}": f"spring{i}.deflection" for i in (1, 2)})
    modes = {
        (i, j): of(f"link {i}, mode {j}", {"composite": f"link{i}.bending_y[{j}]"}) for i in (1, 2) for j in (1, 2)
    }
    tips = of("tip deflections [m]", {f"link {i}": f"link{i}.tip_deflection_y" for i in (1, 2)})
    torques = of("torques [N m]", {f"motor {i}": f"motor{i}.torque" for i in (1, 2)})
    draw(folder / "figure7.png", [(title, angles), springs, modes[1, 1], modes[1, 2]])
    draw(folder / "figure8.png", [modes[2, 1], modes[2, 2], tips, torques])


def draw_poles(path: Path, poles: np.ndarray) -> None:
    """Draw the poles along the path, those of the fast rotors left out."""
    figure, axis = plt.subplots(figsize=(6, 5), layout="constrained")
    axis.scatter(np.real(poles), np.imag(poles), s=4, c=np.repeat(np.arange(len(poles)), poles.shape[1]))
    axis.set(xlim=(-40, 5), ylim=(-250, 250), xlabel="real part [1/s]", ylabel="imaginary part [1/s]")
    axis.axvline(0.0, color="black", linewidth=0.8)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(folder: Path) -> None:
    """Print the numbers and draw the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    # Section 4: without control.
    draw_open_loop(folder)
    dae = fb.assemble(models.subudhi_morris_2002(shapes="as-printed"))
    split = control.singular_perturbation(dae)
    print("fast subsystem at the goal:", *split.fast(GOAL).modes(), sep="\n  ")
    # Sections 5 and 6: the composite control of the paper.
    slow = control.ComputedTorque(5.0, 2.0, model=split.slow)
    fast = control.FastFeedback.damper(split, 1.0)
    closed, run = tracking(dae, control.SlowFast(slow, fast))
    _, poles = control.poles_along(closed, run)
    report("composite", run, poles)
    print(f"slowest fast over fastest slow pole: {control.time_scales(split, run, slow, fast).ratio:.2f}")
    draw_control(folder, run)
    draw_poles(folder / "poles.png", poles)
    report_quintic(dae, split)
    # Beyond the paper: a planned motion, tracked by a tuned law.
    motion = elastic_motion(dae)
    print(motion.replay())
    law = tuned_law(split)
    closed = control.close_loop(dae, law)
    run = fb.simulate(closed, np.linspace(0, END, SAMPLES), control.follow(closed, motion))
    _, poles = control.poles_along(closed, run)
    report("tuned", run, poles)
    draw_poles(folder / "poles_tuned.png", poles)
    report_robustness(law, motion)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
