"""Settings of the solution strategies, each with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Iteration limits, step sizes and termination criteria of the solution strategies.

    "By trial" means chosen on the two-link arm of Subudhi & Morris and the arms of the tests, without systematic
    comparison. The figures are those of docs/benchmarks/planning.md.

    Attributes
    ----------
    patience : int
        Iterations after which a solve is abandoned for the next strategy: three times the most observed for a solve
        that converges, 14 to 67 for least effort and 31 to 158 for minimum time.
    static_patience : int
        Iterations of a solve with quasi-static modes, from one guess and with one step of the multipliers: those that
        converge take 6 to 60, one of the random arms of benchmarks/real_plans 116. Likewise of scenarios that are added
        to a plan of others, which take 16 to 77 in benchmarks/plan_scenarios.
    resolved_patience : int
        Iterations of a first solve with the dynamics of all modes, before those that the mesh leaves unresolved are
        quasi-static, if they are more than there are inputs: of random arms of benchmarks/real_plans two thirds take 4
        to 50, others 78, 135 and more than 500.
    asking_patience : int
        Likewise where goals in between ask for rest of more modes: those that converge take 7 to 20.
    exact_patience : int
        Iterations in which exact rest is tried before it gets a leeway, where it may be out of reach: of several
        scenarios with shared inputs, twice what rigid arms take, 10 to 25; in free time, where the mesh leaves more
        modes unresolved than there are inputs.
    stage_patience : int
        Iterations from least effort to a blend of it with the objective asked for: those that converge take 4 to 131.
        Likewise of a motion in a given time with another objective than effort: 9 to 164 on the arms of
        benchmarks/real_plans with "vibration".
    leeways : tuple of float
        That leeway from solve to solve, relative to the largest kinetic energy. By trial; the last counts as nothing.
    farthest : float
        IPOPT's ``theta_max_fact`` from a first guess: the equations may not be violated by more than in the guess, as a
        multiple. With IPOPT's 10000 the first steps may whirl the arm about, and it stays at that: the boom of
        benchmarks/real_plans takes 224 iterations from joints to joints, with 1 139 to 8 % less effort; with 0.1 some
        solves take three times the iterations. Likewise from least effort to another objective where ropes, cylinders
        or loops act: shortest times of the luffing crane take 143 iterations, with 10000 245 (multipliers at the step
        of the motion). Those of three links take 72, and with 1 325. Likewise on a finer mesh: along their line three
        links take 61 iterations on 66 intervals, and with 10000 more than 100.

    near_barrier : float
        IPOPT's ``mu_init`` for a start close to the solution, as from another objective or another model of the arm.
        The default of 0.1 first drives the iterates away from the start. By trial, with an objective of ten at the
        start: a thousandth of it.
    refined_barrier : float
        ``mu_init`` from the same motion on a coarser mesh, which is closer still: the three phases of
        optim/examples/pick_carry_release.py take 12 iterations a refinement instead of 20.

    stretches : tuple of float
        Durations of the first stage, least effort, as multiples of what the rigid arm needs on a quintic at its limits.
        A flexible arm takes longer, and if a duration fails the next one is easier. 100 of 100 random pairs converge.
        By trial.
    stretch_patience : int
        Iterations of least effort before the next of these durations is tried: those that converge take 7 to 67. By
        Lobatto collocation on 100 intervals the arm of Subudhi & Morris at (4, 2) N m had no plan after 500 of the
        first one, and takes 26 in the second.
    smoothing : float
        The time that weighs the inputs' rates in that first stage, as a share of its duration: about twice that of
        `Effort`. Shortest times are more often reached from smooth inputs. By trial.
    softenings : tuple of float
        Weights of the effort in the stages between least effort and the objective asked for, relative to the weight at
        which both are equal: a factor of ten from stage to stage. By trial.

    obstacle_patience : int
        Iterations of a solve with obstacles relaxed at one price. Those that clear them take 8 to 30.
    line_patience : int
        Iterations of a solve from a first guess along a line to be followed: those that converge take 30 to 100.
    prices : tuple of float
        Prices of the whole relaxation, relative to the objective without obstacles. The first is enough where the way
        around them costs less than the motion itself; a higher one from the start ends in worse optima more often.
    detour_tries : int
        Postures sampled for the detour, a power of two for Sobol sampling. By trial: enough for the tests' obstacles
        that the solve from the unconstrained optimum does not clear.
    detour_seeds : int
        Of these, how many are tried with a second one where none clears the obstacles: a second or two of work.
    detour_spread : float
        Half width of their distribution about the middle of the motion [rad or lengths of the arm]: 0.8 of a turn of
        each joint in all.
    detour_points : int
        Points along the motion at which a detour is judged: 1.25 % of the duration apart.

    stiffer : tuple of float
        Factors on all stiffnesses in the stages of the homotopy, stiffest first. 25 makes frequencies five times
        higher, close to the rigid arm of the initial guess; from there to the arm itself in equal factors. By trial.

    roundest, sharpest : float
        Rate below which the sign of friction is rounded off at the beginning of its homotopy, relative to the largest
        of the shaft in the first guess: friction is all but viscous. Likewise the angle over which teeth touch,
        relative to their play: they are a spring. The rate at which friction that sticks follows: what a shaft gains
        in half an interval of 30, and what a mesh of that kind resolves. By trial.
    rounding_step, largest_step, least_step : float
        Factors on these: the first, the smallest after stages that were easy, and that at which the homotopy gives
        up after stages that failed, each by its square root. By trial, on 36 tasks of arms whose friction takes a tenth
        to all of their energy.
    rounding_patience, easy_rounding : int
        Iterations of each of these stages but the first: those that converge take 5 to 40; an easy one takes no more
        than the latter. As many as the last solve of the first stage took, if that is more, along lines and the like;
        of a shortest time twice as many, and five quarters of them are easy.
    round_enough : float
        Rate below which friction is rounded off, relative to that of the shaft, or angle over which teeth touch,
        relative to their play, from which on it is planned as it is.
    slight_loss : float
        Share of the largest kinetic energy up to which losses by dry friction are planned as they are. By trial.
    sticking_patience : int
        Iterations of the last one, with friction that sticks: a motion that does not takes 2 to 6, a rod that does 22,
        and two links that do rarely end within 500.

    refinement_patience : int
        Iterations of a solve on a finer mesh, from the motion on the coarser one: those that converge take 3 to 30.
    refinement_time : float
        CPU time [s] for the solves of a refinement without a time limit, and wall time of each replay: twice what a
        plan itself may take in benchmarks/real_plans. A choice.
    progress : float
        Share of the last error that a refinement must not leave if only some intervals are to be halved again. A
        quarter is what halving all of them leaves at least where a mesh resolves the motion. By trial.
    near : float
        Largest excess of a replay, relative to what is allowed, up to which the motion is all but resolved by its mesh:
        shorter intervals, of the same scheme, are tried first then. Halving leaves a thirtieth of Radau's errors of
        degree 3. In the shortest time of the luffing crane it leaves 0.04 of 6.3, in 26 iterations and 5 s, where a
        start from least effort with Lobatto collocation had not ended after 300 s.
    hopeless : float
        Largest local error relative to what is allowed, from which on the plan of an arm that needs feedback is not
        replayed: feedback keeps the local errors, it does not undo them. By trial.
    most_intervals : int
        Intervals of a phase beyond which a mesh is not refined. Plans that converge do so by 160; five times as many
        leave a margin. By trial.
    raised_degree : int
        Degree up to which a symmetric scheme is raised before intervals are doubled. More points resolve the motion
        without refining the inputs: minimum-time plans mostly converge at degree 4 or 6.
    small_error : float
        Local error of an interval relative to what is allowed, up to which refinement leaves the interval as it is:
        some ten of them still amount to what is allowed. By trial.
    large_error : float
        Share of the largest local error from which on an interval is halved, if all are small: halving only the worst
        would take many solves. By trial.
    most_intrusion : float
        Distance by which a replay may violate a region, as a multiple of 1e-4 of the reach: 1 mm for an arm of 1 m.
        A choice.
    most_excess : float
        Relative violation of any other limit by a replay. A choice.
    most_margin : float
        Violation relative to what is allowed, up to which refinement keeps the plan off the limits by as much: a tenth
        of a limit. Limits that are exceeded by more ask for a finer mesh. A choice.

    most_model_steps : int
        Number of model refinements before the audit is given up. One mode is added at a time, and the default reference
        for n modes has n + 2 more: enough for six modes a beam.
    """

    patience: int = 500
    static_patience: int = 120
    resolved_patience: int = 120
    asking_patience: int = 30
    exact_patience: int = 50
    stage_patience: int = 200
    leeways: tuple[float, ...] = (1e-2, 1e-3, 1e-4)
    farthest: float = 1.0

    near_barrier: float = 1e-2
    refined_barrier: float = 1e-5

    stretches: tuple[float, ...] = (1.25, 1.8, 2.6)
    stretch_patience: int = 100
    smoothing: float = 0.11
    softenings: tuple[float, ...] = (1.0, 0.1, 0.01)

    obstacle_patience: int = 150
    line_patience: int = 100
    prices: tuple[float, ...] = (1.0, 10.0, 100.0, 1000.0)
    detour_tries: int = 128
    detour_seeds: int = 8
    detour_spread: float = 2.5
    detour_points: int = 81

    stiffer: tuple[float, ...] = (25.0, 5.0)

    roundest: float = 3.0
    sharpest: float = 0.03
    rounding_step: float = 0.3
    largest_step: float = 0.1
    least_step: float = 0.87
    rounding_patience: int = 40
    easy_rounding: int = 10
    round_enough: float = 0.3
    slight_loss: float = 0.02
    sticking_patience: int = 40

    refinement_patience: int = 100
    refinement_time: float = 120.0
    progress: float = 0.5
    near: float = 10.0
    hopeless: float = 100.0
    most_intervals: int = 800
    raised_degree: int = 6
    small_error: float = 0.1
    large_error: float = 0.3
    most_intrusion: float = 10.0
    most_excess: float = 0.01
    most_margin: float = 10.0

    most_model_steps: int = 8


SETTINGS = Settings()

# Fraction of the duration by which a time may lie beyond a mesh point and still count to the interval before it: times
# from another mesh are scaled, which rounds.
SAME_TIME = 1e-9
