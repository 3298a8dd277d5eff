"""Small robots as texts of URDF files."""

from __future__ import annotations

from pathlib import Path

INERTIAL = (
    '<inertial><origin xyz="0.2 0 0"/><mass value="2"/>'
    '<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def link(name: str, inside: str = INERTIAL) -> str:
    """Return a link of 2 kg."""
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = "", kind: str = "revolute", xyz: str = "0.4 0 0") -> str:
    """Return a joint about y."""
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}"/><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="0 1 0"/>{inside}</joint>'
    )


def written(folder: Path, *parts: str, name: str = "arm", head: str = "") -> Path:
    """Write a robot and return its file."""
    path = folder / f"{name}.urdf"
    path.write_text(f'<?xml version="1.0"?>{head}<robot name="{name}">{"".join(parts)}</robot>')
    return path


def two_links(folder: Path, first: str = "", second: str = "", kind: str = "revolute", more: str = "") -> Path:
    """Return the file of an arm of two links; `first` and `second` are inside its joints."""
    return written(
        folder,
        link("base"),
        link("upper"),
        link("forearm"),
        joint("shoulder", "base", "upper", first),
        joint("elbow", "upper", "forearm", second, kind),
        more,
    )
