"""Signals in ROS bags, of ROS 1 and ROS 2: fields of messages by topic, by the library rosbags."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, ParameterError, suggestion
from flexblocks.files import expanded
from flexblocks.libraries import optional

CLOCKS = ("header", "log")
# Fields in which messages name the entries of their arrays.
NAMES = ("name", "joint_names", "names")
STEP = re.compile(r"(?P<field>\w+)(?:\[(?P<entry>[^\]]+)\])?")


@dataclass(frozen=True)
class Field:
    """A number in the messages of a topic: fields, each with an entry of its array, its place or its name, or none."""

    topic: str
    steps: tuple[tuple[str, str | None], ...]

    @staticmethod
    def parse(written: Any) -> Field:
        """Return the field in ``"/joint_states:position[shoulder]"``.

        Raises
        ------
        ParameterError
            It is not written so.
        """
        topic, _, path = written.partition(":") if isinstance(written, str) else ("", "", "")
        matches = [STEP.fullmatch(step) for step in re.split(r"\.(?![^\[]*\])", path)]
        if not topic or not all(matches):
            raise ParameterError(
                f"Record.from_rosbag: {written!r}; must be a topic and a field of its messages, as "
                "'/joint_states:position[shoulder]', '/command:data[0]' or '/imu:angular_velocity.z'."
            )
        return Field(topic, tuple((match["field"], match["entry"]) for match in matches if match))

    def of(self, message: Any) -> float:
        """Return its value in a message; nan if the message lacks the entry.

        Raises
        ------
        ParameterError
            Messages of this topic have no such field.
        """
        value = message
        for name, entry in self.steps:
            known = [key for key in vars(value) if not key.startswith("_")] if hasattr(value, "__dict__") else []
            if name not in known:
                told = suggestion(name, known, "they have")
                raise ParameterError(f"Record.from_rosbag: messages of {self.topic} have no '{name}'{told}")
            owner, value = value, getattr(value, name)
            if entry is not None:
                place = _place(self.topic, owner, entry)
                if place is None or place >= len(value):
                    return float("nan")
                value = value[place]
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ParameterError(
                f"Record.from_rosbag: {self} is {type(value).__name__}; must be a number. Name an entry: '{self}[0]'."
            ) from None

    def __str__(self) -> str:
        return f"{self.topic}:" + ".".join(name + (f"[{entry}]" if entry else "") for name, entry in self.steps)


def _place(topic: str, owner: Any, entry: str) -> int | None:
    """Return the place of an entry in the arrays of a message, None where it is not in this one."""
    if entry.isdecimal():
        return int(entry)
    for field in NAMES:
        names = getattr(owner, field, None)
        if names is not None:
            return list(names).index(entry) if entry in names else None
    raise ParameterError(
        f"Record.from_rosbag: messages of {topic} do not name the entries of their arrays; give the place of "
        f"'{entry}', counted from 0."
    )


def bag_signals(path: str | Path, fields: Mapping[str, str], clock: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return times and values of signals in a bag by name; time 0 is that of the first message of all of them.

    Parameters
    ----------
    path : str or Path
        A ``.bag`` file of ROS 1, or the folder of a bag of ROS 2.
    fields : dict of str
        The field of each signal, see `Field.parse`.
    clock : "header" or "log"
        Times are those in the messages' headers, of messages without a header and of all with ``"log"`` those of the
        recording.

    Raises
    ------
    FileFormatError
        The bag cannot be read, lacks a topic, or has no two messages of it.
    ParameterError
        A field that is no number of its messages.
    MissingExtraError
        The library rosbags is not installed.
    """
    if clock not in CLOCKS:
        raise ParameterError(f"Record.from_rosbag: clock = {clock!r}{suggestion(clock, CLOCKS, 'must be one of')}")
    highlevel = optional("rosbags.highlevel", "Record.from_rosbag")
    typesys = optional("rosbags.typesys", "Record.from_rosbag")
    wanted = {name: Field.parse(written) for name, written in fields.items()}
    stamps: dict[str, list[int]] = {name: [] for name in wanted}
    values: dict[str, list[float]] = {name: [] for name in wanted}
    file = expanded(path)
    if not file.exists():
        raise FileFormatError(f"{path}: there is no such bag.")
    try:
        # Bags of early ROS 2 have no definitions of their messages: the standard ones are those of a distribution.
        reader = highlevel.AnyReader([file], default_typestore=typesys.get_typestore(typesys.Stores.LATEST))
        reader.open()
    except Exception as error:  # sqlite3, yaml and the library raise errors of their own on a damaged bag
        raise FileFormatError(f"{path}: not a readable ROS bag ({error}).") from None
    try:
        _refuse_unknown(path, reader, wanted)
        chosen = [one for one in reader.connections if one.topic in {field.topic for field in wanted.values()}]
        for connection, logged, raw in reader.messages(connections=chosen):
            message = reader.deserialize(raw, connection.msgtype)
            stamp = _stamp(message, logged, clock)
            for name, field in wanted.items():
                if field.topic == connection.topic and not np.isnan(value := field.of(message)):
                    stamps[name].append(stamp)
                    values[name].append(value)
    finally:
        reader.close()
    for name, found in stamps.items():
        if len(found) < 2:
            raise FileFormatError(f"{path}: {len(found)} messages have {wanted[name]}; there must be two or more.")
    # Nanoseconds since 1970 as integers: as seconds in a float they lose digits.
    first = min(min(found) for found in stamps.values())
    return {name: _in_order(np.array(stamps[name]) - first, np.array(values[name])) for name in wanted}


def _in_order(stamps: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return times [s] that rise, and their values; of messages with the same stamp the last."""
    order = np.argsort(stamps, kind="stable")
    kept = order[np.append(np.diff(stamps[order]) > 0, True)]
    return stamps[kept] * 1e-9, values[kept]


def _refuse_unknown(path: str | Path, reader: Any, wanted: Mapping[str, Field]) -> None:
    for field in wanted.values():
        if field.topic not in reader.topics:
            known = list(reader.topics)
            raise FileFormatError(f"{path}: there is no topic {field.topic}{suggestion(field.topic, known, 'it has')}")


def _stamp(message: Any, logged: int, clock: str) -> int:
    """Return the time of a message [ns]."""
    header = getattr(message, "header", None)
    if clock == "log" or header is None:
        return logged
    return int(header.stamp.sec) * 1_000_000_000 + int(header.stamp.nanosec)
