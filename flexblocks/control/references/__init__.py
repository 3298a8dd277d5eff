"""Reference trajectories and their tracking."""
