"""Settings of the whole suite."""

from hypothesis import HealthCheck, Phase, settings

# The same examples in every run: a failure is a fact about the code, not about the day.
settings.register_profile(
    "flexblocks",
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("flexblocks")
