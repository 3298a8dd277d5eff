"""Exported controllers, compiled, stepped from Python beside the sampled loops of `simulate`."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import flexblocks as fb
from arms.c_compilers import library, pointer
from flexblocks import control, export


class CController:
    """A controller in C: `step` and `release` return its outputs; `x` and `p` are its states and parameters."""

    def __init__(self, controller: control.Controller, source: Path, real: str) -> None:
        self.stem, self.code = source.stem, library(source)
        self.kind = np.float64 if real == "double" else np.float32
        sizes = len(controller.states), len(controller.parameters)
        self.memory = np.zeros(sum(sizes), self.kind)
        self.x, self.p = self.memory[: sizes[0]], self.memory[sizes[0] :]
        self.outputs = np.zeros(len(controller.outputs), self.kind)
        self._call("init", self.memory)

    def step(self, measured: np.ndarray, references: np.ndarray) -> np.ndarray:
        self._call("step", measured.astype(self.kind), references.astype(self.kind), self.memory, self.outputs)
        return self.outputs.copy()

    def release(self) -> np.ndarray:
        self._call("release", self.memory, self.outputs)
        return self.outputs.copy()

    def _call(self, name: str, *arrays: np.ndarray) -> None:
        given = [pointer(array) if array.size else ctypes.c_void_p() for array in arrays]
        getattr(self.code, f"{self.stem}_{name}")(*given)


class Beside:
    """A controller beside the sampled loop of `simulate`, under references that change from sample to sample.

    ``expected`` has a row of outputs and states for each sample; two rows with a part of a sample as delay, after the
    step and after the release.
    """

    def __init__(
        self,
        law: control.Sampled,
        dae: fb.DAE,
        samples: int = 40,
        measured: list[str] | None = None,
        p: Mapping[str, float] | None = None,
    ) -> None:
        self.law, self.dae, self.measured, period = law, dae, measured, law.sample_time
        self.made = made = control.controller(law, dae, period, measured=measured)
        self.parameters, loop = dae.p.values(dict(p or {})), control.close_loop(dae, law)
        self.offsets = sorted({clock.offset for clock in loop.clocks})
        sampled = period * np.arange(samples)
        times = np.sort(np.concatenate([sampled + offset for offset in self.offsets]))
        phases = 2 * np.pi * np.arange(samples)[:, None] / samples + np.arange(len(made.references))
        self.references = made.references.start + 0.3 * np.sin(phases)
        signals = zip(made.references.names, self.references.T, strict=True)
        u = {name: fb.piecewise_constant(sampled, values) for name, values in signals}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fb.FlexblocksWarning)  # of beams that bend far, and of few samples
            # The end of a run is before its tick.
            self.run = fb.simulate(loop, np.append(times, sampled[-1] + period), u=u, p=dict(p or {}))
        self.names = *made.outputs.names, *made.states.names
        self.expected = np.column_stack([self.run[name] for name in self.names])[:-1]

    def found(self, real: str, folder: Path) -> np.ndarray:
        """Return what the controller in C computes in place of `expected`."""
        law, made, run = self.law, self.made, self.run
        files = export.controller(law, self.dae, law.sample_time, folder, real=real, measured=self.measured)  # pyright: ignore[reportArgumentType]
        code, measure = CController(made, files[1], real), made.measure()
        code.p[:] = [self.parameters[self.dae.p.index(name)] for name in made.parameters.names]
        outputs, found = np.zeros(len(made.outputs)), []
        for k, references in enumerate(self.references):
            row = k * len(self.offsets)
            # What is measured is before the tick, under the inputs of the last one.
            acting = dict(zip(made.outputs.names, outputs, strict=True))
            inputs = [acting.get(name, 0.0) for name in self.dae.u.names]
            told = measure(run.x[row, : len(self.dae.x)], run.z[row], inputs, self.parameters).full().ravel()
            outputs = code.step(told, references)
            found.append([*outputs, *code.x])
            if len(self.offsets) > 1:
                outputs = code.release()
                found.append([*outputs, *code.x])
        return np.array(found, dtype=float)
