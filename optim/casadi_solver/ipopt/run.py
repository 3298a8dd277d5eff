"""IPOPT on a compiled nonlinear program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter

import casadi as ca
import numpy as np

from ..greyboxes.compiled import CompiledKernels
from ..program.nlp import NonlinearProgram
from .blas_threads import one_thread
from .data import ProgramData, ProgramInstance
from .errors import SolverOptionError
from .iterate import Iterate
from .magnitude_scaling import magnitude_scaling
from .oracle import build_oracle
from .scaling import Scaling, scaled, scaling_of
from .warmstart import start_multipliers
from .watch import Iteration, Watch


@dataclass(frozen=True)
class IpoptResult:
    """The result of a run of IPOPT.

    Attributes
    ----------
    iterate : Iterate
        The solution, or the last finite iterate.
    return_status : str
        IPOPT's.
    iterations : int
    infeasibility : float
        Largest violation of the scaled constraints.
    setup_time, solve_time, evaluation_time : float
        Wall times [s] of building the solver, of IPOPT, and of function evaluations in it.
    """

    iterate: Iterate
    return_status: str
    iterations: int
    infeasibility: float = 0.0
    setup_time: float = 0.0
    solve_time: float = 0.0
    evaluation_time: float = 0.0


class Ipopt:
    """IPOPT on one program.

    Parameters
    ----------
    nlp : NonlinearProgram
    data : ProgramData
    kernels : CompiledKernels, optional
        Compiles the functions.

    Raises
    ------
    SolverOptionError
        A scaling factor is not positive.
    """

    def __init__(self, nlp: NonlinearProgram, data: ProgramData, kernels: CompiledKernels | None = None):
        if kernels is not None:
            nlp = replace(nlp, terms=[replace(term, kernel=kernels.compiled(term.kernel)) for term in nlp.terms])
        self.nlp, self.data = nlp, data
        self._unscaled = build_oracle(nlp)
        self._automatic: Scaling | None = None
        if nlp.variables.free and any(box.model.magnitudes is not None for box in nlp.boxes):
            self._automatic = magnitude_scaling(nlp, self._unscaled, data.start, data.p)
        self._scaling = scaling_of(nlp, self._automatic) if "scaling_factor" in data.suffixes else self._automatic
        self._oracle = self._unscaled if self._scaling is None else scaled(self._unscaled, self._scaling)

    def run(
        self,
        options: dict,
        callback: Callable[[Iteration], object] | None = None,
        multipliers: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> IpoptResult:
        """Solve the program.

        A warm start takes `multipliers` of bounds (n,) and constraints (m,) if they are given and have these sizes.

        Raises
        ------
        SolverOptionError
            IPOPT rejects one of the options.
        """
        started = perf_counter()
        nlp, data = self.nlp, self.data
        if not nlp.variables.free:  # IPOPT refuses a program without variables
            return self._without_freedom()
        if self._automatic is not None:
            options = {"ipopt.nlp_scaling_method": "none"} | options
        solver, watch = self._solver(options)
        watch.restart(
            callback
            and (lambda number, point: callback(Iteration.of(number, self._original(point), nlp, data, self._scaling)))
        )
        # Start; IPOPT uses multipliers only in a warm start
        lam_x, lam_g = np.zeros(len(data.start)), np.zeros(len(data.lower))
        if options.get("ipopt.warm_start_init_point") == "yes":
            if multipliers is not None and [len(part) for part in multipliers] == [len(lam_x), len(lam_g)]:
                lam_x, lam_g = multipliers
            else:
                lam_x, lam_g = start_multipliers(nlp, data.suffixes)
        instance = self._instance(lam_x, lam_g)
        ready = perf_counter()
        with watch.interrupt, one_thread():
            point = solver(**vars(instance))
        done = perf_counter()
        if watch.error is not None:
            raise watch.error
        if watch.last and not point["x"].is_regular():
            point = watch.last
        stats = solver.stats()
        g = np.asarray(point["g"]).ravel()
        violation = np.maximum(instance.lbg - g, g - instance.ubg).max(initial=0.0)
        return IpoptResult(
            iterate=self._original(point),
            return_status=stats["return_status"],
            iterations=watch.number and stats["iter_count"],  # not counted, and garbage, before the first
            infeasibility=float(violation) if np.isfinite(violation) else np.inf,
            setup_time=ready - started,
            solve_time=done - ready,
            evaluation_time=sum(spent for name, spent in stats.items() if name.startswith("t_wall_nlp_")),
        )

    def _instance(self, lam_x: np.ndarray, lam_g: np.ndarray) -> ProgramInstance:
        """Return the scaled program instance, started at the present values."""
        instance = self.data.instance(self.data.start, lam_x, lam_g)
        return instance if self._scaling is None else self._scaling.scaled(instance)

    def _original(self, point: Mapping[str, ca.DM]) -> Iterate:
        """Return the unscaled iterate for a point of the solver, keys as in the result of `casadi.nlpsol`."""
        x, g, lam_x, lam_g = (np.asarray(point[name]).ravel() for name in ("x", "g", "lam_x", "lam_g"))
        iterate = Iterate(x, float(point["f"]), g, lam_x, lam_g)
        return iterate if self._scaling is None else self._scaling.original(iterate)

    def _solver(self, options: dict) -> tuple[ca.Function, Watch]:
        """Return CasADi's solver with these options."""
        problem = self._oracle.problem
        watch = Watch(problem["x"].numel(), problem["g"].numel(), problem["p"].numel())
        everything = {**self._oracle.derivatives, "iteration_callback": watch, **options}
        try:
            return ca.nlpsol("nlp", "ipopt", problem, everything), watch
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            received = {name.removeprefix("ipopt."): value for name, value in options.items()}
            raise SolverOptionError(
                f"IPOPT refused its options: {reason}. Got {received}; must be names and values from IPOPT's reference."
            ) from error

    def _without_freedom(self) -> IpoptResult:
        """Return the only point of a program without free variables; its constraints were checked with the data."""
        problem = self._unscaled.problem
        f = ca.Function("f", [problem["x"], problem["p"]], [problem["f"]])(np.zeros(0), self.data.p)
        nothing = np.zeros(0)
        return IpoptResult(Iterate(nothing, float(f), nothing, nothing, nothing), "Solve_Succeeded", 0)
