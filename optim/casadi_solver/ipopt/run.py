"""IPOPT on a compiled nonlinear program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter

import casadi as ca
import numpy as np

from ..greyboxes.compiled import CompiledKernels
from ..program.nlp import NonlinearProgram
from ..program.trivial import TOLERANCE
from .blas_threads import one_thread
from .data import ProgramData, ProgramInstance
from .errors import SolverOptionError
from .iterate import Iterate
from .magnitude_scaling import magnitude_scaling
from .oracle import Oracle, build_oracle
from .predict import Predictor
from .scaling import Scaling, scaled, scaling_of
from .warmstart import start_multipliers
from .watch import Iteration, Watch

#: Solvers cached, one for each set of options; by trial.
MOST_SOLVERS = 8


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
    newton_steps : int
        Newton steps of the prediction, if it succeeded.
    factorizations : int
        Factorisations made for these steps; 0 if an earlier one was reused.
    infeasibility : float
        Largest violation of the scaled constraints.
    setup_time, solve_time, evaluation_time : float
        Wall times [s] of building the solver, of prediction and IPOPT together, and of function evaluations in IPOPT.
    """

    iterate: Iterate
    return_status: str
    iterations: int
    newton_steps: int = 0
    factorizations: int = 0
    infeasibility: float = 0.0
    setup_time: float = 0.0
    solve_time: float = 0.0
    evaluation_time: float = 0.0


class Ipopt:
    """IPOPT on one program; functions and solvers are built once for all runs.

    Parameters
    ----------
    nlp : NonlinearProgram
    kernels : CompiledKernels, optional
        Compiles the functions.

    Attributes
    ----------
    last : Iterate or None
        The end of the last run, if its multipliers are finite.
    """

    def __init__(self, nlp: NonlinearProgram, kernels: CompiledKernels | None = None):
        if kernels is not None:
            nlp = replace(nlp, terms=[replace(term, kernel=kernels.compiled(term.kernel)) for term in nlp.terms])
        self.nlp = nlp
        self.last: Iterate | None = None
        self._unscaled = build_oracle(nlp)
        self._automatic: Scaling | None = None  # of the first run's start
        self._scale(None)

    def _scale(self, scaling: Scaling | None) -> None:
        """Adopt the scaling of a model, None without one."""
        self._scaling = scaling
        self._oracle: Oracle = self._unscaled if scaling is None else scaled(self._unscaled, scaling)
        self._solvers: dict[tuple, tuple[ca.Function, Watch]] = {}
        vars(self).pop("_predictor", None)
        self._solved: ProgramInstance | None = None  # the last run, started where it ended

    @cached_property
    def _predictor(self) -> Predictor:
        compiled = any(term.kernel.residual.is_a("External") for term in self.nlp.terms)
        return Predictor(self._oracle, has_adjoints=not compiled)

    def run(
        self,
        data: ProgramData,
        options: dict,
        callback: Callable[[Iteration], object] | None = None,
        predict: bool = False,
        multipliers: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> IpoptResult:
        """Solve the program with the present data.

        With `predict` the solution of the last run is first tracked by Newton's method. A warm start takes
        `multipliers` of bounds (n,) and constraints (m,) if they are given and have these sizes.

        Raises
        ------
        SolverOptionError
            IPOPT rejects one of the options, or a scaling factor is not positive.
        """
        started = perf_counter()
        nlp = self.nlp
        if not nlp.variables.free:  # IPOPT refuses a program without variables
            return self._without_freedom(data)
        # Functions in the model's present scaling, and a solver with these options
        if self._automatic is None and any(box.model.magnitudes is not None for box in nlp.boxes):
            self._automatic = magnitude_scaling(nlp, self._unscaled, data.start, data.p)
        scaling = scaling_of(nlp, self._automatic) if "scaling_factor" in data.suffixes else self._automatic
        if self._automatic is not None:
            options = {"ipopt.nlp_scaling_method": "none"} | options
        if scaling != self._scaling:
            self._scale(scaling)
        solver, watch = self._solver(options)
        watch.restart(
            callback
            and (lambda number, point: callback(Iteration.of(number, self._original(point), nlp, data, self._scaling)))
        )
        # Start; IPOPT uses multipliers only in a warm start
        lam_x, lam_g = np.zeros(len(data.start)), np.zeros(len(data.lower))
        if predict or options.get("ipopt.warm_start_init_point") == "yes":
            if multipliers is not None and [len(part) for part in multipliers] == [len(lam_x), len(lam_g)]:
                lam_x, lam_g = multipliers
            else:
                lam_x, lam_g = start_multipliers(nlp, data.suffixes, self.last)
        instance = self._instance(data, data.start, lam_x, lam_g)
        ready = perf_counter()
        # Solution: predicted from the last one if requested, then IPOPT
        steps = factorizations = 0
        if predict:
            instance, steps, factorizations = self._predicted(instance, options.get("ipopt.tol", TOLERANCE))
        with watch.interrupt, one_thread():
            point = solver(**vars(instance))
        done = perf_counter()
        if watch.error is not None:
            raise watch.error
        if watch.last and not point["x"].is_regular():
            point = watch.last
        # Start of the next run
        end = self._original(point)
        self.last = end if np.isfinite(end.lam_x).all() and np.isfinite(end.lam_g).all() else None
        self._solved = None if self.last is None else self._instance(data, end.x, end.lam_x, end.lam_g)
        stats = solver.stats()
        g = np.asarray(point["g"]).ravel()
        violation = np.maximum(instance.lbg - g, g - instance.ubg).max(initial=0.0)
        return IpoptResult(
            iterate=end,
            return_status=stats["return_status"],
            iterations=watch.number and stats["iter_count"],  # not counted, and garbage, before the first
            newton_steps=steps,
            factorizations=factorizations,
            infeasibility=float(violation) if np.isfinite(violation) else np.inf,
            setup_time=ready - started,
            solve_time=done - ready,
            evaluation_time=sum(spent for name, spent in stats.items() if name.startswith("t_wall_nlp_")),
        )

    def _instance(self, data: ProgramData, x: np.ndarray, lam_x: np.ndarray, lam_g: np.ndarray) -> ProgramInstance:
        """Return the scaled program instance, started at a point of the model."""
        instance = data.instance(x, lam_x, lam_g)
        return instance if self._scaling is None else self._scaling.scaled(instance)

    def _original(self, point: Mapping[str, ca.DM]) -> Iterate:
        """Return the unscaled iterate for a point of the solver, keys as in the result of `casadi.nlpsol`."""
        x, g, lam_x, lam_g = (np.asarray(point[name]).ravel() for name in ("x", "g", "lam_x", "lam_g"))
        iterate = Iterate(x, float(point["f"]), g, lam_x, lam_g)
        return iterate if self._scaling is None else self._scaling.original(iterate)

    def _predicted(self, instance: ProgramInstance, tolerance: float) -> tuple[ProgramInstance, int, int]:
        """Return the program started at the predicted solution, if there is one; steps, factorisations."""
        if self._solved is None or instance.has_data_of(self._solved):
            return instance, 0, 0
        before = self._predictor.factorizations
        start, steps = self._predictor.predict(instance, self._solved, tolerance) or (instance, 0)
        return start, steps, self._predictor.factorizations - before

    def prepare(self) -> None:
        """Do the part of the next run that depends only on the last one: factor at its end."""
        if self._solved is not None:
            self._predictor.prepare(self._solved)

    def _solver(self, options: dict) -> tuple[ca.Function, Watch]:
        """Return CasADi's solver with these options."""
        key = tuple(sorted(options.items()))
        if key not in self._solvers:
            if len(self._solvers) == MOST_SOLVERS:  # for instance a time limit that changes with every solve
                self._solvers.clear()
            problem = self._oracle.problem
            watch = Watch(problem["x"].numel(), problem["g"].numel(), problem["p"].numel())
            everything = {**self._oracle.derivatives, "iteration_callback": watch, **options}
            try:
                self._solvers[key] = ca.nlpsol("nlp", "ipopt", problem, everything), watch
            except RuntimeError as error:
                reason = str(error).strip().splitlines()[-1]
                received = {name.removeprefix("ipopt."): value for name, value in options.items()}
                raise SolverOptionError(
                    f"IPOPT refused its options: {reason}. Got {received}; must be names and values from "
                    "IPOPT's reference."
                ) from error
        return self._solvers[key]

    def _without_freedom(self, data: ProgramData) -> IpoptResult:
        """Return the only point of a program without free variables; its constraints were checked with the data."""
        problem = self._unscaled.problem
        f = ca.Function("f", [problem["x"], problem["p"]], [problem["f"]])(np.zeros(0), data.p)
        nothing = np.zeros(0)
        return IpoptResult(Iterate(nothing, float(f), nothing, nothing, nothing), "Solve_Succeeded", 0)
