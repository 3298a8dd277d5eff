"""Refusals: motions that start, goals and limits alone show to be impossible; the table says what is checked when."""
