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
from .data import Posed, ProgramData
from .errors import SolverOptionError
from .iterate import Iterate
from .oracle import Oracle, build_oracle
from .predict import Predictor
from .scaling import Scaling, scaled, scaling_of
from .warmstart import start_multipliers
from .watch import Iteration, Watch

#: IPOPT's own, where the options have none.
IPOPT_TOLERANCE = 1e-8
#: How many sets of options have a solver at a time.
MOST_SOLVERS = 8


@dataclass(frozen=True)
class IpoptResult:
    """Result of a run of IPOPT.

    Attributes
    ----------
    iterate : Iterate
        The solution, or the last finite iterate.
    return_status : str
        IPOPT's.
    iterations : int
    newton_steps : int
        Before the first iteration, if these led to a solution.
    factorizations : int
        Made for these steps; 0 where an earlier one serves.
    setup_time, solve_time, evaluation_time : float
        Wall times [s] of making the solver, of the prediction and IPOPT with all it calls, and of the functions and
        derivatives in IPOPT.
    """

    iterate: Iterate
    return_status: str
    iterations: int
    newton_steps: int = 0
    factorizations: int = 0
    setup_time: float = 0.0
    solve_time: float = 0.0
    evaluation_time: float = 0.0


class Ipopt:
    """IPOPT on one program. Functions and solvers are made once and serve every run.

    Parameters
    ----------
    nlp : NonlinearProgram
    kernels : CompiledKernels, optional
        Compiles the functions.

    Attributes
    ----------
    last : Iterate or None
        Where the last run ended, if it has finite multipliers.
    """

    def __init__(self, nlp: NonlinearProgram, kernels: CompiledKernels | None = None):
        if kernels is not None:
            nlp = replace(nlp, terms=[replace(term, kernel=kernels.compiled(term.kernel)) for term in nlp.terms])
        self.nlp = nlp
        self.last: Iterate | None = None
        self._unscaled = build_oracle(nlp)
        self._scale(None)

    def _scale(self, scaling: Scaling | None) -> None:
        """Take over the scaling of a model, None where it has none."""
        self._scaling = scaling
        self._oracle: Oracle = self._unscaled if scaling is None else scaled(self._unscaled, scaling)
        self._solvers: dict[tuple, tuple[ca.Function, Watch]] = {}
        vars(self).pop("_predictor", None)
        self._solved: Posed | None = None  # the last run, started where it ended

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
    ) -> IpoptResult:
        """Solve the program with the numbers in `data`.

        With `predict` Newton's method looks for the solution first, from that of the last run.

        Raises
        ------
        SolverOptionError
            IPOPT does not take one of the options, or a scaling factor is not positive.
        """
        started = perf_counter()
        nlp = self.nlp
        if not nlp.variables.free:  # IPOPT refuses a program without variables
            return self._without_freedom(data)
        # Functions, in the scaling that the model has now, and a solver with these options
        scaling = scaling_of(nlp) if "scaling_factor" in data.suffixes else None
        if scaling != self._scaling:
            self._scale(scaling)
        solver, watch = self._solver(options)
        watch.restart(
            callback
            and (
                lambda number, point: callback(
                    Iteration.of(number, self._original(point), nlp.sense, data.lower, data.upper)
                )
            )
        )
        # The start; multipliers count for IPOPT only where it starts warm
        lam_x, lam_g = np.zeros(len(data.start)), np.zeros(len(data.lower))
        if predict or options.get("ipopt.warm_start_init_point") == "yes":
            lam_x, lam_g = start_multipliers(nlp, data.suffixes, self.last)
        posed = self._posed(data, data.start, lam_x, lam_g)
        ready = perf_counter()
        # The solution: foretold from the last one if that is wanted, and then IPOPT
        steps = factorizations = 0
        if predict:
            posed, steps, factorizations = self._predicted(posed, options.get("ipopt.tol", IPOPT_TOLERANCE))
        with watch.interruptible():
            point = solver(**vars(posed))
        done = perf_counter()
        if watch.error is not None:
            raise watch.error
        if watch.last and not point["x"].is_regular():
            point = watch.last
        # What the next run may start from
        end = self._original(point)
        self.last = end if np.isfinite(end.lam_x).all() and np.isfinite(end.lam_g).all() else None
        self._solved = None if self.last is None else self._posed(data, end.x, end.lam_x, end.lam_g)
        stats = solver.stats()
        return IpoptResult(
            iterate=end,
            return_status=stats["return_status"],
            iterations=stats["iter_count"],
            newton_steps=steps,
            factorizations=factorizations,
            setup_time=ready - started,
            solve_time=done - ready,
            evaluation_time=sum(spent for name, spent in stats.items() if name.startswith("t_wall_nlp_")),
        )

    def _posed(self, data: ProgramData, x: np.ndarray, lam_x: np.ndarray, lam_g: np.ndarray) -> Posed:
        """Return the program as the solver sees it, to be started at a point of the model."""
        posed = data.posed(x, lam_x, lam_g)
        return posed if self._scaling is None else self._scaling.scaled(posed)

    def _original(self, point: Mapping[str, ca.DM]) -> Iterate:
        """Return a point of the solver, keys as in the result of `casadi.nlpsol`, as one of the model's."""
        x, g, lam_x, lam_g = (np.asarray(point[name]).ravel() for name in ("x", "g", "lam_x", "lam_g"))
        iterate = Iterate(x, float(point["f"]), g, lam_x, lam_g)
        return iterate if self._scaling is None else self._scaling.original(iterate)

    def _predicted(self, posed: Posed, tolerance: float) -> tuple[Posed, int, int]:
        """Return the program started where the last solution moves to, if that can be told; steps, factorisations."""
        if self._solved is None or posed.has_the_numbers_of(self._solved):
            return posed, 0, 0
        before = self._predictor.factorizations
        start, steps = self._predictor.predict(posed, self._solved, tolerance) or (posed, 0)
        return start, steps, self._predictor.factorizations - before

    def prepare(self) -> None:
        """Do now what of the next run depends on the last one only: factor where that ended."""
        if self._solved is not None:
            self._predictor.prepare(self._solved)

    def _solver(self, options: dict) -> tuple[ca.Function, Watch]:
        """Return CasADi's solver with these options."""
        key = tuple(sorted(options.items()))
        if key not in self._solvers:
            if len(self._solvers) == MOST_SOLVERS:  # a time limit that changes every time, say
                self._solvers.clear()
            problem = self._oracle.problem
            watch = Watch(problem["x"].numel(), problem["g"].numel(), problem["p"].numel())
            everything = {**self._oracle.derivatives, "iteration_callback": watch, **options}
            try:
                self._solvers[key] = ca.nlpsol("nlp", "ipopt", problem, everything), watch
            except RuntimeError as error:
                reason = str(error).strip().splitlines()[-1]
                given = {name.removeprefix("ipopt."): value for name, value in options.items()}
                raise SolverOptionError(
                    f"IPOPT refused its options: {reason}. Got {given}; must be names and values of IPOPT's reference."
                ) from error
        return self._solvers[key]

    def _without_freedom(self, data: ProgramData) -> IpoptResult:
        """Return the only point there is; that its constraints hold was seen when the numbers were read."""
        problem = self._unscaled.problem
        f = ca.Function("f", [problem["x"], problem["p"]], [problem["f"]])(np.zeros(0), data.p)
        nothing = np.zeros(0)
        return IpoptResult(Iterate(nothing, float(f), nothing, nothing, nothing), "Solve_Succeeded", 0)
