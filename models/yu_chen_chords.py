"""Chord coordinates of Yu & Chen (2019): angles between chords, and deflections from them."""

from __future__ import annotations

import numpy as np

import flexblocks as fb
from flexblocks.errors import ParameterError


def chord_coordinates(dae: fb.DAE) -> fb.DAE:
    """Return the arm in the paper's coordinates, theta1, theta2, ..., f11, f12, f21, ...

    theta_i is the angle between the chords of the links i - 1 and i, and link i deflects by
    y(x) = sum_k f_ik sin(k pi x / l), with x = -l at its joint and 0 at its end (eq 4).

    Parameters
    ----------
    dae : DAE
        An arm of `yu_chen_2019` with pinned shapes, or with rigid links.

    Raises
    ------
    ParameterError
        The arm has other mode shapes.

    Notes
    -----
    A joint angle is that between the end section of one link and the root section of the next, theta_i + alpha_i -
    beta_(i-1), the slopes of these sections against their chords (eq 29). The mode shapes of the library are sqrt(2)
    sin(k pi xi), with xi = 0 at the joint, and sin(k pi x / l) = (-1)^k sin(k pi xi).
    """
    blocks = [body.block.nominal for body in dae.tree.bodies]
    beams = {block.name: block for block in blocks if isinstance(block, fb.FlexibleBeam)}
    links = len(beams)
    modes = (dae.tree.size - links) // links
    wanted = fb.AssumedModes(modes, tip="pinned") if modes else fb.Rigid()
    old = {name: row for row, name in enumerate(dae.q_names)}
    T = np.zeros((dae.tree.size, dae.tree.size))
    for i in range(1, links + 1):
        beam = beams[f"link{i}"]
        if beam.discretization != wanted:
            raise ParameterError(
                f"chord_coordinates: {beam.where} has discretization = {beam.discretization}; must be pinned at both "
                "ends: yu_chen_2019(shapes='pinned')."
            )
        T[old[f"joint{i}.angle"], i - 1] = 1.0
        for k in range(1, modes + 1):
            column, slope = links + (i - 1) * modes + k - 1, k * np.pi / beam.length
            T[old[f"link{i}.bending_y[{k}]"], column] = (-1) ** k / np.sqrt(2)
            T[old[f"joint{i}.angle"], column] = (-1) ** k * slope
            if i < links:
                T[old[f"joint{i + 1}.angle"], column] = -slope
    thetas = [f"theta{i}" for i in range(1, links + 1)]
    deflections = [f"f{i}{k}" for i in range(1, links + 1) for k in range(1, modes + 1)]
    units = ["rad"] * links + ["m"] * (links * modes)
    return fb.change_coordinates(dae, T, (*thetas, *deflections), units)
