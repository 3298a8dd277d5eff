"""Animations that objects make of themselves; apart from pictures, which need Matplotlib."""

from flexblocks.lazy_package import register
from flexblocks.plot.animation.animate import animate

register({"Animated.animate": animate})
