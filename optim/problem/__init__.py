"""What is asked of a motion: problems, phases, objectives, path constraints. Nothing here knows Pyomo."""
