"""Refinement of the mesh and of the model of the arm until a plan replays and passes its audit."""
