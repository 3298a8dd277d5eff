"""Bounds that are known before anything is solved: momenta, energy, speeds, floating bases."""
