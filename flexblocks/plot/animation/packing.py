"""Packing of arrays for a page: small differences over time, planes of bytes, deflate, base64."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

KINDS = {"f4": np.uint32, "u4": np.uint32, "i2": np.uint16, "u1": np.uint8}


def packed(values: np.ndarray, kind: str = "f4") -> dict[str, Any]:
    """Return an array as plain data: exact float32 or whole numbers, or 16 or 8 bits from least to largest value.

    Entries along the first axis become differences, which are small, bytes of one weight are put together, and both
    deflate well: a motion takes a quarter of its bytes.
    """
    values = np.asarray(values, dtype=float)
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    if kind == "f4":
        words = values.astype("<f4").view(np.uint32)
        scale = 1.0
    elif kind == "u4":
        words, low, scale = values.astype(np.uint32), 0.0, 1.0
    else:
        most = np.iinfo(KINDS[kind]).max
        scale = (high - low) / most  # 0 of a constant, whose range then has no width
        words = np.round((values - low) / (scale or 1.0)).astype(KINDS[kind])
    change = words.copy()
    if len(words) > 1:
        change[1:] = words[1:] - words[:-1]  # modulo the word, as the page adds them up
    planes = change.ravel().astype(words.dtype.newbyteorder("<")).view(np.uint8).reshape(-1, words.dtype.itemsize).T
    data = zlib.compress(planes.tobytes(), 9)
    return {
        "kind": kind,
        "shape": list(values.shape),
        "low": low,
        "scale": scale,
        "data": base64.b64encode(data).decode("ascii"),
    }


def unpacked(data: dict[str, Any]) -> np.ndarray:
    """Return the array of `packed`, as the page reads it."""
    word = KINDS[data["kind"]]
    planes = np.frombuffer(zlib.decompress(base64.b64decode(data["data"])), dtype=np.uint8)
    size = np.dtype(word).itemsize
    change = planes.reshape(size, -1).T.copy().view(np.dtype(word).newbyteorder("<")).reshape(data["shape"])
    words = np.cumsum(change, axis=0, dtype=word)
    if data["kind"] == "f4":
        return words.view(np.float32).astype(float)
    return data["low"] + data["scale"] * words
