"""Solver configuration, and its translation to options of IPOPT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyomo.common.config import ConfigValue, NonNegativeInt
from pyomo.contrib.solver.common.config import SolverConfig

#: No banner. MUMPS begins with twice the memory that it estimates, not with IPOPT's eleven times: that is allocated and
#: released for every factorisation, and takes a fifth of it (32 states, 40 intervals). IPOPT doubles it on request.
DEFAULT_OPTIONS = {"sb": "yes", "mumps_mem_percent": 100}
#: Stands for a time limit of 0, which IPOPT refuses [s]: over before the first iteration.
NO_TIME = 1e-9

_PUSHES = ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac", "mult_bound_push")
#: Start close to the given point: no pushes towards the centre of the bounds.
WARM_START_OPTIONS = {
    "warm_start_init_point": "yes",
    "mu_init": 1e-6,
    **{f"warm_start_{name}": 1e-9 for name in _PUSHES},
    # Times the distance from an inactive bound this has to stay within IPOPT's tolerance of complementarity, 1e-8
    "warm_start_mult_bound_push": 1e-11,
}


class CasadiSolverConfig(SolverConfig):
    """The configuration of `CasadiSolver`: Pyomo's, with an iteration limit and an iteration callback.

    Attributes
    ----------
    warm_start : bool
        Whether to start close to the present values, with multipliers: those of the exported suffixes ``dual``,
        ``ipopt_zL_in`` and ``ipopt_zU_in`` and of grey boxes. Sets the options of IPOPT in `WARM_START_OPTIONS`.
    multipliers : tuple of ndarray or None
        Those of the bounds of the free variables (n,) and of the constraints (m,), as ``extra_info.multipliers`` has
        them after a solve of a program of the same size; a warm start takes them in place of suffixes. Other sizes
        are negligible.
    compile : bool
        Whether to compile the functions with gcc or clang, once: libraries are cached per user. Without a compiler
        CasADi interprets them; ``results.extra_info.compiled`` reports which.
    iteration_limit : int or None
        Maximum number of iterations; IPOPT's ``max_iter``.
    iteration_callback : callable or None
        Called with an `Iteration` after every iteration; a true return value stops the solve.
    """

    def __init__(self, description=None, doc=None, implicit=False, implicit_domain=None, visibility=0):
        super().__init__(
            description=description,
            doc=doc,
            implicit=implicit,
            implicit_domain=implicit_domain,
            visibility=visibility,
        )
        self.warm_start: Any = self.declare(
            "warm_start", ConfigValue(domain=bool, default=False, description="Start from multipliers as well.")
        )
        self.multipliers: Any = self.declare(
            "multipliers", ConfigValue(description="Multipliers of bounds and constraints of a warm start.")
        )
        self.compile: Any = self.declare(
            "compile",
            ConfigValue(domain=bool, default=False, description="Compile the functions."),
        )
        self.iteration_limit: Any = self.declare(
            "iteration_limit", ConfigValue(domain=NonNegativeInt, description="Most iterations.")
        )
        self.iteration_callback: Any = self.declare(
            "iteration_callback",
            ConfigValue(description="Called with an Iteration after every iteration; a true return value stops."),
        )


def nlpsol_options(config: CasadiSolverConfig, recommended: Mapping[str, Any] | None = None) -> dict:
    """Return the options of `casadi.nlpsol`; names without a dot are IPOPT's.

    Parameters
    ----------
    config : CasadiSolverConfig
    recommended : dict, optional
        Options of IPOPT that the model's grey boxes recommend; those of the configuration take precedence.
    """
    verbose = bool(config.tee)
    options: dict = DEFAULT_OPTIONS | {"print_level": 5 if verbose else 0} | dict(recommended or {})
    if config.warm_start:
        options |= WARM_START_OPTIONS
    if config.time_limit is not None:
        options["max_wall_time"] = max(float(config.time_limit), NO_TIME)
    if config.iteration_limit is not None:
        options["max_iter"] = config.iteration_limit
    options |= config.solver_options.value()
    if options.get("nlp_scaling_method") == "user-scaling":  # the program is scaled already; CasADi passes no factors
        options["nlp_scaling_method"] = "none"
    return {"print_time": False, "show_eval_warnings": verbose, "no_nlp_grad": True, "calc_lam_p": False} | {
        name if "." in name else f"ipopt.{name}": value for name, value in options.items()
    }
