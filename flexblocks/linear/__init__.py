"""Linear models of arms: derivatives, forms, modes, reach, reduction, grids."""
