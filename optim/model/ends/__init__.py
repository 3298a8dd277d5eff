"""The ends of a phase: rest, motion, balance of forces there, and meeting a target."""
