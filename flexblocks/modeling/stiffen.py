"""The rigid twin of a model: the same arm without its elasticity."""

from __future__ import annotations

from flexblocks.interfaces import Block
from flexblocks.modeling.flanges import SharedCoordinate
from flexblocks.modeling.model import Model
from flexblocks.modeling.spanning_tree import Topology, topology


def stiffen(model: Model) -> Model:
    """Return the rigid twin of a model: the limit of infinite stiffness, with the same masses, inputs and names.

    Laws made for it act on the elastic arm as they are: ``control.ComputedTorque(kp, kd, model=fb.assemble(
    fb.stiffen(model)))``.

    Parameters
    ----------
    model : Model

    Returns
    -------
    Model
        Of the same blocks, by the same names and connections:

        * `FlexibleBeam` and `SlidingBeam` are `Rigid()`, with their mass, section inertia, loads, stations and internal
          forces; the sliding one slides on.
        * `TorsionalSpring` and `FlexibleJoint` have the stiffness None, and a `Backlash` is such a spring: rotor and
          joint share one coordinate, ``joint1.angle``, on which the rotor's inertia counts through its gear. What the
          springs dissipated is gone. A spring with a `free_angle` stays: no rigid shaft has one.
        * A spring between a shaft and a `Fixed` holds the shaft, whose coordinate is gone; on a shaft that a motor
          turns it balances a load, and stays.
        * `SpringDamper`, `Cable`, `HydraulicCylinder`, `Contact`, `EndStops`, friction and blocks of a user's own that
          do not say otherwise (`Block.stiffened`) stay as they are: they exert forces, and join nothing.

    Raises
    ------
    ModelError
        The model makes up no arm, or has a composite of a user's own whose parts are elastic and that does not say
        what it is without (`Composite.stiffened`).

    Notes
    -----
    Coordinates of the twin are those of the arm that are left. Its mass matrix is T' M T, where M is the elastic arm's
    at zero deflections and T gives the arm's rates by the twin's.
    """
    rigid = {name: block.stiffened() for name, block in model.blocks.items()}
    changed = {name: block for name, block in rigid.items() if block is not model.blocks[name]}
    held = _ending_on_locked(topology(model)) & set(changed)
    # Only with all other springs rigid it shows what a motor turns.
    twin = model.copy({name: block for name, block in changed.items() if name not in held})
    arm = topology(twin)
    driven = _driven(arm)
    holding = {name: changed[name] for name in held if not _shafts(arm, name) & driven}
    return twin.copy(holding)


def _ending_on_locked(arm: Topology) -> set[str]:
    """Return the blocks one of whose flanges is locked, and another is not."""
    ends: dict[str, set[bool]] = {}
    for name, block in arm.blocks.items():
        ends[name] = {_behind(arm, name, block, flange).owner is None for flange in block.flanges()}
    return {name for name, locked in ends.items() if len(locked) > 1}


def _shafts(arm: Topology, name: str) -> set[tuple[str, str]]:
    """Return the coordinates of the arm behind the flanges of a block."""
    block = arm.blocks[name]
    behind = (_behind(arm, name, block, flange).owner for flange in block.flanges())
    return {owner for owner in behind if owner is not None}


def _driven(arm: Topology) -> set[tuple[str, str]]:
    """Return the coordinates of the arm on which motors and servos act through a shaft."""
    drives = (name for name, block in arm.blocks.items() if any(u.role != "disturbance" for u in block.inputs()))
    return {owner for name in drives for owner in _shafts(arm, name)}


def _behind(arm: Topology, name: str, block: Block, flange: str) -> SharedCoordinate:
    return arm.shared[name, block.flanges()[flange][0]]
