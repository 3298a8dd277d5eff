"""Random cases of every kind that users make, each judged: right, refused by name, a raw exception, or wrong.

`python -m benchmarks.fuzz [seconds]` runs cases of all kinds in `register` and prints counts and the seeds of what
failed; `python -m benchmarks.fuzz --kind arms --seed 17` runs one of them again, alone, with its traceback.

A kind of case is a module of this package with a function ``case(seed: int) -> Outcome``, and its name in
`register.NAMES`. Everything random in it follows from the seed. It need not catch anything: a FlexblocksError that
comes out counts as a refusal by name, any other exception as a raw one.
"""
