"""The multibody tree."""
