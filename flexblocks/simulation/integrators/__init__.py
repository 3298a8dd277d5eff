"""Numerical integrators, one file for each library; `register` lists them."""
