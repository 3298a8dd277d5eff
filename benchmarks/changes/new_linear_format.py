"""A new file format of linear models: TOML, written and read."""

from __future__ import annotations

from benchmarks.changes.change import Change, after

REGISTER = "flexblocks/export/formats.py"

FORMAT = '''\
"""Records as TOML, which Julia, Rust and Python read without any more packages."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np

from flexblocks.files import write_text
from flexblocks.export.record import Record


def write_toml(path: Path, record: Record) -> None:
    """Write one key a line."""
    # Texts, finite numbers and arrays of them are written alike in JSON and in TOML.
    fields = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in record.items()}
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False, allow_nan=False)}" for name, value in fields.items()]
    write_text(path, "\\n".join(lines) + "\\n")


def read_toml(path: Path) -> Record:
    """Read what `write_toml` has written."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
'''

CHECK = """
import tomllib
from pathlib import Path
import numpy as np
import flexblocks as fb
from flexblocks import export, models

lin = fb.linearize(fb.assemble(models.subudhi_morris_2002()))
export.save_linear(lin, "arm.toml")
with open("arm.toml", "rb") as file:
    assert tomllib.load(file)["StateName"] == list(lin.states)

back = fb.load("arm.toml")
assert (back.states, back.inputs, back.outputs) == (lin.states, lin.inputs, lin.outputs)
for matrix in "ABCDE":
    assert np.array_equal(getattr(back, matrix), getattr(lin, matrix)), matrix

Path("damaged.toml").write_text("A = [")
for name, words in (("damaged.toml", "not a readable .toml file"), ("arm.xml", ".toml")):
    try:
        fb.load(name)
    except fb.FlexblocksError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{name} was not refused")
"""

CHANGE = Change(
    name="new linear file format",
    at_most=2,
    files={"flexblocks/export/toml_format.py": FORMAT},
    edits=(
        after(
            REGISTER,
            "from flexblocks.export.text_formats import write_m, write_py\n",
            "from flexblocks.export.toml_format import read_toml, write_toml\n",
        ),
        after(REGISTER, '    ".py": Format(write_py),\n', '    ".toml": Format(write_toml, read_toml),\n'),
    ),
    check=CHECK,
)
