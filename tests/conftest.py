"""Settings of the whole suite."""

import os
import signal

from hypothesis import HealthCheck, Phase, settings

pytest_plugins = ["folder_durations", "perturbed_guesses"]

# The workers of `pytest -n` inherit this. Matrices are small here: with a thread per core in each worker, tests of
# linear algebra took a fifth more processor time (37.7 s in place of 30.7 s), in which threads waited for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A run that a script starts in the background ignores Ctrl-C, which the tests of interruptions send to themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run: a failure is a fact about the code, not about the day.
settings.register_profile(
    "flexblocks",
    max_examples=30,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("flexblocks")
