"""Where arms rest: the static problem, its solvers, operating points."""
