"""Methods of fits that are written above them."""

from flexblocks.identification.validate import validated
from flexblocks.lazy_package import register

register({"Fit.validate": validated})
