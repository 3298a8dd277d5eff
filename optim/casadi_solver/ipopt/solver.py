"""Pyomo solver: the IPOPT bundled with CasADi."""

from __future__ import annotations

import datetime
import io
from contextlib import nullcontext
from time import perf_counter
from typing import Any

import casadi as ca
from pyomo.common.gc_manager import PauseGC
from pyomo.common.timing import HierarchicalTimer
from pyomo.contrib.solver.common.base import Availability, SolverBase
from pyomo.contrib.solver.common.factory import SolverFactory
from pyomo.contrib.solver.common.results import Results, SolutionStatus, TerminationCondition
from pyomo.contrib.solver.common.solution_loader import NoSolutionSolutionLoader
from pyomo.core.base.block import BlockData
from pyomo.core.staleflag import StaleFlagManager

from flexblocks.public_calls import delivering

from ..greyboxes.compiled import CompiledKernels
from ..program.errors import TrivialConstraintError
from ..program.nlp import NonlinearProgram, compile_nlp
from .config import CasadiSolverConfig, nlpsol_options
from .data import read_data, recommended_options
from .errors import NotOptimalError
from .log import logged
from .run import Ipopt, IpoptResult
from .solution import CasadiSolutionLoader
from .status import STATUS, advice


@SolverFactory.register("casadi", legacy_name="casadi", doc="IPOPT through CasADi, with CasADi grey boxes")
class CasadiSolver(SolverBase):
    """Solves smooth nonlinear Pyomo models with the IPOPT bundled with CasADi.

    Registered for both of Pyomo's interfaces, ``pyo.SolverFactory("casadi")`` and
    ``pyomo.contrib.solver.common.factory.SolverFactory("casadi")``. First and second derivatives are exact and sparse;
    `CasadiGreyBox` blocks are decomposed into their local functions.

    Variables without a value start at 0, moved into their bounds. The suffixes ``dual``, ``rc``, ``ipopt_zL_out`` and
    ``ipopt_zU_out`` are filled; with ``warm_start=True`` the multipliers start from ``dual``, ``ipopt_zL_in``,
    ``ipopt_zU_in`` and from those that grey boxes hold. The suffix ``scaling_factor`` scales variables, constraints and
    the objective. Ctrl-C stops after the running iteration and keeps its iterate.
    """

    CONFIG = CasadiSolverConfig()

    def available(self) -> Availability:
        return Availability.FullLicense if ca.has_nlpsol("ipopt") else Availability.NotFound

    def version(self) -> tuple:
        return tuple(int(part) for part in ca.CasadiMeta.version().split("+")[0].split(".")[:3])

    @delivering
    def solve(self, model: BlockData, **kwargs) -> Results:
        """Solve `model` from the present values of its variables.

        Parameters
        ----------
        model : BlockData
        **kwargs
            Entries of :class:`CasadiSolverConfig`; ``solver_options`` (``options`` in the legacy interface) holds
            options of IPOPT by their plain names.

        Returns
        -------
        Results
            ``extra_info`` holds ``iteration_count``, ``return_status``, ``compiled`` (paths of the compiled functions,
            or why there are none) and ``multipliers`` (of bounds and of constraints); ``timing_info`` the wall times
            [s] ``build`` (walking the model), ``functions`` (derivatives and solver set-up), ``solve`` and, within it,
            ``evaluation``.

        Raises
        ------
        UnsupportedModelError, TrivialConstraintError, SolverOptionError
            Before the solve.
            A TrivialConstraintError, also a NoOptimalSolutionError and a NoSolutionError of Pyomo, is returned as
            ``provenInfeasible`` in the results if neither ``raise_exception_on_nonoptimal_result`` nor
            ``load_solutions`` is set.
        NotOptimalError
            No optimum was found and ``raise_exception_on_nonoptimal_result`` is set; the last iterate is in
            ``error.results``.

        Notes
        -----
        Whatever is raised, the model is as before: values, stale flags, suffixes and grey boxes.
        """
        began, started = datetime.datetime.now(datetime.UTC), perf_counter()
        config: Any = self.config(value=kwargs, preserve_implicit=True)  # pyright: ignore[reportArgumentType]
        timer = config.timer = config.timer or HierarchicalTimer()

        timer.start("build")
        try:
            with PauseGC():  # many objects, no cycles to collect
                nlp = compile_nlp(model)
                data = read_data(nlp)
        except TrivialConstraintError as error:
            if config.raise_exception_on_nonoptimal_result or config.load_solutions:
                raise
            timer.stop("build")
            return self._infeasible(model, config, str(error), began, perf_counter() - started)
        timer.stop("build")
        built = perf_counter()
        timer.start("functions")
        kernels = CompiledKernels() if config.compile else None
        ipopt = Ipopt(nlp, data, kernels)
        timer.stop("functions")
        derived = perf_counter()
        timer.start("ipopt")
        with logged(config.tee) if config.tee else nullcontext(io.StringIO()) as log:
            options = nlpsol_options(config, recommended_options(nlp))
            run = ipopt.run(options, config.iteration_callback, config.multipliers)
        timer.stop("ipopt")

        results = self._results(nlp, run)
        results.extra_info.compiled = None if kernels is None else kernels.note
        results.solver_config = config
        results.solver_log = log.getvalue()
        times = results.timing_info
        times.start_timestamp, times.timer = began, timer
        times.build, times.functions = built - started, derived - built + run.setup_time
        times.solve, times.evaluation = run.solve_time, run.evaluation_time
        times.wall_time = perf_counter() - started
        if config.raise_exception_on_nonoptimal_result and results.solution_status != SolutionStatus.optimal:
            raise NotOptimalError(
                f"Model '{model.name}': IPOPT stopped after {run.iterations} iterations with {run.return_status}. "
                f"{advice(run.return_status)}",
                results,
            )
        StaleFlagManager.mark_all_as_stale()
        if config.load_solutions and results.solution_status != SolutionStatus.noSolution:
            results.solution_loader.load_solution()
        return results

    def _infeasible(
        self, model: BlockData, config: Any, reason: str, began: datetime.datetime, wall_time: float
    ) -> Results:
        """Return the results for a model that is infeasible as it stands."""
        results: Any = Results()
        results.solver_name, results.solver_version = self.name, self.version()
        results.solver_config, results.solver_log = config, reason
        results.termination_condition = TerminationCondition.provenInfeasible
        results.solution_status = SolutionStatus.noSolution
        results.solution_loader = NoSolutionSolutionLoader(model, reason)
        results.extra_info.iteration_count = 0
        times = results.timing_info
        times.start_timestamp, times.timer = began, config.timer
        times.build = times.wall_time = wall_time
        StaleFlagManager.mark_all_as_stale()
        return results

    def _results(self, nlp: NonlinearProgram, run: IpoptResult) -> Any:
        results: Any = Results()
        results.solver_name, results.solver_version = self.name, self.version()
        results.termination_condition, results.solution_status = STATUS[run.return_status]
        results.extra_info.iteration_count = run.iterations
        results.extra_info.infeasibility = run.infeasibility
        results.extra_info.return_status = run.return_status
        results.extra_info.multipliers = (run.iterate.lam_x, run.iterate.lam_g)
        if results.solution_status == SolutionStatus.noSolution:
            results.solution_loader = NoSolutionSolutionLoader(nlp.model, advice(run.return_status))
            return results
        if nlp.objective is not None:
            results.objective_bound = -nlp.sense * float("inf")
            if results.solution_status == SolutionStatus.optimal:
                results.incumbent_objective = nlp.sense * run.iterate.f
        results.solution_loader = CasadiSolutionLoader(nlp, run.iterate)
        return results
