"""Plans and what is told of them."""
