"""Range of validity: whether a result leaves the range for which the theory of its blocks is made.

`warn_of_large_deflections` is what other rooms call; `deflection_error` estimates.
"""
