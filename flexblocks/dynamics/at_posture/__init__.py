"""Numbers at one posture: inertias, the mass matrix, coordinates that move no mass."""
