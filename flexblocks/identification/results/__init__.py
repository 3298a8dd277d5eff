"""Results at a minimum: covariance, undetermined parameters, residuals, the fit."""
