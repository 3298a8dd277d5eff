"""What a beam is made of: cross-sections, materials, and how its properties vary along it.

`section` and `material` are what a user gives, `profile` how a property varies, `beam_profiles` what shape functions
are made for. Nothing here imports shapes or kinematics.
"""

from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles, RelativeProfile
from flexblocks.beam.properties.profile import Profile

__all__ = ["EULER_BERNOULLI", "BeamProfiles", "Profile", "RelativeProfile"]
