"""Input shaping."""
