"""Receding horizons: model predictive control in real time, and what it is made of."""
