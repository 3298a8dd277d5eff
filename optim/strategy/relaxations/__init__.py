"""Relaxations of what is asked, each with its own file; `table` has them in the order in which they are relaxed."""
