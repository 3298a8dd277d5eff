"""What changes nothing about an arm: a turn in space, symbolic parameters, a file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.spatial.transform import Rotation

import flexblocks as fb
from benchmarks.fuzz.laws.mechanics import SUM
from benchmarks.fuzz.laws.trial import Trial, flat
from benchmarks.fuzz.random_arm import random_arm


def planar_arm_is_the_same_in_every_plane(trial: Trial) -> str:
    """A planar arm that is turned in space, gravity with it, has the same M, h and accelerations."""
    if not trial.arm.flat:
        return ""
    turn = Rotation.from_rotvec(2 * np.random.default_rng([trial.seed, 2]).normal(size=3))
    turned = fb.assemble(random_arm(trial.seed, turn).model)
    if turned.q_names != trial.dae.q_names:
        return f"turned arm has the coordinates {turned.q_names}"
    M = turned.mass_matrix(trial.q, [], *trial.dependent).full()
    if (apart := np.max(np.abs(M - trial.M) / np.outer(trial.size, trial.size), initial=0.0)) > 1e-11:
        return f"turned arm: M differs by {apart:.1e}"
    force = flat(turned.inverse_dynamics(trial.q, trial.v, trial.state.a, [], *trial.dependent))
    here = flat(trial.dae.inverse_dynamics(trial.q, trial.v, trial.state.a, [], *trial.dependent))
    inertia = np.abs(trial.M) @ np.abs(trial.state.a) + np.abs(trial.bias)
    apart, size = (np.linalg.norm(trial.scaled(f)) for f in (force - here, inertia))
    return "" if apart <= 1e-10 * size else f"turned arm: M a + h differs by {apart:.1e} of {size:.1e}"


def symbolic_parameters_change_nothing(trial: Trial) -> str:
    """With all parameters symbolic M and h are the same (every fifth arm)."""
    if trial.seed % 5:
        return ""
    symbolic = fb.assemble(trial.arm.model, symbolic="all")
    p = symbolic.p.start
    M = symbolic.mass_matrix(trial.q, p, *trial.dependent).full()
    if (apart := np.max(np.abs(M - trial.M) / np.outer(trial.size, trial.size), initial=0.0)) > 1e-11:
        return f"symbolic parameters: M differs by {apart:.1e}"
    force = flat(symbolic.inverse_dynamics(trial.q, trial.v, 0 * trial.v, p, *trial.dependent))
    apart, size = (np.linalg.norm(trial.scaled(f)) for f in (force - trial.bias, np.abs(trial.bias)))
    # Where velocity forces cancel, as those of one hinge alone, roundings of them are left: of the energy and its rate.
    rate = np.max(np.abs(trial.v) / trial.state.size, initial=0.0)
    rounding = SUM * rate * np.linalg.norm(trial.size * trial.v)
    return "" if apart <= 1e-9 * size + rounding else f"symbolic parameters: h differs by {apart:.1e} of {size:.1e}"


def file_holds_the_model(trial: Trial) -> str:
    """A saved model that is loaded again has the same blocks, connections and gravity."""
    model = trial.arm.model
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"arm.{('yaml', 'json')[trial.seed % 2]}"
        model.save(path)
        loaded = fb.load(path)
        again = path.with_stem("again")
        loaded.save(again)
        if path.read_bytes() != again.read_bytes():
            return "a loaded model is saved otherwise than the model itself"
    for name, block in model.blocks.items():
        if loaded[name] != block:
            return f"loaded: {loaded[name]}, saved: {block}"
    return "" if np.array_equal(loaded.gravity, model.gravity) else "gravity differs after loading"
