"""The differential-algebraic equations of an arm."""
