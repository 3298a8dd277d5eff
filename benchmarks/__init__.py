"""Benchmarks: times as ratios to a named alternative in the same run; no test asserts them."""
