"""Pictures of arms, motions, plans and linear models; functions take the axes to draw on, and return axes."""

from typing import TYPE_CHECKING

from flexblocks.lazy_package import LazyPackage

if TYPE_CHECKING:
    from flexblocks.plot.animation.animate import animate
    from flexblocks.plot.animation.animation import Animation
    from flexblocks.plot.arm import arm
    from flexblocks.plot.block_graph import model
    from flexblocks.plot.comparison import comparison
    from flexblocks.plot.eigenvalues import eigenvalues
    from flexblocks.plot.many_cases import parallel_coordinates, scatter_matrix
    from flexblocks.plot.measured.frequency_response import frequency_response
    from flexblocks.plot.measured.record import record
    from flexblocks.plot.mode import mode
    from flexblocks.plot.modes import modes
    from flexblocks.plot.plan import plan
    from flexblocks.plot.region import region
    from flexblocks.plot.save import save
    from flexblocks.plot.snapshots import snapshots
    from flexblocks.plot.time_series import stacked, time_series

    __all__ = [
        "Animation",
        "animate",
        "arm",
        "comparison",
        "eigenvalues",
        "frequency_response",
        "mode",
        "model",
        "modes",
        "parallel_coordinates",
        "plan",
        "record",
        "region",
        "save",
        "scatter_matrix",
        "snapshots",
        "stacked",
        "time_series",
    ]
else:
    LazyPackage.make(
        __name__,
        [
            {
                "flexblocks.plot.animation.animate": ["animate"],
                "flexblocks.plot.animation.animation": ["Animation"],
            },
            {
                "flexblocks.plot.arm": ["arm"],
                "flexblocks.plot.block_graph": ["model"],
                "flexblocks.plot.comparison": ["comparison"],
                "flexblocks.plot.eigenvalues": ["eigenvalues"],
                "flexblocks.plot.many_cases": ["parallel_coordinates", "scatter_matrix"],
                "flexblocks.plot.measured.frequency_response": ["frequency_response"],
                "flexblocks.plot.measured.record": ["record"],
                "flexblocks.plot.mode": ["mode"],
                "flexblocks.plot.modes": ["modes"],
                "flexblocks.plot.plan": ["plan"],
                "flexblocks.plot.region": ["region"],
                "flexblocks.plot.save": ["save"],
                "flexblocks.plot.snapshots": ["snapshots"],
                "flexblocks.plot.time_series": ["stacked", "time_series"],
            },
        ],
        [],
    )
