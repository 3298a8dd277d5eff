"""Section 5 of Theodore & Ghosal (1995): the RRP arm under decoupling control and then LQR, by modes and by elements.

    python examples/theodore_ghosal_1995.py [folder] [compiled]

prints the errors of both models and draws Figures 4 to 10 into the folder (by default ``out``); with the word compiled
closed loops are compiled first, without optimisation: in one second of motion it does not pay.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from scipy.linalg import eigh

import flexblocks as fb
from flexblocks import control, models

JOINTS = ("joint1.angle", "joint2.angle", "link3.displacement")
START, GOAL = np.array([0.0, 0.0, 0.3]), np.array([np.pi, np.pi / 2, 1.0])
MOTION, END = 0.5, 1.0  # [s]
GP, GV = 400.0, 40.0
SAMPLES = 201  # of each phase


@dataclass(frozen=True)
class ControlledMotion:
    """Motion of one model in two phases: decoupling control, then the linear-quadratic regulator.

    Attributes
    ----------
    dae : DAE
        The arm without control.
    motion, settling : Trajectory
        Under decoupling, 0 to 0.5 s, and under LQR, 0.5 to 1 s.
    parts : dict of float
        CPU time [s] of the motion, of the linear model, and of the settling, with what each derives and compiles.
    """

    dae: fb.DAE
    motion: fb.Trajectory
    settling: fb.Trajectory
    parts: dict[str, float]

    @property
    def t(self) -> np.ndarray:
        return np.append(self.motion.t, self.settling.t[1:])

    def __getitem__(self, name: str) -> np.ndarray:
        return np.append(self.motion[name], self.settling[name][1:])

    @property
    def wanted(self) -> np.ndarray:
        """Reference of the joints (k, 3) [rad, rad, m]."""
        s = np.minimum(self.t / MOTION, 1.0)[:, None]
        return START + (GOAL - START) * (s - np.sin(2 * np.pi * s) / (2 * np.pi))

    @property
    def drift(self) -> float:
        """Largest drift of energy minus work over a phase [J]."""
        energies = (phase.energy for phase in (self.motion, self.settling))
        return max(float(np.ptp(energy[:, 0] + energy[:, 1] - energy[:, 2])) for energy in energies)

    @property
    def tip_error(self) -> np.ndarray:
        """Distance of the tip from that of the rigid arm on the reference (k,) [m]."""
        tip = np.array([self[f"payload.{axis}"] for axis in "xyz"])
        return np.linalg.norm(tip - rigid_tip(*self.wanted.T), axis=0)


def rigid_tip(theta1: np.ndarray, theta2: np.ndarray, extension: np.ndarray) -> np.ndarray:
    """Return the tip (3, k) of the rigid arm."""
    reach = np.cos(theta2) + extension * np.sin(theta2)
    height = 0.1 + np.sin(theta2) - extension * np.cos(theta2)
    return np.array([np.cos(theta1) * reach, np.sin(theta1) * reach, height])


def regulator_weights(lin: fb.LinearModel) -> np.ndarray:
    """Return Q: 4e4 on joint errors, 100 on their rates, 400 on twice the energy of the flexible coordinates."""
    n = len(lin.structure.coordinates)
    joints = [lin.structure.coordinates.index(name) for name in JOINTS]
    flexible = np.setdiff1d(np.arange(n), joints)
    Q = np.zeros((2 * n, 2 * n))
    Q[joints, joints], Q[np.add(joints, n), np.add(joints, n)] = 4e4, 100.0
    Q[np.ix_(flexible, flexible)] = 400 * lin.structure.stiffness[np.ix_(flexible, flexible)]
    Q[np.ix_(n + flexible, n + flexible)] = 400 * lin.structure.mass[np.ix_(flexible, flexible)]
    return Q


def cpu_time() -> float:
    """Return the CPU time [s] of this process and of those it has run, such as a C compiler."""
    return sum(os.times()[:4])


def run(discretization: str, shapes: str = "ode", compiled: bool = False) -> ControlledMotion:
    """Simulate the motion of section 5: decoupling (eqs 31-33), then the second loop (eq 37)."""
    clock = [cpu_time()]
    dae = fb.assemble(models.theodore_ghosal_1995("RRP", discretization, shapes=shapes))
    # From start to goal under decoupling control.
    moving = control.close_loop(dae, control.Decoupling(JOINTS, GP, GV))
    moving = moving.compile(optimize=False) if compiled else moving
    references = {name: control.cycloid(*ends, MOTION) for name, *ends in zip(JOINTS, START, GOAL, strict=True)}
    motion = fb.simulate(moving, np.linspace(0, MOTION, SAMPLES), control.follow(moving, references))
    clock.append(cpu_time())
    # At the goal, the regulator around the decoupled arm.
    decoupled = control.close_loop(dae, control.Decoupling(JOINTS))
    at = dict(zip(JOINTS, GOAL.tolist(), strict=True))
    Q = regulator_weights(fb.linearize(dae, at=at))
    clock.append(cpu_time())
    settled = control.close_loop(decoupled, control.LQR(Q, R=1.0, at=at))
    settled = settled.compile(optimize=False) if compiled else settled
    settling = fb.simulate(settled, np.linspace(MOTION, END, SAMPLES), x0=motion.x[-1])
    clock.append(cpu_time())
    parts = dict(zip(("motion", "linear model", "settling"), np.diff(clock).tolist(), strict=True))
    return ControlledMotion(dae, motion, settling, parts)


def frequencies(controlled: ControlledMotion) -> np.ndarray:
    """Return the frequencies (k, number of flexible coordinates) of the links with joints held [rad/s]."""
    dae, n = controlled.dae, controlled.dae.tree.size
    flexible = [i for i, name in enumerate(dae.q_names) if name not in JOINTS]
    rows = []
    for x in np.vstack([controlled.motion.x, controlled.settling.x[1:]])[:, : len(dae.x)]:
        straight = x.copy()
        straight[flexible], straight[n : 2 * n] = 0.0, 0.0
        structure = fb.linearize(dae, at={"x": straight}).structure
        K, M = (matrix[np.ix_(flexible, flexible)] for matrix in (structure.stiffness, structure.mass))
        rows.append(np.sqrt(eigh(K, M, eigvals_only=True)))
    return np.array(rows)


def draw(runs: dict[str, ControlledMotion], folder: Path) -> list[Path]:
    """Draw Figures 4 to 10 of the paper, both models in each, and return the files."""
    styles = dict(zip(runs, ("-", "--"), strict=False))
    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        "joints": _joints(runs, styles),
        "deflections": _deflections(runs, styles),
        "frequencies": _frequencies(runs),
    }
    files = []
    for name, figure in figures.items():
        files.append(folder / f"theodore_ghosal_{name}.png")
        figure.savefig(files[-1], dpi=150)
        plt.close(figure)
    return files


def _joints(runs: dict[str, ControlledMotion], styles: dict[str, str]) -> Figure:
    """Figures 4, 5 and 6: joints, joint errors and tip error."""
    figure, rows = plt.subplots(3, 1, figsize=(8, 9), sharex=True, layout="constrained")
    labels = ("joint 1 [rad]", "joint 2 [rad]", "slide 3 [m]")
    for name, run_ in runs.items():
        for i, (joint, label) in enumerate(zip(JOINTS, labels, strict=True)):
            off = 1e3 * (run_[joint] - run_.wanted[:, i])
            rows[0].plot(run_.t, run_[joint], styles[name], color=f"C{i}", label=f"{label}, {name}")
            rows[1].plot(run_.t, off, styles[name], color=f"C{i}", label=f"{label.partition(' [')[0]}, {name}")
        rows[2].plot(run_.t, 1e3 * run_.tip_error, styles[name], color="C3", label=name)
    for ax, text in zip(rows, ("joints", "error of the joints [1e-3]", "error of the tip [mm]"), strict=True):
        ax.set_ylabel(text)
        ax.legend(fontsize="small", ncols=2)
    rows[-1].set_xlabel("t [s]")
    return figure


def _deflections(runs: dict[str, ControlledMotion], styles: dict[str, str]) -> Figure:
    """Figures 7 and 8: tip deflections of both flexible links."""
    figure, rows = plt.subplots(2, 2, figsize=(10, 6), sharex=True, layout="constrained")
    for row, link in zip(rows, ("link2", "link3"), strict=True):
        for ax, axis in zip(row, "yz", strict=True):
            for name, run_ in runs.items():
                ax.plot(run_.t, 1e3 * run_[f"{link}.tip_deflection_{axis}"], styles[name], label=name)
            ax.set_ylabel(f"{link}, along {axis} [mm]")
            ax.legend(fontsize="small")
    for ax in rows[-1]:
        ax.set_xlabel("t [s]")
    return figure


def _frequencies(runs: dict[str, ControlledMotion]) -> Figure:
    """Figures 9 and 10: the first eight frequencies of the links under decoupling control."""
    figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    for (name, run_), marker in zip(runs.items(), "o+", strict=False):
        curves = frequencies(run_)[::20, :8]
        lines = ax.plot(run_.t[::20], curves, marker, color="C0" if marker == "o" else "C1", markersize=4)
        lines[0].set_label(name)
    ax.set(xlabel="t [s]", ylabel="frequency [rad/s]", yscale="log")
    ax.legend()
    return figure


def main(folder: str = "out", word: str = "") -> None:
    compiled = word == "compiled"
    runs = {"assumed modes": run("modes", compiled=compiled), "finite elements": run("elements", "fixed", compiled)}
    print("                   largest tip error  at 0.5 s  at 1 s     CPU   largest change of the energy balance")
    for name, result in runs.items():
        error = 1e3 * result.tip_error
        print(
            f"{name:18} {error.max():10.2f} mm {error[SAMPLES - 1]:12.2f} mm {error[-1]:8.3f} mm "
            f"{sum(result.parts.values()):6.1f} s {result.drift:10.1e} J"
        )
        print(" " * 18, ", ".join(f"{part} {seconds:.2f} s" for part, seconds in result.parts.items()))
    print("published:               8    mm                       0.1   mm   1533 s (modes), 2037 s (elements)")
    for file in draw(runs, Path(folder)):
        print(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
