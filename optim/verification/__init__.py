"""Whether a plan holds."""
