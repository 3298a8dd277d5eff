"""Settings of the whole suite."""

import os

from hypothesis import HealthCheck, Phase, settings

# The workers of `pytest -n` inherit this. Matrices are small here: with a thread per core in each worker, tests of
# linear algebra took a fifth more processor time (37.7 s in place of 30.7 s), in which threads waited for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

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
