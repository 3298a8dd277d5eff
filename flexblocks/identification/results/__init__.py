"""What a minimum tells: covariance, what the data do not show, residuals, the fit."""
