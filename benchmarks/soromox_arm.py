"""The hinged chain of soft rods in SoRoMoX (geometric variable strain in JAX), with the coordinates of flexblocks."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.soft_rods import SoftRod

# Numbers of its own are single precision by default.
jax.config.update("jax_enable_x64", True)


def soromox_accelerations(links: int, rod: SoftRod, points: int) -> Callable[[np.ndarray], jax.Array]:
    """Return the compiled accelerations (3 links,) of a state (6 links,): by link a hinge, then its two curvatures.

    Parameters
    ----------
    points : int
        Gauss points of a link, at least 5.
    """
    from soromox.systems.components import JointSpec, LinkSpec
    from soromox.systems.gvs import GVS, GVSSegment, StrainBasisSpec

    link = LinkSpec.circular(
        length=rod.length,
        radius=rod.radius,
        density=rod.density,
        reference_strain=[0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        young_modulus=rod.youngs_modulus,
        poisson_ratio=0.3,
    )
    segment = GVSSegment(
        link=link,
        joint=JointSpec.revolute(axis="z"),
        basis=StrainBasisSpec("legendre", ("kappa_z",), 1),
        num_gauss_points=points,
    )
    arm = GVS.from_segments(
        [segment] * links,
        gravity=jnp.array([0.0, -rod.gravity, 0.0]),
        base_pose=jnp.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        scale_rotational_basis_by_length=True,
    )
    return jax.jit(lambda state: arm.forward_dynamics(0.0, state)[3 * links :])
