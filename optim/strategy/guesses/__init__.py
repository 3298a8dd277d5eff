"""First guesses: the user's, a way around obstacles, postures along a line."""
