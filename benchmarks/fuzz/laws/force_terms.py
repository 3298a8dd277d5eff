"""Magnitudes of the terms that make up the bias forces h(q, v), which may cancel: what rounding errors go with.

A rigid body that turns about a fixed axis feels centrifugal forces of w^2 M, of which the moment about the axis is
zero. So h may be far smaller than what any algorithm adds up to it.
"""

from __future__ import annotations

import numpy as np

import flexblocks as fb


def magnitude_of_terms(dae: fb.DAE, q: np.ndarray, v: np.ndarray, *dependent: np.ndarray) -> np.ndarray:
    """Return the summed magnitudes (n) [N m or N] of weight, velocity forces and springs, body by body.

    Parameters
    ----------
    dae : DAE
        Without symbolic parameters.
    q, v : ndarray (n,)
    dependent : ndarray (k,)
        Dependent variables, if there are any.
    """
    tree, rest = dae.tree, np.concatenate([*dependent, np.zeros(0)])
    total, gravity = np.zeros(tree.size), tree.gravity_at(dae.p.start)
    # For each body the rotation (3, 3) and Jacobian (6, n) of its outlets.
    outlets: list[dict[str, tuple[np.ndarray, np.ndarray]]] = []
    for body in tree.bodies:
        share = body.share.full()
        p, rest = np.split(rest, [len(body.terms.symbols.dependent.equations)])
        R, inlet = np.eye(3), np.zeros((6, tree.size))
        if body.parent is not None and body.outlet is not None:
            R, inlet = outlets[body.parent][body.outlet]
        # Columns for unit rates of the inlet's twist and of the block's coordinates.
        units, n = np.eye(6 + len(share)), len(share)
        rates = np.vstack([inlet, share])
        moved = {
            name: motion(R, np.zeros(3), units[:6], share @ q, units[6:], p)
            for name, motion in body.terms.motions.items()
        }
        outlets.append({name: (turn.full()[:, :3], twist.full() @ rates) for name, (turn, _, twist) in moved.items()})
        speed = np.abs(rates) @ np.abs(v)
        total += np.abs(share).T @ np.abs(body.terms.inner(share @ q, share @ v, p).full().ravel())
        if body.terms.has_inertia:
            speeds = [speed, *(np.abs(J) @ np.abs(v) for _, J in outlets[-1].values())]
            turning = max(np.linalg.norm(each[:3]) for each in speeds)
            weight = np.concatenate([np.zeros(3), np.abs(R.T @ gravity), np.zeros(n)])
            inertia = np.abs(body.terms.inertia(share @ q, p).full())
            total += np.abs(rates).T @ inertia @ (weight + turning * speed)
    return total
