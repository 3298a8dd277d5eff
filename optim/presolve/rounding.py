"""What is rounding: shares below which a number counts as zero, or two as the same."""

ROUNDING = 1e-9  # of the largest number, or of the values compared: singular values, limits, times
MET = 1e-8  # of what a search or Newton's method asks: error up to which it counts as met
NEGLIGIBLE = 1e-6  # the same of sums of many terms, and of what a search has left
