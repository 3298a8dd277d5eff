"""Published and independently computed numbers, by file."""

import json
from pathlib import Path
from typing import Any

REFERENCES = Path(__file__).parent / "references"


def reference(name: str) -> Any:
    """Return the numbers of ``references/<name>.json``."""
    return json.loads((REFERENCES / f"{name}.json").read_text())
