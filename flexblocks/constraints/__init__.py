"""Constraints: loop closures, coordinate ranges and dependent variables, and states that satisfy them."""
