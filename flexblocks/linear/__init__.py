"""Linear models of arms: linearisation, modes, controllability, model reduction, grids, verification."""
