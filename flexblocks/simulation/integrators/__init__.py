"""Numerical integrators: each method, with what it needs and what it suits; `register` lists them."""
