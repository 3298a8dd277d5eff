"""One step of the extended Kalman filter in discrete time against numpy: ``python -m benchmarks.sampled_kalman``.

The same filter, of two flexible links (16 states) from two encoders, as one compiled function, on CasADi's virtual
machine, and as one writes it with numpy around a compiled prediction and its derivatives. CPU time of one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import casadi as ca
import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import control, models
from flexblocks.control.design.implicit_step import implicit_step
from flexblocks.control.estimation.filter_record import filter_step
from flexblocks.control.saturation import actuators
from flexblocks.dae.compiler import load
from flexblocks.simulation.integrators.buffered_call import BufferedCall

MEASURED = ("rotor1.angle", "rotor2.angle")
SAMPLE_TIME, STEPS, RUNS = 2e-3, 500, 7
LIMIT = 50.0  # most microseconds of a compiled step that the library promises for 16 states


def main() -> None:
    dae = fb.assemble(models.subudhi_morris_2002())
    process = {"motor1.torque": 1e-4, "motor2.torque": 1e-4}
    observer = control.SampledKalman(MEASURED, model=dae, process=process, noise=1e-4)
    equations = observer._equations(dae, observer.signals(dae, actuators(dae, limits=False), None).lin)
    step = filter_step(equations)
    start = observer._start_covariance(equations, SAMPLE_TIME)
    ways = {
        "one compiled function": _steps(load([step], True)[1][step.name()], start),
        "CasADi's virtual machine": _steps(step, start),
        "numpy, prediction compiled": _numpy(dae, start),
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(RUNS):
        for name, way in ways.items():
            began = time.process_time()
            way()
            best[name] = min(best[name], (time.process_time() - began) / STEPS * 1e6)
    fastest = best["one compiled function"]
    table = Table(f"filter of {len(dae.x)} states, {step.n_instructions()} operations", "us a step", "ratio")
    for name, taken in best.items():
        table.add_row(name, f"{taken:.1f}", f"{taken / fastest:.1f}")
    Console(width=100).print(table)
    print(f"compiled: {'within' if fastest <= LIMIT else 'beyond'} {LIMIT:g} us")


def _steps(function: ca.Function, start: np.ndarray) -> Callable[[], None]:
    call = BufferedCall(function)
    nx, ny, nu = len(start), function.size1_in(2), function.size1_in(4)

    def run() -> None:
        x, P = np.zeros(nx), start
        for _ in range(STEPS):
            given = x, P, np.zeros(ny), np.ones(ny), np.zeros(nu), SAMPLE_TIME
            for place, value in zip(call.arguments, given, strict=True):
                place[:] = value
            call()
            x, P = call.results[-2][0].copy(), call.results[-1].copy()

    return run


def _numpy(dae: fb.DAE, start: np.ndarray) -> Callable[[], None]:
    x, u = dae.x.symbol, dae.u.symbol
    own = implicit_step(dae, x, u, dae.p.symbol, SAMPLE_TIME)
    results = [ca.densify(result) for result in ca.cse([own.after, own.by_state, own.by_inputs])]
    predict = load([ca.Function("prediction", [x, u], results)], True)[1]["prediction"]
    H = np.zeros((len(MEASURED), len(dae.x)))
    for row, name in enumerate(MEASURED):
        H[row, dae.x.index(name)] = 1.0
    R, Q, unit = 1e-8 * np.eye(len(MEASURED)), 1e-4 / SAMPLE_TIME * np.eye(len(dae.u)), np.eye(len(dae.x))

    def run() -> None:
        estimate, P = np.zeros(len(dae.x)), start
        for _ in range(STEPS):
            K = np.linalg.solve(H @ P @ H.T + R, H @ P).T
            estimate = estimate - K @ (H @ estimate)
            rest = unit - K @ H
            P = rest @ P @ rest.T + K @ R @ K.T
            after, A, G = (np.array(value) for value in predict(estimate, np.zeros(len(dae.u))))
            estimate, P = after.ravel(), A @ P @ A.T + G @ Q @ G.T

    return run


if __name__ == "__main__":
    main()
