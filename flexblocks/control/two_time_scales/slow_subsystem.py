"""Slow subsystem: the arm with its stiff blocks rigid."""

from __future__ import annotations

import dataclasses

import numpy as np

from flexblocks.control.two_time_scales.rigid_motion import RigidMotion
from flexblocks.dae.dae import DAE
from flexblocks.interfaces.variables import variables


def slow_subsystem(dae: DAE, motion: RigidMotion) -> DAE:
    """Return the slow subsystem: the arm with q = N theta, a DAE with states [theta, der(theta), first-order states].

    Notes
    -----
    Subudhi & Morris 2002, eq 66, with the inertia of the rotors in M_11 (theta'' = (M_11 + J)^-1 (tau - f_1)).
    """
    n, x, slow = dae.tree.size, dae.x, list(motion.slow)
    # The coordinates of each block are share @ q: with share @ N every algorithm runs on theta unchanged.
    bodies = tuple(dataclasses.replace(b, share=b.share.times(motion.N)) for b in dae.tree.bodies)
    tree = dataclasses.replace(dae.tree, bodies=bodies, size=len(slow))
    kept = np.concatenate([slow, np.add(slow, n), np.arange(2 * n, len(x))]).astype(int)
    entries = [(x.names[i], x.units[i], float(x.start[i])) for i in kept]
    # theta = q[slow] starts where these coordinates do.
    return dataclasses.replace(dae, name=f"{dae.name}, slow", x=variables("state", entries), tree=tree, model=None)
