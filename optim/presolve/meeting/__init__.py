"""Meeting a target that moves: when, and what of it an arm can meet."""
