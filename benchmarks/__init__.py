"""Times, as ratios against a named alternative in the same run; no test asserts them."""
