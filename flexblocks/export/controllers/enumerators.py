"""Names of signals as C enumerators: CTL_MEASURED_DER_JOINT1_ANGLE for ``der(joint1.angle)``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flexblocks.export.comment_text import comment_text
from flexblocks.interfaces.variables import Variables

# What is said by the prefix of the enumerator already.
SAID = ("reference.", "observed.")
RATE = re.compile(r"der\((.*?)(?:,([0-9]+))?\)")


def enumerators(prefix: str, names: Sequence[str]) -> list[str]:
    """Return an enumerator for each name, all of them different.

    Letters, digits and underscores stay, in capitals; all else becomes an underscore; ``der(a)`` becomes DER_A,
    ``der(a,2)`` DER2_A. Where two names would be one, the later ones are numbered.

    Examples
    --------
    >>> enumerators("CTL_MEASURED", ("joint1.angle", "der(joint1.angle)", "link1.bending_y[1]", "joint1-angle"))[2:]
    ['CTL_MEASURED_LINK1_BENDING_Y_1', 'CTL_MEASURED_JOINT1_ANGLE_2']
    """
    taken = {f"{prefix}_SIZE": 1}
    found = []
    for name in names:
        wanted = f"{prefix}_{_plain(name)}"
        while wanted in taken:
            taken[wanted] += 1
            wanted = f"{wanted}_{taken[wanted]}"
        taken[wanted] = 1
        found.append(wanted)
    return found


def enumeration(prefix: str, group: Variables, meaning: str) -> str:
    """Return the C enumeration of a group of signals, with their names and units; its last one is their number."""
    lines = [f"/* {meaning} */", "enum {"]
    for i, enumerator in enumerate(enumerators(prefix, group.names)):
        lines.append(f"    {enumerator} = {i}, /* {comment_text(f'{group.names[i]} [{group.units[i]}]')} */")
    return "\n".join([*lines, f"    {prefix}_SIZE = {len(group)}", "};"])


def _plain(name: str) -> str:
    rate = RATE.fullmatch(name)
    if rate:
        return f"DER{rate[2] or ''}_{_plain(rate[1])}"
    for word in SAID:
        name = name.removeprefix(word)
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").upper() or "X"
