"""Shape functions and modes, and their integrals."""
