"""What a maintainer changes, and in how many source files: each change made once, in a scratch copy of the sources.

    python -m benchmarks.changes [name ...]

Read `change` (what a change is), `scratch` (how it is made and checked), then one of the changes, such as `new_block`:
it shows the files to add and the lines to edit. `register` lists them all. Tests, docs and the changelog are not
counted; `__init__` is.
"""
