"""What a block is told as it is evaluated, and whether it looked at what it carries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from flexblocks.interfaces.local import Local


@dataclass(frozen=True)
class WatchedLocal(Local):
    """A `Local` that notes in `asked` whether `carried` was read; a physics that did not is the same under any load."""

    asked: set[str] = field(default_factory=set)

    def __getattribute__(self, name: str) -> Any:
        if name == "carried":
            object.__getattribute__(self, "asked").add(name)
        return object.__getattribute__(self, name)
