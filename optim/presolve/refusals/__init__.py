"""Refusals: what start, goals and limits alone tell of a motion that cannot be; the table says what is asked when."""
