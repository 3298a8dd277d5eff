"""Translation of IPOPT's return status to Pyomo's."""

from __future__ import annotations

from pyomo.contrib.solver.common.results import SolutionStatus, TerminationCondition

_CONVERGED = (TerminationCondition.convergenceCriteriaSatisfied, SolutionStatus.optimal)
_INFEASIBLE = (TerminationCondition.locallyInfeasible, SolutionStatus.infeasible)
UNDEFINED = "Invalid_Number_Detected"
_ERROR = (TerminationCondition.error, SolutionStatus.unknown)
_REFUSED = (TerminationCondition.error, SolutionStatus.noSolution)

#: IPOPT's ApplicationReturnStatus -> termination condition and solution status.
STATUS: dict[str, tuple[TerminationCondition, SolutionStatus]] = {
    "Solve_Succeeded": _CONVERGED,
    "Solved_To_Acceptable_Level": _CONVERGED,
    "Feasible_Point_Found": _CONVERGED,  # of a square problem
    "Infeasible_Problem_Detected": _INFEASIBLE,
    "Search_Direction_Becomes_Too_Small": (TerminationCondition.minStepLength, SolutionStatus.unknown),
    "Diverging_Iterates": (TerminationCondition.unbounded, SolutionStatus.unknown),
    "User_Requested_Stop": (TerminationCondition.interrupted, SolutionStatus.unknown),
    "Maximum_Iterations_Exceeded": (TerminationCondition.iterationLimit, SolutionStatus.unknown),
    "Maximum_CpuTime_Exceeded": (TerminationCondition.maxTimeLimit, SolutionStatus.unknown),
    "Maximum_WallTime_Exceeded": (TerminationCondition.maxTimeLimit, SolutionStatus.unknown),
    "Restoration_Failed": _ERROR,
    "Error_In_Step_Computation": _ERROR,
    UNDEFINED: _ERROR,
    "Not_Enough_Degrees_Of_Freedom": _REFUSED,
    "Invalid_Problem_Definition": _REFUSED,
    "Invalid_Option": _REFUSED,
    "Unrecoverable_Exception": _ERROR,
    "NonIpopt_Exception_Thrown": _ERROR,
    "Insufficient_Memory": _ERROR,
    "Internal_Error": _ERROR,
}

_ADVICE = {
    "Infeasible_Problem_Detected": "Its constraints contradict each other near the last iterate; relax some, or start "
    "elsewhere.",
    "Diverging_Iterates": "The objective seems unbounded; bound the variables.",
    "Maximum_Iterations_Exceeded": "Raise max_iter, or give a better start or scaling.",
    "Maximum_CpuTime_Exceeded": "Raise the time limit.",
    "Maximum_WallTime_Exceeded": "Raise the time limit.",
    UNDEFINED: "A function gave NaN or infinity; bound the variables to where it is defined, and start there.",
    "Not_Enough_Degrees_Of_Freedom": "There are more equality constraints than free variables; unfix variables or drop "
    "constraints.",
    "Restoration_Failed": "No feasible point was found near the last iterate; give a better start or scaling.",
    "User_Requested_Stop": "The last iterate is kept.",
}


def advice(return_status: str) -> str:
    """Return advice after a solve without an optimum."""
    return _ADVICE.get(return_status, "Solve with tee=True to see IPOPT's log.")
