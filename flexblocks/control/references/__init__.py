"""Reference trajectories."""
