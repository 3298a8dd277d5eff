"""State observers."""
