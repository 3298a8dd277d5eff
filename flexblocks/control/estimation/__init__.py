"""State estimation: Luenberger observer and Kalman filter."""
