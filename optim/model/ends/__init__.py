"""The ends of a phase: rest, motion, balance of forces there, meeting a target, and modes left open."""
