"""Singularities of an arm: coordinates that move no mass, locked postures, and closed loops that lose rank."""
