"""The rigid arm's motion: a first guess of states, inputs and durations."""
