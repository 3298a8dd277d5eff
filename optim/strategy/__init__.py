"""Solution strategies: homotopies, recovery, mesh and model refinement, warm start."""
