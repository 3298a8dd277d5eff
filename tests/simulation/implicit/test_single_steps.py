"""One step of the compiled kernel from C: it is that of a run, and continues where the last one ended."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.random_linkages import linkage
from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.dae import compiler
from flexblocks.simulation.implicit.compiled_kernel import CompiledKernel
from flexblocks.simulation.implicit.displacements import displacements
from flexblocks.simulation.implicit.input_table import InputTable, input_table
from flexblocks.simulation.implicit.settings import DONE, ImplicitProblem, ImplicitSettings
from flexblocks.simulation.signals.inputs import inputs

STEP, COUNT = 5e-3, 40


@pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")
def test_single_steps_are_those_of_a_run(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("FLEXBLOCKS_CACHE", str(tmp_path))
    dae = fb.assemble(linkage(1)).compile(strict=True, optimize=False, implicit=True)
    x, z = consistent_state(dae, None, dae.p.start, "")
    u = np.full(len(dae.u), 0.1)
    times = STEP * np.arange(COUNT + 1)
    run = fb.simulate(dae, times, u=dict(zip(dae.u.names, u, strict=True)), method="implicit", step=STEP)
    kernel = CompiledKernel(
        ImplicitProblem(
            dae,
            ImplicitSettings(STEP, 1.0, 0.5),
            displacements(dae, x, z, dae.p.start),
            _held(dae, x),
            times[:1],
            dae.p.start,
        )
    )
    state, algebraic, u = np.array(x), np.array(z, dtype=float), np.ascontiguousarray(u)
    for i in range(COUNT):
        assert kernel.step(state, algebraic, u, STEP) == DONE
        np.testing.assert_allclose(state, run.x[i + 1], rtol=1e-7, atol=1e-10)
    # A call takes no more residuals than a step of the run: it began once.
    assert kernel.state.counts["jacobians"] <= COUNT / 4


def _held(dae: fb.DAE, x: np.ndarray) -> InputTable:
    signals = inputs(dae.u, None, np.array([0.0, STEP]), True)
    return input_table(dae, signals, lambda t, segments: np.zeros((len(dae.u), len(t))), x)
