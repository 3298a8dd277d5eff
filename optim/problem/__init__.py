"""What is asked of a motion."""
