"""What is sought in measured data: `unknown` as a user names it, `sought` resolved, with the variables of a search."""
