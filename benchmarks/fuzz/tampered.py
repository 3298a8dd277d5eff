"""Tampered content: bytes cut, doubled and replaced; entries of documents removed, renamed and replaced."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

# Plain values that YAML and JSON can hold.
PLAIN: tuple[Any, ...] = (
    None, True, False, 0, -1, 3, 2.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"), 10**30, "", "x", "9" * 500,
    "~", "free", "joint1.angle", "\x00", "\ud7ff\u202e", [], {}, [1], ["x"], [[1.0], [2.0]], [None, None], {"a": 1},
    {"type": "Payload"}, {"type": "AssumedModes", "n": 2}, {"type": "Effort"}, {"type": 3}, [{"type": "Effort"}, 3],
    {"weight": "x"}, [[[[[]]]]], [1, 2, 3, 4], "payload.x ** 2", "9**9**9**9", "ground.frame_b",
)  # fmt: skip
JUNK = (b"\x00", b"\xff\xfe", b"{", b"]", b"&a *a", b"!!python/name:os.system", b"\n", b"1e999", b"-", b"\xf0\x9f")


def changed_bytes(rng: np.random.Generator, content: bytes) -> bytes:
    """Return bytes with a few changes."""
    for _ in range(int(rng.integers(1, 4))):
        if not content:
            break
        i = int(rng.integers(len(content)))
        j = min(len(content), i + int(rng.integers(1, 40)))
        content = [
            content[:i],
            content[:i] + content[j:],
            content[:j] + content[i:],
            content[:i] + bytes(rng.integers(0, 256, j - i, dtype=np.uint8)) + content[j:],
            content[:i] + JUNK[int(rng.integers(len(JUNK)))] + content[i:],
        ][int(rng.integers(5))]
    return content


def changed_document(rng: np.random.Generator, document: Any) -> Any:
    """Return plain data with a few entries removed, renamed or replaced."""
    document = copy.deepcopy(document)
    for _ in range(int(rng.integers(1, 3))):
        places = _places(document)
        if not places:
            return PLAIN[int(rng.integers(len(PLAIN)))]
        owner, key = places[int(rng.integers(len(places)))]
        other = copy.deepcopy(PLAIN[int(rng.integers(len(PLAIN)))])
        deed = int(rng.integers(8))
        if deed == 0:
            del owner[key]
        elif deed == 1 and isinstance(owner, dict):
            owner[other if isinstance(other, str) else "other"] = owner.pop(key)
        elif deed == 2 and isinstance(owner, list):
            owner.append(copy.deepcopy(owner[key]))
        else:
            owner[key] = other
    return document


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Return (owner, key) of every entry of nested lists and dicts."""
    entries = document.items() if isinstance(document, dict) else enumerate(document)
    places = []
    for key, value in entries if isinstance(document, (dict, list)) else ():
        places += [(document, key), *(_places(value) if isinstance(value, (dict, list)) else [])]
    return places
