"""The problem file that `flexblocks plan --template` prints, with every key explained."""

from flexblocks.modeling.schema_reference import schema_address

TEMPLATE = (
    f"# yaml-language-server: $schema={schema_address('problem')}\n"
    + """\
# A planning problem: flexblocks plan this-file.yaml
# SI units; angles in radians, or as 90deg. Keys left out take the value shown, unless a default is stated.

model: subudhi-morris-2002   # a model file (beside this one), or a name from `flexblocks models`
settings: {links: 2}         # arguments of a catalogue model; default: none
parameters: {payload.mass: 0.1}   # parameter values other than the model's; default: none
# locked: {joint2.angle: 0.5}     # coordinates held at numbers (brakes on); default: none
# prescribed: [joint2.angle]      # coordinates whose accelerations are inputs; default: those of problem: prescribed

problem:
  type: RestToRest
  start: {joint1.angle: 0.0, joint2.angle: 0.0}        # other coordinates start in static equilibrium
  goal: {joint1.angle: 1.570796, joint2.angle: 0.523599}
  duration: [1.0, 2.0]       # [s] a number, a range in which it is free, or free; no default
  # A word (effort, time, vibration), a term, or a list of terms, each with a weight (1), which are added.
  # Default: effort. Time needs a free duration.
  objective:
  - {type: Time}
  - {type: Effort, weight: 0.01}
  # Of inputs, their rates and states: a largest magnitude, or [low, high] with null for no limit. Default: none.
  limits:
    motor1.torque: 1.0
    motor2.torque: [-0.5, 0.5]
    der(motor1.torque): 20.0
    der(motor2.torque): 10.0
    der(joint2.angle): [null, 4.0]
  # What is kept on the way: KeepOut, KeepIn, KeepApart, Follow, Upright, SpeedLimit, Within. Default: none.
  path:
  - {type: SpeedLimit, frames: payload, speed: 3.0}
  - type: KeepOut
    region: {type: Capsule, end_a: [1.5, -1.0], end_b: [1.5, 1.0], radius: 0.05}
    links: [link2]
    radius: 0.02
  input_ends: holding        # free (default): inputs may jump at both ends; holding: they do not

transcription:
  intervals: 40              # default 100
  degree: 3                  # of the collocation
  scheme: radau              # radau or lobatto
  inputs: cubic              # cubic, linear or constant
  quasi_static: auto         # residualised modes: auto, above a frequency [rad/s], or [coordinates]; default: null

# guess: other.nc              # a plan or motion from which the solver starts; default: the rigid arm's motion
# time_limit: 60.0             # [s] after which planning ends with the best there is; default: none
# outputs: [payload.velocity_x]   # more outputs, the motion of frames; default: none
refine: 1.0e-3               # double the intervals until the replay misses by less [m]; true: 0.1 mm; default: false

# Apply the plan to a finer model of the arm: false (default), true, or a mapping:
audit:
  finer: {type: AssumedModes, n: 4, tip: auto}   # or by beam name; default: 2 n + 2 modes, twice the elements
  refine: false              # plan again with more modes until the finer model agrees

output:                      # files beside this one; default: none
  plan: plan.nc              # .nc, to be loaded again; or .csv, the trajectory alone
  picture: plan.png          # .png, .pdf or .svg
"""
)
