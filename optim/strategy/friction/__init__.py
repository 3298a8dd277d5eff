"""Plans of arms with friction that changes its sign sharply: which shafts have it, and the way to them."""
