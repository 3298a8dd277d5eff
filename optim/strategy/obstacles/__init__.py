"""Path constraints: relaxed first, then imposed; ways around obstacles, and postures along a line."""
