"""Pictures that objects draw of themselves."""

from flexblocks.lazy_package import register
from flexblocks.plot.arm import arm
from flexblocks.plot.block_graph import model
from flexblocks.plot.comparison import comparison
from flexblocks.plot.eigenvalues import eigenvalues
from flexblocks.plot.measured.frequency_response import frequency_response
from flexblocks.plot.measured.record import record
from flexblocks.plot.plan import plan
from flexblocks.plot.time_series import stacked

register(
    {
        "Comparison.plot": comparison,
        "FrequencyResponse.plot": frequency_response,
        "LinearModel.plot": eigenvalues,
        "Model.plot": model,
        "OperatingPoint.plot": arm,
        "Plan.plot": plan,
        "Record.plot": record,
        "Replay.plot": stacked,
        "Trajectory.plot": stacked,
    }
)
