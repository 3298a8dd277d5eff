"""Where things stand in this repository."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
OPTIM_EXAMPLES = ROOT / "optim" / "examples"
