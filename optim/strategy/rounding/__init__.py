"""Plans of arms with laws that change sharply, as friction and play: which these are, and the way to them."""
