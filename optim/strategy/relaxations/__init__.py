"""Relaxations of a request, each with its own file; `table` has them in the order in which they are relaxed."""
