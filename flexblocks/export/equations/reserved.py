"""Reserved words of the target languages, which generated names must avoid."""

import keyword

C = """
auto break case char const continue default do double else enum extern float for goto if inline int long main register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile
acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh erf exp expm1 fabs floor fmax fmin fmod hypot log log1p
pow remainder sin sinh sqrt tan tanh
"""
MATLAB = "abs end function max min otherwise parfor persistent rem sign spmd zeros ifelse_zero"
PYTHON = " ".join([*keyword.kwlist, *keyword.softkwlist, "np"])
# Names of arguments and results in the generated code.
ARGUMENTS_AND_RESULTS = "a p q u v w x z B C D F H K M Q c d g k r"

RESERVED = frozenset(" ".join([C, MATLAB, PYTHON, ARGUMENTS_AND_RESULTS]).split())
