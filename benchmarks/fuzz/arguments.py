"""Wrong arguments: each public function is called with values of every other type."""

from __future__ import annotations

import os
import tempfile
import warnings

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.fuzz.odd_values import odd, spoilt
from benchmarks.fuzz.outcome import OK, Outcome
from benchmarks.fuzz.public_functions import calls


def case(seed: int) -> Outcome:
    """Call a random public function with one or two wrong arguments."""
    rng = np.random.default_rng(seed)
    table = calls()
    call = table[list(table)[seed % len(table)]]
    arguments, names = dict(call.arguments), call.parameters
    for name in rng.choice(names, size=min(len(names), int(rng.integers(1, 3))), replace=False) if names else ():
        arguments[str(name)] = spoilt(rng, arguments[name]) if name in arguments else odd(rng)
    if rng.random() < 0.03:
        arguments["no_such_argument"] = odd(rng)
    if arguments and rng.random() < 0.03:
        arguments.pop(next(iter(arguments)))
    positional = [arguments.pop(name) for name in ("args", "ports", "laws") if name in arguments]
    os.chdir(tempfile.gettempdir())  # where a relative path may be written
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call.function(*positional, **arguments)
        finally:
            plt.close("all")
    return OK
