"""Learning: arms as environments of Gymnasium, many of them at once, for policies that are trained by trial."""

from typing import TYPE_CHECKING

from flexblocks.lazy_package import LazyPackage

if TYPE_CHECKING:
    from flexblocks.learning.environments import ArmEnv, ArmVectorEnv
    from flexblocks.learning.signals import Signals
    from flexblocks.learning.task import Task

    __all__ = ["ArmEnv", "ArmVectorEnv", "Signals", "Task"]
else:
    LazyPackage.make(
        __name__,
        [
            {"flexblocks.learning.task": ["Task"], "flexblocks.learning.signals": ["Signals"]},
            {"flexblocks.learning.environments": ["ArmEnv", "ArmVectorEnv"]},
        ],
        [],
    )
