"""From unknowns to residuals and their least squares: records as arrays, predictions, gains, the methods."""
