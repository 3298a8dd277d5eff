"""Other tools on the same arm: do-mpc with IPOPT, Crocoddyl's differential dynamic programming.

Each is a controller of two flexible links: a function of the state and of the time [s] that returns the torques.
Horizon, limits, tolerances of the tip and of the torques are those of `optim.MPC`, which measures the torques from what
holds the arm, where these measure them from zero.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from benchmarks.real_time_tracking import CENTRE, HORIZON, LIMITS, START, height
from flexblocks.control.design.implicit_step import implicit_step
from flexblocks.dae.compiler import require_compiler
from flexblocks.dae.dae import DAE

Controller = Callable[[np.ndarray, float], np.ndarray]
TOLERANCE = 1e-3  # m
EFFORT = 0.1  # of each limit


def reference(t: Any) -> np.ndarray:
    """Return where the tip is to be (2,) or (2, k) [m]."""
    return np.array([CENTRE + 0.0 * t, height(t)])


def do_mpc_controller(dae: DAE, intervals: int, stages: int = 2) -> Controller:
    """Return do-mpc with collocation and IPOPT to convergence, on equal intervals.

    Raises
    ------
    ImportError
        It is not installed.
    """
    import do_mpc

    model = do_mpc.model.Model("continuous", "SX")
    x, u = model.set_variable("_x", "x", (len(dae.x), 1)), model.set_variable("_u", "u", (len(dae.u), 1))
    goal = model.set_variable("_tvp", "goal", (2, 1))
    model.set_rhs("x", dae.forward_dynamics(x, u, []))
    model.setup()
    x, u, goal = model.x["x"], model.u["u"], model.tvp["goal"]  # its symbols are others from here on
    controller = do_mpc.controller.MPC(model)
    step = HORIZON / intervals
    controller.settings.n_horizon, controller.settings.t_step = intervals, step
    controller.settings.state_discretization, controller.settings.collocation_deg = "collocation", stages
    controller.settings.store_full_solution = False
    controller.settings.supress_ipopt_output()
    limits = np.array(list(LIMITS.values()))
    cost = ca.sumsqr((_tip(dae, x) - goal) / TOLERANCE)
    controller.set_objective(lterm=cost + ca.sumsqr(u / (EFFORT * limits)), mterm=cost)
    controller.set_rterm(u=0.0)
    controller.bounds["lower", "_u", "u"], controller.bounds["upper", "_u", "u"] = -limits, limits
    ahead, now = controller.get_tvp_template(), [0.0]

    def known(_: Any) -> Any:
        for k in range(intervals + 1):
            ahead["_tvp", k, "goal"] = reference(now[0] + k * step)
        return ahead

    controller.set_tvp_fun(known)
    controller.setup()
    controller.x0 = dae.x.values(START)
    controller.set_initial_guess()

    def command(x: np.ndarray, t: float) -> np.ndarray:
        now[0] = t
        return np.asarray(controller.make_step(x[:, None])).ravel()

    return command


def crocoddyl_controller(dae: DAE, grid: np.ndarray, iterations: int, inside: list[float] | None = None) -> Controller:
    """Return Crocoddyl's box-constrained FDDP on intervals (k,) [s], with so many iterations from the last solution.

    Its models are written in Python and call machine code: an implicit step of the arm with its derivatives. The time
    in that code [s] is appended to `inside`, once a sample.

    Raises
    ------
    ImportError
        It is not installed.
    """
    import crocoddyl

    step, cost = _compiled(dae)
    nx, nu, limits = len(dae.x), len(dae.u), np.array(list(LIMITS.values()))
    state, spent = crocoddyl.StateVector(nx), [0.0]

    class Interval(crocoddyl.ActionModelAbstract):
        def __init__(self, length: float, weight: float) -> None:
            crocoddyl.ActionModelAbstract.__init__(self, state, nu, 0)
            self.length, self.weight, self.goal = length, weight, reference(0.0)
            self.u_lb, self.u_ub = -limits, limits

        def evaluated(self, x: np.ndarray, u: np.ndarray | None) -> tuple[Any, Any]:
            begin = time.thread_time()
            given = np.zeros(nu) if u is None else u
            moved = None if u is None else step(x, given, self.length)
            priced = cost(x, given, self.goal)
            spent[0] += time.thread_time() - begin
            return moved, priced

        def calc(self, data: Any, x: np.ndarray, u: np.ndarray | None = None) -> None:
            data.kept = x.copy(), None if u is None else u.copy(), *self.evaluated(x, u)
            _, _, moved, priced = data.kept
            data.xnext = x if moved is None else moved[0]
            data.cost = self.weight * priced[0].item()

        def calcDiff(self, data: Any, x: np.ndarray, u: np.ndarray | None = None) -> None:
            kept_x, kept_u, moved, priced = data.kept
            if not np.array_equal(kept_x, x) or (u is not None and not np.array_equal(kept_u, u)):
                moved, priced = self.evaluated(x, u)
            w = self.weight
            data.Lx, data.Lxx = w * priced[1].ravel(), w * priced[3]
            if u is not None and moved is not None:
                data.Fx, data.Fu = moved[1], moved[2]
                data.Lu, data.Luu, data.Lxu = w * priced[2].ravel(), w * priced[4], np.zeros((nx, nu))

        def createData(self) -> Any:
            return Data(self)

    class Data(crocoddyl.ActionDataAbstract):
        def __init__(self, model: Any) -> None:
            crocoddyl.ActionDataAbstract.__init__(self, model)
            self.kept: Any = None

    nodes = [Interval(length, length) for length in grid.tolist()]
    end = Interval(0.0, float(grid[-1]))
    x0 = dae.x.values(START)
    problem = crocoddyl.ShootingProblem(x0, nodes, end)
    if problem.nthreads > 1:
        problem.nthreads = 1  # models in Python
    solver = crocoddyl.SolverBoxFDDP(problem)
    places = np.concatenate([[0.0], np.cumsum(grid)])
    plan: dict[str, list[np.ndarray]] = {"xs": [x0] * (len(grid) + 1), "us": [np.zeros(nu)] * len(grid)}

    def command(x: np.ndarray, t: float) -> np.ndarray:
        spent[0] = 0.0
        problem.x0 = x
        for node, place in zip([*nodes, end], places, strict=True):
            node.goal = reference(t + place)
        plan["xs"][0] = x
        solver.solve(plan["xs"], plan["us"], iterations, False)
        # The grid begins with a sample or more; the plan of the sample before is the guess as it is.
        plan["xs"], plan["us"] = [v.copy() for v in solver.xs], [v.copy() for v in solver.us]
        if inside is not None:
            inside.append(spent[0])
        return np.clip(plan["us"][0], -limits, limits)

    return command


def _tip(dae: DAE, x: ca.SX) -> ca.SX:
    output = dae.output(x, ca.SX.zeros(len(dae.u)), [])
    return ca.vertcat(*[output[dae.y.names.index(f"payload.{axis}")] for axis in "xy"])


def _compiled(dae: DAE) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the step with its derivatives, and the cost with its gradients and Gauss-Newton curvatures, compiled."""
    x, u, h, goal = dae.x.symbol, dae.u.symbol, ca.SX.sym("h"), ca.SX.sym("goal", 2)
    moved = implicit_step(dae.interpreted, x, u, ca.SX(0, 1), h)
    step = ca.Function("step", [x, u, h], [ca.densify(each) for each in (moved.after, moved.by_state, moved.by_inputs)])
    limits = np.array(list(LIMITS.values()))
    r, s = (_tip(dae, x) - goal) / TOLERANCE, u / (EFFORT * limits)
    J, K = ca.jacobian(r, x), ca.jacobian(s, u)
    results = [(ca.sumsqr(r) + ca.sumsqr(s)) / 2, J.T @ r, K.T @ s, J.T @ J, K.T @ K]
    cost = ca.Function("cost", [x, u, goal], [ca.densify(each) for each in ca.cse(results)])
    return _fast(step), _fast(cost)


def _fast(function: ca.Function) -> Callable[..., Any]:
    """Return a function of arrays that runs in machine code, and calls it with as little of Python as can be."""
    generator = ca.CodeGenerator("code.c")
    generator.add(function)
    code = generator.dump()
    folder = Path(tempfile.gettempdir())
    name = f"others_{hashlib.sha256(code.encode()).hexdigest()[:16]}"
    library = folder / f"{name}.so"
    if not library.exists():
        source = folder / f"{name}.c"
        source.write_text(code, encoding="utf-8")
        compiler = require_compiler("benchmark", "leave this part out")
        subprocess.run([compiler, "-O1", "-fPIC", "-shared", str(source), "-o", str(library), "-lm"], check=True)
    made = ca.external(function.name(), str(library))
    buffer, call = made.buffer()
    given = [np.zeros(made.size_in(i), order="F") for i in range(made.n_in())]
    found = [np.zeros(made.size_out(i), order="F") for i in range(made.n_out())]
    views = [memoryview(each.reshape(-1, order="A")) for each in (*given, *found)]
    for i in range(len(given)):
        buffer.set_arg(i, views[i])
    for i in range(len(found)):
        buffer.set_res(i, views[len(given) + i])
    kept = made, buffer, views  # memory that the call uses

    def evaluate(*arguments: Any) -> list[np.ndarray]:
        for place, value in zip(given, arguments, strict=True):
            place[...] = np.reshape(value, place.shape, order="F")
        call()
        assert kept
        return [each[:, 0].copy() if each.shape[1] == 1 else each.copy() for each in found]

    return evaluate
