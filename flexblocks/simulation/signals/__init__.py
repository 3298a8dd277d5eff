"""Input signals: functions of time, their discontinuities, and the inputs of a run."""
