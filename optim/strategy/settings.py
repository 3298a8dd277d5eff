"""The numbers by which a plan is searched for, in one table, each with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How long each rung of the ladder is given, how large its steps are, and where it ends.

    "By trial" means: chosen on the arms that the examples and benchmarks plan for, and never seen to matter much; the
    two-link arm of Subudhi & Morris, the arm of Yu & Chen's case 2, the hinge and the sliding links of the tests.

    Attributes
    ----------
    patience : int
        Iterations of a solve after which another way is tried. Least effort takes 14 to 67 of them and the shortest
        times in docs/planning.md 31 to 158: one that takes more than 500 is lost. By trial.
    near_barrier : float
        IPOPT's ``mu_init`` for a start near by, as from another objective or another model of the arm. From its default
        of 0.1 the barrier first drives the iterates off the motion that is there. By trial.
    refined_barrier : float
        ``mu_init`` from the same motion on a coarser mesh, which is nearer still: the three phases of
        optim/examples/pick_carry_release.py take 12 iterations a refinement instead of 20.

    stretches : tuple of float
        Durations of the first stage, of least effort, as shares of what the rigid arm needs on a quintic at its limits.
        A flexible arm takes a little longer; all of 100 random pairs of docs/planning.md converge with the first.
    softenings : tuple of float
        Weights of the effort in the stages between least effort and the objective asked for, as shares of the weight at
        which both count alike: a factor of ten from stage to stage. By trial.

    obstacle_patience : int
        Iterations from the free optimum with all obstacles, before a detour is tried. Where this way leads to the goal
        it takes less, and where it does not more do not help. By trial.
    detour_patience : int
        Iterations from a detour, before obstacles are grown. As `patience`.
    detour_tries : int
        Postures tried for the detour, Sobol points. On the obstacles of the tests 128 find a way that keeps clear.
    detour_spread : float
        How far from the middle of the way they lie, either way [rad or m]: most of a turn of each joint.
    detour_points : int
        Points along the way at which a detour is judged; at 81 one moves by 2.5 % of the way from each to the next.
    intrusions : tuple of float
        How far into an obstacle the motion may still go as it grows, as shares of the free optimum's. By trial.

    stiffer : tuple of float
        Factors on all stiffnesses of the arms that are planned for on the way, stiffest first. 25 make frequencies five
        times higher, nearly a rigid arm, which is what the first guess is of; from each to the next it is a factor of
        five. By trial.

    most_intervals : int
        Of a phase, beyond which a mesh is refined no further. A solve of the two-link arm then takes a minute or more,
        and what does not replay by then lives off its mesh.
    raised_degree : int
        Up to which points are added to a symmetric scheme before intervals are halved: of the refined plans of
        docs/planning.md degree 6 settles all but one.
    most_intrusion : float
        How far a replay may go into a region that is kept out of, or out of one it is kept in [m].
    most_excess : float
        By how much a replay may exceed any other limit, as a share of it.

    most_model_steps : int
        How often a plan is made again on a richer model before the audit is given up. Reference models have 2 n + 2
        modes for n by default, and one is added at a time.
    """

    patience: int = 500
    near_barrier: float = 1e-3
    refined_barrier: float = 1e-6

    stretches: tuple[float, ...] = (1.25, 1.8, 2.6)
    softenings: tuple[float, ...] = (1.0, 0.1, 0.01)

    obstacle_patience: int = 150
    detour_patience: int = 500
    detour_tries: int = 128
    detour_spread: float = 2.5
    detour_points: int = 81
    intrusions: tuple[float, ...] = (0.75, 0.5, 0.25, 0.1)

    stiffer: tuple[float, ...] = (25.0, 5.0)

    most_intervals: int = 800
    raised_degree: int = 6
    most_intrusion: float = 1e-3
    most_excess: float = 0.01

    most_model_steps: int = 8


SETTINGS = Settings()

# Share of the duration by which a time may lie beyond a mesh point and still belong to the interval before it: times
# are read off another mesh by multiplication, which rounds.
SAME_TIME = 1e-9
