"""Goals with more conditions than the inputs have values to meet them with."""

from __future__ import annotations

from ...errors import ProblemError
from ..equilibrium import independent_states
from ..phase_transcription import PhaseTranscription
from ..transcribed_problem import TranscribedProblem
from .shared_inputs import listed_scenarios


def check_input_count(transcribed: TranscribedProblem) -> None:
    """Refuse goals with more terminal conditions than there are input parameters."""
    problem, options, inputs = transcribed.problem, transcribed.options, len(transcribed.dae.u)
    shape, intervals = options.input_shape, sum(options.counts)
    values = (intervals + len(options.counts) * shape.is_continuous) * inputs * (1 + shape.has_rates)
    if shape.is_continuous:
        joined = sum(not phase.input_jump for phase in problem.phases[1:])
        held = 2 if problem.input_ends == "holding" else 0
        values -= inputs * (joined * (1 + shape.has_rates) + held)
    values += sum(not phase.is_timed for phase in problem.phases) + len(problem.design)
    wanted = sum(map(_conditions, transcribed.phases))
    if wanted <= values:
        return
    who, count = "the arm is", len(transcribed.runs)
    if count > 1:
        who = f"{count} scenarios ({listed_scenarios(problem, range(count))}) are"
    raise ProblemError(
        f"plan: {who} to be at rest at the goal: {wanted} conditions, and the inputs on {intervals} intervals "
        f"have {values} values to meet them with. Take more intervals"
        f"{', fewer scenarios' if count > 1 else ''}, or give the phase a leeway."
    )


def _conditions(t: PhaseTranscription) -> int:
    """Return the number of terminal conditions at the end of a phase."""
    end = t.end
    if end.kind == "fixed":
        fixed = [i for i in independent_states(t.dae, end.point) if i not in end.loose]
        return len(fixed) - 2 * (len(t.static) or len(t.unresolved)) - 2 * len(end.open)
    return len(end.prescribed) if end.kind in ("near", "passing") else 0
