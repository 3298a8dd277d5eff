"""Infeasibility analysis: which limits conflict, and by how much they must be relaxed."""
