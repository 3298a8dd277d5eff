"""Options of IPOPT that planning sets: for collocated motions, for postures, and by what a solve starts from."""

from __future__ import annotations

# MUMPS' default 1e-6 pivots too loosely for collocated flexible arms, which converge only with about 1e-2.
PIVOTING = {"mumps_pivtol": 1e-2}
# A shortest time may hardly gain by motions out of a plane of symmetry, along which steps from an optimum within it go
# on for hundreds of iterations: what keeps IPOPT's acceptable tolerance for so many (by default 15) is taken.
COLLOCATED = PIVOTING | {"acceptable_iter": 8}
POSTURE = PIVOTING | {"print_level": 0, "sb": "yes", "tol": 1e-11, "constr_viol_tol": 1e-11, "max_iter": 200}

# Equations may not be violated by more than in the guess: with IPOPT's 10000 times the first steps may spin the arm
# about, and it stays at that. With 0.1 some solves take three times the iterations.
NEAR_EQUATIONS = {"theta_max_fact": 1.0}
# Multipliers get the step that leaves least of the optimality conditions, not that of the motion, at which they may
# grow by six decades: IPOPT scales its error by them, and so lowers the barrier far from its path.
OWN_STEP = {"alpha_for_y": "min-dual-infeas"}
# Where the Hessian is indefinite IPOPT adds multiples of the identity, each this many times the one before until the
# step descends. IPOPT's 8 overshoots, and so shortens the steps where no limits do.
FINE_CONVEXITY = {"perturb_inc_fact": 3.0}
USUAL_CONVEXITY = {"perturb_inc_fact": 8.0}  # where modes that the mesh does not resolve bend the Hessian anyway
# IPOPT's mu_init from the solution of a neighbouring problem, and from the same motion on another mesh or with limits
# that it keeps. Its default of 0.1 first drives the iterates away from the start.
NEIGHBOR = {"mu_init": 1e-2}
SAME_MOTION = {"mu_init": 1e-5}
FINER_MESH = NEAR_EQUATIONS | SAME_MOTION
