"""Grid of linear models, with interpolation between its points."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion
from flexblocks.lazy_package import upper
from flexblocks.libraries import pd, xr
from flexblocks.linear.grid.dataset import model_at
from flexblocks.linear.grid.energy_interpolation import interpolated_mass
from flexblocks.linear.grid.interpolation_error import InterpolationError
from flexblocks.linear.grid.lagrange_interpolation import POINTS, weights
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import FORMS
from flexblocks.modeling.model import Model
from flexblocks.rich_display import RichDisplay
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import GRID_ERRORS

# MAC to the neighbouring point below which the identity of a mode is in doubt.
DOUBTFUL = 0.8
# Interpolation error in the middle of a cell above which `at` warns.
COARSE = 0.01


@dataclass(frozen=True, eq=False)
class LinearGrid(RichDisplay):
    """Linear models of an arm over a grid of postures, inputs and parameters.

    Attributes
    ----------
    dataset : xarray.Dataset
        E, A, B, C, D in descriptor form; the operating points; of each tracked mode ``frequency``, ``damping_ratio``,
        ``participation`` and ``mac``; and ``error_eigenvalue``, ``error_input``, ``error_output`` in the middle of
        each cell. Dimensions are the names of what varies; units are attributes.
    dae : DAE or None
        The arm, of its models, too; None for a grid that was read from a file without it.
    """

    dataset: xr.Dataset
    dae: DAE | None = field(default=None, repr=False)

    @property
    def model(self) -> Model | None:
        """The model of the arm; None if `dae` is, or is a closed loop of control."""
        return None if self.dae is None else self.dae.model

    @property
    def axes(self) -> dict[str, np.ndarray]:
        """Axes of the grid: values by name."""
        return {str(name): self.dataset[name].values for name in self.dataset["E"].dims[:-2]}

    def at(self, values: Mapping[str, float], form: Literal["minimal", "descriptor"] = "minimal") -> LinearModel:
        """Return the linear model between the points of the grid.

        A, B, C, D are interpolated by cubic polynomials through the four nearest points on each axis (straight lines
        where they are straight, as over masses), the mass matrix in E as `flexblocks.linear.grid.energy_interpolation`
        says: block by block, so that the mass of a heavy payload does not spread to directions in which it stays.

        Parameters
        ----------
        values : dict
            A value for each axis, within the grid.
        form : str
            As for `flexblocks.linearize`.

        Returns
        -------
        LinearModel
            Its operating point is interpolated, too; its residual is not known.

        Raises
        ------
        NameUnknownError, ParameterError
            A name that is not an axis, an axis without a value, a value outside the grid, an unknown form.

        Warns
        -----
        FlexblocksWarning
            The interpolation error in the middle of that cell exceeds 1 %, or the tolerance of the grid.
        """
        if form not in FORMS:
            raise ParameterError(f"LinearGrid.at: form = {form!r}; must be one of {', '.join(FORMS)}.")
        place = self._checked(values)
        error = self.error_at(values)
        on_a_node = all(value in self.axes[name] for name, value in place.items())
        allowed = max(COARSE, float(self.dataset.attrs.get("tolerance", 0.0)))
        if error.largest > allowed and not on_a_node:
            warn(
                f"LinearGrid.at: the interpolation error in the middle of this cell is large: {error}; must be below "
                f"{100 * allowed:g} %: refine the grid, by points of its own or by linear_grid(..., tolerance=...).",
                GRID_ERRORS,
            )
        whole = model_at(self.interpolated(place), self.dae)
        minimal = whole.minimal()
        return minimal if form == "minimal" else dataclasses.replace(whole, structure=minimal.structure)

    def error_at(self, values: Mapping[str, float]) -> InterpolationError:
        """Return the interpolation error in the middle of the cell that contains `values`."""
        place = self._checked(values)
        cell = {}
        for name, value in place.items():
            nodes = self.axes[name]
            cell[f"{name} between"] = int(np.clip(np.searchsorted(nodes, value, side="right") - 1, 0, len(nodes) - 2))
        here = self.dataset.isel(cell)
        return InterpolationError(
            float(here["error_eigenvalue"]),
            str(here["error_mode"].values),
            float(here["error_input"]),
            float(here["error_output"]),
        )

    @property
    def errors(self) -> np.ndarray:
        """The largest interpolation error in the middle of each cell (...)."""
        return self.dataset[["error_eigenvalue", "error_input", "error_output"]].to_array().max("variable").values

    @property
    def worst_cell(self) -> tuple[dict[str, float], InterpolationError]:
        """The middle of the cell with the largest interpolation error, and that error."""
        index = np.unravel_index(int(np.argmax(self.errors)), self.errors.shape)
        place = {name: float(self.dataset[f"{name} between"][i]) for name, i in zip(self.axes, index, strict=True)}
        return place, self.error_at(place)

    def doubtful(self, below: float = DOUBTFUL) -> pd.DataFrame:
        """Return the modes and points with a MAC to the neighbouring point so low that their identity is in doubt.

        There modes veer, or the grid is too coarse. One row for each mode and point: the values of the axes, the mode,
        its frequency [rad/s] and the MAC.
        """
        mac = self.dataset["mac"]
        rows = [
            {
                **{name: float(values[i]) for i, (name, values) in zip(place, self.axes.items(), strict=False)},
                "mode": int(place[-1]) + 1,
                "frequency": float(self.dataset["frequency"].values[tuple(place)]),
                "mac": float(mac.values[tuple(place)]),
            }
            for place in np.argwhere(mac.values < below)
        ]
        return pd.DataFrame(rows, columns=[*self.axes, "mode", "frequency", "mac"])

    def _checked(self, values: Mapping[str, float]) -> dict[str, float]:
        axes = self.axes
        for name in values:
            if name not in axes:
                raise NameUnknownError(f"LinearGrid: there is no axis '{name}'{suggestion(name, axes)}")
        for name, nodes in axes.items():
            value = values.get(name)
            if value is None or not nodes[0] <= value <= nodes[-1]:
                raise ParameterError(
                    f"LinearGrid: {name} = {value}; must be between {nodes[0]:g} and {nodes[-1]:g} "
                    f"{self.dataset[name].attrs['units']}: the grid does not go further."
                )
        return {name: float(values[name]) for name in axes}

    def interpolated(self, places: Mapping[str, float | np.ndarray]) -> xr.Dataset:
        """Return the variables of a linear model, interpolated at a point, or at all combinations of several values."""
        whole = {str(name) for name, variable in self.dataset.items() if set(self.axes) <= set(variable.dims)}
        by_mode = {str(name) for name, variable in self.dataset.items() if "mode" in variable.dims}
        smooth = self.dataset[sorted(whole - by_mode)]
        for name, nodes in self.axes.items():
            place = places[name]
            W = weights(nodes, np.atleast_1d(place), 2 if self.dataset[name].attrs.get("affine", 0) else POINTS)
            across = xr.DataArray(W[0], dims=name) if np.ndim(place) == 0 else xr.DataArray(W, dims=("between", name))
            smooth = smooth.map(_product, keep_attrs=True, args=(across, name))
        return self._with_masses(smooth, places)

    def _with_masses(self, linear: xr.Dataset, places: Mapping[str, float | np.ndarray]) -> xr.Dataset:
        """Return interpolated variables with kinetic energies and mass matrices interpolated as such."""
        nodes = list(self.axes.values())
        affine = [bool(self.dataset[name].attrs.get("affine", 0)) for name in self.axes]
        wanted = list(itertools.product(*(np.atleast_1d(places[name]).tolist() for name in self.axes)))
        E, kinetic = (linear[name].values.copy() for name in ("E", "kinetic"))
        whole, by_block = self.dataset["E"].values, self.dataset["kinetic"].values
        states = self.dataset["state"].values.tolist()
        n = states.index(f"der({states[0]})") if states and f"der({states[0]})" in states else 0
        rates = slice(n, 2 * n)
        masses = whole[..., rates, rates]
        # Of a tree, the mass matrix is the sum of those of the blocks; those of loops are projected.
        sum_of_blocks = by_block.sum(axis=-3)
        is_sum = sum_of_blocks.shape == masses.shape and np.allclose(
            sum_of_blocks, masses, atol=1e-9 * np.abs(masses).max(initial=0.0)
        )
        flat_E, flat_kinetic = E.reshape(-1, *E.shape[-2:]), kinetic.reshape(-1, *kinetic.shape[-3:])
        for k, place in enumerate(wanted):
            for b in range(by_block.shape[-3]):
                flat_kinetic[k, b] = interpolated_mass(by_block[..., b, :, :], nodes, affine, place)
            mass = flat_kinetic[k].sum(axis=0) if is_sum else interpolated_mass(masses, nodes, affine, place)
            flat_E[k, rates, rates] = mass
        return linear.assign(E=(linear["E"].dims, E), kinetic=(linear["kinetic"].dims, kinetic))

    @upper
    def save(self, path: str | Path) -> None:
        """Write a ``.nc`` file, which `flexblocks.load` opens, or a ``.mat`` file for MATLAB and Octave.

        See `flexblocks.export.save_grid`.

        Raises
        ------
        FileFormatError
            The suffix is neither.
        """

    def __repr__(self) -> str:
        points = " x ".join(str(len(values)) for values in self.axes.values())
        return f"LinearGrid({self.dataset.attrs['name']!r}: {points} points over {', '.join(self.axes)})"

    def __str__(self) -> str:
        ranges = [
            f"{name} {values[0]:g} to {values[-1]:g} {self.dataset[name].attrs['units']} in {len(values)} points"
            for name, values in self.axes.items()
        ]
        place, error = self.worst_cell
        middle = ", ".join(f"{name} = {value:g}" for name, value in place.items())
        doubtful = self.doubtful()
        lines = [f"linear models of '{self.dataset.attrs['name']}' over {'; '.join(ranges)}"]
        lines += [f"largest interpolation error, at {middle}: {error}"]
        if len(doubtful):
            worst = doubtful.loc[doubtful["mac"].idxmin()]
            where = ", ".join(f"{name} = {worst[name]:g}" for name in self.axes)
            numbers = listing(map(str, sorted(set(doubtful["mode"]))))
            lines.append(
                f"modes of doubtful identity (MAC below {DOUBTFUL:g}): {numbers}; worst mode "
                f"{worst['mode']:.0f} at {where}, MAC {worst['mac']:.2f}"
            )
        return "\n".join(lines)


def _product(variable: xr.DataArray, across: xr.DataArray, name: str) -> xr.DataArray:
    """Return a variable in other points of one axis, which stays where it was among the dimensions."""
    dims = variable.dims
    product = xr.dot(variable.drop_vars(name), across, dim=name)
    if "between" in across.dims:
        product = product.rename(between=name)
    return product.transpose(*(dim for dim in dims if dim in product.dims))
