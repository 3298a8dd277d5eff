"""Events of a run: states out of bounds, changes of chart, singular mass matrices."""
