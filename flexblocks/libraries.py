"""Large libraries that are imported when something of them is first used, so that flexblocks itself loads fast.

``from flexblocks.libraries import scipy`` stands for ``import scipy``: type checkers and editors see the library.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

from flexblocks.errors import MissingExtraError


class _Library(ModuleType):
    """A library that is imported when one of its names is first looked up."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # of the module protocol, which needs no import
        value = _attribute(importlib.import_module(self.__name__), name)
        setattr(self, name, value)
        return value


def _attribute(module: ModuleType, name: str) -> Any:
    """Return a name of a module, or its submodule of that name."""
    try:
        return getattr(module, name)
    except AttributeError:
        return importlib.import_module(f"{module.__name__}.{name}")


if TYPE_CHECKING:
    import pandas as pd
    import scipy
    import scipy.integrate
    import scipy.interpolate
    import scipy.io
    import scipy.linalg
    import scipy.optimize
    import scipy.signal
    import scipy.sparse
    import scipy.sparse.csgraph
    import scipy.sparse.linalg
    import scipy.spatial
    import scipy.spatial.transform
    import scipy.special
    import scipy.stats
    import xarray as xr
else:
    pd, scipy, xr = _Library("pandas"), _Library("scipy"), _Library("xarray")


# The extra of flexblocks that brings an optional library.
EXTRAS = {
    **dict.fromkeys(("matplotlib", "mpl_toolkits"), "plot"),
    **dict.fromkeys(("typer", "click"), "cli"),
    **dict.fromkeys(("zarr", "dask", "distributed", "cloudpickle"), "cluster"),
    **dict.fromkeys(("trimesh", "collada", "fast_simplification", "mujoco"), "robots"),
    **dict.fromkeys(("pyarrow", "rosbags"), "measured"),
    **dict.fromkeys(("skfem", "meshio"), "fe"),
    "control": "control",
    "gymnasium": "learn",
    "jax": "jax",
    "sympy": "symbolic",
}


def optional(name: str, purpose: str) -> ModuleType:
    """Return a module, or a library, that needs an extra of flexblocks.

    Raises
    ------
    MissingExtraError
        A library is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in EXTRAS:
            raise
        raise MissingExtraError(
            f"{purpose} needs {library}, which is not installed: pip install 'flexblocks[{EXTRAS[library]}]'."
        ) from None


__all__ = ["optional", "pd", "scipy", "xr"]
