"""`fb.identify`: unknowns of an arm from records of its motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np

from flexblocks.argument_types import short
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError, suggestion
from flexblocks.identification.prediction.gauss_newton import Budget, Minimum, Status
from flexblocks.identification.prediction.multiple_shooting import MultipleShooting
from flexblocks.identification.prediction.problem import Problem
from flexblocks.identification.prediction.recorded import measured_names, recorded
from flexblocks.identification.prediction.resolved import resolved
from flexblocks.identification.results.estimates import Attempt
from flexblocks.identification.results.fit import Fit
from flexblocks.identification.results.fit_of import fit_of
from flexblocks.identification.search import searched
from flexblocks.identification.unknowns.unknown import Unknown
from flexblocks.interrupt import Interrupt, answered
from flexblocks.plausibility import computable
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.record import Record
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import POOR_FIT

MethodName = Literal["auto", "output error", "prediction error", "multiple shooting"]


def identify(
    dae: DAE,
    records: Record | Sequence[Record],
    parameters: Iterable[str | Unknown] | str | Unknown,
    noise: Mapping[str, float] | None = None,
    *,
    method: MethodName = "auto",
    p: Mapping[str, float] | None = None,
    uncertainty: Mapping[str, float] | None = None,
    segment: float | None = None,
    starts: int = 1,
    spread: float = 3.0,
    seed: int = 0,
    time_limit: float | None = None,
    progress: bool | None = None,
    compiled: bool = True,
) -> Fit:
    """Return the unknowns of an arm that explain records of its motion best, and how well they are known.

    Parameters
    ----------
    dae : DAE
        Without closed kinematic loops, algebraic variables and prescribed motions; see `assemble` for its symbolic
        parameters.
    records : Record or sequence of Record
        Each with all inputs but disturbances; they may measure different variables. A record begins in its ``x0``, in
        start values of the model where that says nothing.
    parameters : str, Unknown or sequence of these
        What is sought: symbolic parameters by name, ``"offset(joint1.angle)"`` and ``"start(joint1.angle)"``; see
        `Unknown` for guesses, bounds and prior knowledge.
    noise : dict of float, optional
        Standard deviations [unit] by name: of measurements, and of inputs that are known from noisy measurements.
        That of a measurement which is left out is estimated; an input that is left out is known exactly.
    method : str
        ``"output error"``: the arm is simulated with the recorded inputs. ``"prediction error"``: an extended Kalman
        filter predicts each sample from those before; ``"auto"`` takes it where `noise` names an input, for which
        output error is biased. ``"multiple shooting"``: output error in segments that are joined in the end, for long
        records and arms that are unstable without feedback.
    p : dict, optional
        Symbolic parameters that are not sought, by default those of the model.
    uncertainty : dict of float, optional
        Of prediction error: standard deviations of the state at the start of each record; those left out are known.
    segment : float, optional
        Of multiple shooting: how long a segment is [s]; by default a twentieth of the longest record.
    starts : int
        From how many starts it is sought: the guess, and others drawn about it. The least cost counts.
    spread : float
        Factor up to which starts differ from guesses of what is positive by nature; others differ by what is large for
        them.
    seed : int
        Of the starts.
    time_limit : float, optional
        [s]; the best by then is returned, likewise after Ctrl-C.
    progress : bool, optional
        Whether to show progress; by default where it takes long.
    compiled : bool
        Whether a C compiler makes machine code of the predictions, which is kept.

    Returns
    -------
    Fit

    Raises
    ------
    NameUnknownError
        A name that the arm does not have, or an input that a record lacks.
    ParameterError
        No records or unknowns, numbers out of range, or an arm that takes no such steps.
    ComputationError
        No start had finite predictions, or time was up before there was any.

    Warns
    -----
    FlexblocksWarning
        The search ended early; an unknown is not seen in the data, or only together with others; residuals are larger
        than the noise or coloured, so that the model lacks something.

    Notes
    -----
    Every sample is one implicit step of the arm (Radau IIA of three stages) with its exact derivatives; steps are those
    of the record, so that vibrations well above the sample rate are damped in the prediction. Gauss-Newton with a trust
    region minimises the squares of whitened residuals. In prediction error the filter's gains are held meanwhile, and
    renewed until they settle; at a true model its innovations are white, which makes estimates unbiased. The search
    begins in coarse records, with every fourth sample, sixteenth and so on, from the guess and from where filters lead
    that do not trust the inputs; a minimum that does not explain the data is sought once more from the guess.

    Examples
    --------
    >>> import numpy as np
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> dae = fb.assemble(models.subudhi_morris_2002(modes=1), symbolic=("payload.mass",))
    >>> t = np.arange(0, 0.5, 0.01)
    >>> torque = 0.2 * np.sin(8 * t)
    >>> run = fb.simulate(dae, t, u={"motor1.torque": fb.piecewise_constant(t, torque)}, p={"payload.mass": 0.15})
    >>> noisy = run["joint2.angle"] + 1e-4 * np.random.default_rng(0).normal(size=len(t))
    >>> record = fb.Record(t, u={"motor1.torque": torque, "motor2.torque": 0.0}, y={"joint2.angle": noisy})
    >>> fit = fb.identify(dae, record, "payload.mass", noise={"joint2.angle": 1e-4})
    >>> low, high = fit.intervals["payload.mass"]
    >>> bool(low < 0.15 < high)
    True
    """
    given = [records] if isinstance(records, Record) else list(records)
    measured = measured_names(given)
    deviations = _noise(dae, measured, noise)
    chosen = _method(dae, method, deviations)
    for name in uncertainty or {}:
        dae.x.index(name)
    _check(starts, spread, segment)
    unknowns = resolved(dae, parameters, measured, given)
    arrays = [recorded(dae, record, measured) for record in given]
    filters = chosen == "prediction error"
    problem = Problem(dae, arrays, measured, unknowns, deviations, uncertainty or {}, p, filters, compiled)
    segments = MultipleShooting(problem, segment, compiled) if chosen == "multiple shooting" else None
    rng = np.random.default_rng(seed)
    tried = [unknowns.start(), *unknowns.drawn(starts - 1, spread, rng)]
    attempts, minima = [], []
    with ProgressDisplay(f"identification of '{dae.name}'", None, progress) as display, Interrupt() as interrupt:
        budget = Budget(time_limit, display, interrupt)
        for number, start in enumerate(tried, 1):
            label = f"start {number} of {starts}, " if starts > 1 else ""
            minimum = searched(problem, segments, start, budget, label, compiled)
            minima.append(minimum)
            names = dict(zip(unknowns.names, unknowns.values(start).tolist(), strict=True))
            attempts.append(Attempt(names, minimum.cost, minimum.status, minimum.evaluations))
            if budget.is_over:
                break
        if interrupt.asked:
            answered()
    best = min(minima, key=lambda minimum: minimum.cost)
    if best.evaluation is None or best.weights is None:
        raise ComputationError(_nothing_found(dae, minima))
    fit = fit_of(problem, best, chosen, tuple(attempts), dict(p or {}))
    for sentence in fit.warnings:
        warn(f"identify '{dae.name}': {sentence}.", POOR_FIT)
    return fit


def _noise(dae: DAE, measured: Sequence[str], noise: Mapping[str, float] | None) -> dict[str, float]:
    if noise is not None and not isinstance(noise, Mapping):
        raise ParameterError(f"identify: noise = {short(noise)}; must be a dict of standard deviations by name.")
    for name, value in (noise or {}).items():
        if name not in measured and name not in dae.u:
            known = (*measured, *dae.u.names)
            raise NameUnknownError(
                f"identify: noise: '{name}' is neither measured nor an input{suggestion(name, known)}"
            )
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not is_number or not computable(float(value)) or value <= 0:
            raise ParameterError(f"identify: noise['{name}'] = {short(value)}; must be > 0, a standard deviation.")
    return {name: float(value) for name, value in (noise or {}).items()}


def _method(dae: DAE, method: MethodName, noise: Mapping[str, float]) -> MethodName:
    names = ("auto", "output error", "prediction error", "multiple shooting")
    if method not in names:
        raise ParameterError(f"identify: method = {short(method)}{suggestion(str(method), names, 'must be one of')}")
    noisy = [name for name in noise if name in dae.u]
    if method == "auto":
        return "prediction error" if noisy else "output error"
    if noisy and method != "prediction error":
        raise ParameterError(
            f"identify: noise names the input '{noisy[0]}', which method = '{method}' takes as known exactly; take "
            "'prediction error', or leave it out of noise."
        )
    return method


def _check(starts: int, spread: float, segment: float | None) -> None:
    if isinstance(starts, bool) or not isinstance(starts, (int, np.integer)) or starts < 1:
        raise ParameterError(f"identify: starts = {short(starts)}; must be a whole number >= 1.")
    if not computable(float(spread)) or spread <= 1:
        raise ParameterError(f"identify: spread = {short(spread)}; must be a factor > 1.")
    if segment is not None and not (computable(float(segment)) and segment > 0):
        raise ParameterError(f"identify: segment = {short(segment)}; must be > 0 [s], or None.")


def _nothing_found(dae: DAE, minima: Sequence[Minimum]) -> str:
    statuses: set[Status] = {minimum.status for minimum in minima}
    if statuses & {"time limit", "interrupted"}:
        return f"identify '{dae.name}': it was ended before any start had been evaluated; give it more time."
    return (
        f"identify '{dae.name}': predictions are not finite from any of {len(minima)} starts; check units and start of "
        "the records and the guesses, or take method='multiple shooting' where the arm is unstable without feedback."
    )
