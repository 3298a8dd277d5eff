"""The real-time iteration of acados beside that of `optim.MPC`, where acados is installed (docs/real_time.md).

acados is given what `optim.MPC` made of the task: the grid, the residuals of each interval with their weights, the
cost-to-go at the end, the limits of inputs. It integrates by Radau IIA with two stages, solves the quadratic programme
by HPIPM, and begins with its plan of the sample before. `optim.MPC` does more in its time: it estimates forces, checks
what it found and bounds what pulls.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from benchmarks.real_time_arms import SAMPLE, Called, missed, sine_law, timed_arms, timed_law
from benchmarks.real_time_others import Controller
from flexblocks import optim
from flexblocks.optim.receding.iteration_setup import setup

RECIPE = "build it as 'Or a regulator?' in docs/real_time.md says"
RUNS = 300
WIDTH = 180
RANK = 1e-12  # eigenvalues of the cost-to-go that are lost in rounding, against the largest
AT_LIMIT = 0.999  # of an input's limit
COLUMNS = (
    *("arm", "states", "acados, one Newton iteration", "median [ms]", "99 % [ms]", "ratio", "QP iterations, most"),
    *("failed", "at limits [%]", "tip rms, later half [mm]"),
)


@dataclass(frozen=True)
class Form:
    """Options of acados.

    Attributes
    ----------
    told : str
    newton : int
        Iterations of Newton's method an interval, from the last rates of the sample before.
    blocks : int
        Intervals that condensing leaves of the quadratic programme; 0: all states are eliminated.
    is_inverse : bool
        Whether the equations are the inverse dynamics, as in `optim.MPC`, not those solved for accelerations.
    mode : str
        Of HPIPM.
    """

    told: str
    newton: int = 1
    blocks: int = 20
    is_inverse: bool = True
    mode: str = "BALANCE"


FAST = "5 blocks, HPIPM for speed"
FORMS = (
    Form("forward dynamics, 20 blocks", is_inverse=False),
    Form("20 blocks"),
    Form(FAST, blocks=5, mode="SPEED_ABS"),
    Form("full condensing", blocks=0),
    Form("full condensing, HPIPM for speed", blocks=0, mode="SPEED_ABS"),
    Form(f"{FAST}, two Newton iterations", newton=2, blocks=5, mode="SPEED_ABS"),
    Form(f"{FAST}, three", newton=3, blocks=5, mode="SPEED_ABS"),
)


def required() -> None:
    """Import acados.

    Raises
    ------
    ImportError
        It, its folder or its libraries are missing.
    """
    if not os.environ.get("ACADOS_SOURCE_DIR"):
        raise ImportError(f"acados: ACADOS_SOURCE_DIR is not set; must be the folder of acados: {RECIPE}.")
    try:
        suffix = importlib.import_module("acados_template.utils").get_shared_lib_ext()
    except ModuleNotFoundError as error:
        raise ImportError(f"acados: Python finds no {error.name}; {RECIPE}.") from None
    try:
        ctypes.CDLL(f"libacados{suffix}")
    except OSError as error:
        raise ImportError(f"acados: {error}; its folder lib must be in LD_LIBRARY_PATH: {RECIPE}.") from None


def acados(count: int) -> None:
    """Print times of iterations in turns: on a sine, then where the tip is to move by some centimetres, from rest.

    Raises
    ------
    ImportError
        acados is not installed.
    """
    required()
    print(f"acados {(Path(os.environ['ACADOS_SOURCE_DIR']) / 'lib' / 'git_commit_hash').read_text().strip()}")
    table = Table(*COLUMNS, title="CPU of an iteration; flexblocks, acados")
    arms = list(timed_arms().items())[:count]
    laws = [("two links, a sine", sine_law(fb.assemble(arms[0][1][0])))]
    laws += [(name, timed_law(fb.assemble(model), start, way)) for name, (model, start, way) in arms]
    for name, mpc in laws:
        for form in FORMS:
            table.add_row(name, str(len(mpc.dae.x)), form.told, *_row(mpc, form))
    Console(width=WIDTH).print(table)


def _row(mpc: optim.MPC, form: Form) -> list[str]:
    """Return the cells of the table: iterations in turns, each with its own arm."""
    dae, start = mpc.dae, dict(mpc.at)
    limits = np.array(setup(mpc).constants["UHIGH"])
    own, other = Called(mpc, dae, start), Iteration(mpc, form)
    x, step = dae.x.values(start), fb.stepper(dae, SAMPLE, method="implicit")
    taken, off, bounded, iterations, failed = [], [], [], [], 0
    for k in range(RUNS):
        mine = own.sample()
        u, seconds = other.sample(x, k * SAMPLE)
        taken.append((mine, seconds))
        iterations.append(other.programme_iterations)
        failed += other.solver.status != 0
        bounded.append([bool(np.any(np.abs(each) > AT_LIMIT * limits)) for each in (own.u, u)])
        own.x[:], x = step(own.x, own.u), step(x, u)
        off.append([missed(mpc, each, (k + 1) * SAMPLE) for each in (own.x, x)])
    median, worst = 1e3 * np.median(taken, axis=0), 1e3 * np.percentile(taken, 99, axis=0)
    share = 100 * np.mean(bounded, axis=0)
    late = 1e3 * np.sqrt(np.mean(np.square(off[RUNS // 2 :]), axis=0))
    return [
        f"{median[0]:.3f}, {median[1]:.3f}",
        f"{worst[0]:.3f}, {worst[1]:.3f}",
        f"{median[1] / median[0]:.1f}",
        f"{np.median(iterations):.0f}, {max(iterations)}",
        str(failed),
        f"{share[0]:.0f}, {share[1]:.0f}",
        f"{late[0]:.3f}, {late[1]:.3f}",
    ]


def acados_controller(mpc: optim.MPC, form: Form, inside: list[float] | None = None) -> Controller:
    """Return acados on the task of a law; the time of its solver [s] is appended to `inside`, once a sample.

    Raises
    ------
    ImportError
        It is not installed.
    """
    required()
    iteration = Iteration(mpc, form)

    def command(x: np.ndarray, t: float) -> np.ndarray:
        u, seconds = iteration.sample(x, t)
        if inside is not None:
            inside.append(seconds)
        return u

    return command


class Iteration:
    """The real-time iteration of acados on the task of a law.

    Parameters
    ----------
    mpc : optim.MPC
        Of a tree without symbolic parameters; with limits of inputs alone.
    form : Form

    Attributes
    ----------
    solver : AcadosOcpSolver
    """

    def __init__(self, mpc: optim.MPC, form: Form) -> None:
        self._made = setup(mpc)
        self._places = np.concatenate([[0.0], np.cumsum(mpc.grid)])
        self._folder = tempfile.TemporaryDirectory(prefix="acados_")  # of its code, as long as it is used
        self.solver: Any = _solver(mpc, self._made, form, Path(self._folder.name) / "code")

    @property
    def programme_iterations(self) -> int:
        """Of the last quadratic programme."""
        return int(self.solver.get_stats("qp_iter")[-1])

    def sample(self, x: np.ndarray, t: float) -> tuple[np.ndarray, float]:
        """Return the command at a state and a time [s], and the CPU time of the solver [s], without that of Python."""
        now = np.zeros(self._made.functions["REFERENCE"].numel_in(1))
        for k, place in enumerate(self._places):
            references = self._made.functions["REFERENCE"](t + place, now)
            self.solver.set(k, "p", np.concatenate([part.full().ravel() for part in references]))
        self.solver.set(0, "lbx", x)
        self.solver.set(0, "ubx", x)
        begin = time.thread_time()
        self.solver.solve()
        taken = time.thread_time() - begin
        return self.solver.get(0, "u"), taken


def _solver(mpc: optim.MPC, made: Any, form: Form, folder: Path) -> Any:
    """Return acados's solver, in machine code, that begins with the arm held at its start."""
    template = importlib.import_module("acados_template")
    dae, functions, constants = mpc.dae, made.functions, made.constants
    n, nx = made.model.n, len(dae.x)
    x, u, p, force = dae.x.symbol, made.model.u, dae.p.start, np.zeros(n)
    rates = ca.SX.sym("rates", nx)
    references, slopes = (ca.SX.sym(name, made.sizes["NREF"]) for name in ("references", "slopes"))
    problem, model = template.AcadosOcp(), template.AcadosModel()
    model.name, model.x, model.u, model.xdot, model.p = "arm", x, u, rates, ca.vertcat(references, slopes)
    if form.is_inverse:
        balance = functions["RESIDUAL"](x, rates[n:], u, p, force)[0]
        model.f_impl_expr = ca.vertcat(rates[:n] - dae.v, balance)
    else:
        model.f_impl_expr = rates - dae.forward_dynamics(x, u, p)
    # Residuals of the task, then what damps the states in their scale.
    damped = np.flatnonzero(constants["REST"])
    residuals = functions["STAGE"](x, u, references, p, force)[0]
    model.cost_y_expr = ca.vertcat(residuals, (x / constants["SIGMA"])[damped.tolist()])
    features = functions["TERMINAL"](x, references, slopes, p, force)[0]
    values, vectors = np.linalg.eigh(constants["COST_TO_GO"])
    weighed = values > RANK * values.max()  # acados takes no weights that are singular
    model.cost_y_expr_e = ca.DM((vectors * np.sqrt(np.maximum(values, 0.0)))[:, weighed]).T @ features
    problem.model, cost, limits, options = model, problem.cost, problem.constraints, problem.solver_options
    cost.cost_type = cost.cost_type_e = "NONLINEAR_LS"
    cost.W = np.diag(np.concatenate([np.ones(residuals.numel()), constants["REST"][damped]]))
    cost.W_e = np.eye(int(weighed.sum()))
    cost.yref, cost.yref_e = np.zeros(len(cost.W)), np.zeros(len(cost.W_e))
    problem.parameter_values = np.zeros(model.p.numel())
    limits.idxbu, limits.lbu, limits.ubu = np.arange(u.numel()), constants["ULOW"], constants["UHIGH"]
    limits.x0 = start = dae.x.values(dict(mpc.at))
    options.N_horizon, options.time_steps, options.tf = len(mpc.grid), mpc.grid, float(mpc.grid.sum())
    options.nlp_solver_type, options.hessian_approx = "SQP_RTI", "GAUSS_NEWTON"
    options.integrator_type, options.collocation_type = "IRK", "GAUSS_RADAU_IIA"
    options.sim_method_num_stages, options.sim_method_num_steps = 2, 1
    options.sim_method_newton_iter, options.hpipm_mode = form.newton, form.mode
    options.qp_solver = f"{'PARTIAL' if form.blocks else 'FULL'}_CONDENSING_HPIPM"
    if form.blocks:
        options.qp_solver_cond_N = form.blocks
    problem.code_gen_options.code_export_directory = str(folder)
    solver = template.AcadosOcpSolver(problem, verbose=False)
    held = functions["STABILISING"](start, p, force)[0].full().ravel()
    for k in range(len(mpc.grid) + 1):
        solver.set(k, "x", start)
        if k < len(mpc.grid):
            solver.set(k, "u", held)
    return solver
