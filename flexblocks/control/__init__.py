"""Control: laws, closed loops that are DAEs again, observers, shaped references, robustness."""

from flexblocks.control.close_loop import close_loop
from flexblocks.control.composite import Composite
from flexblocks.control.computed_torque import ComputedTorque
from flexblocks.control.decoupling import Decoupling
from flexblocks.control.feedforward import Feedforward
from flexblocks.control.follow import follow
from flexblocks.control.gravity_compensation import GravityCompensation
from flexblocks.control.law import Bound, Law
from flexblocks.control.lqr import LQR
from flexblocks.control.pd import PD
from flexblocks.control.pid import PID
from flexblocks.control.profiles import cycloid, quintic
from flexblocks.control.reference import Reference, reference

__all__ = [
    "LQR",
    "PD",
    "PID",
    "Bound",
    "Composite",
    "ComputedTorque",
    "Decoupling",
    "Feedforward",
    "GravityCompensation",
    "Law",
    "Reference",
    "close_loop",
    "cycloid",
    "follow",
    "quintic",
    "reference",
]
