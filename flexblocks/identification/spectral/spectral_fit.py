"""Result of a fit to frequency responses or modes: values, intervals, what the data do not determine, residuals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.identification.spectral.tune import NORMAL, Tuned
from flexblocks.identification.unknowns.sought import Unknowns
from flexblocks.lazy_package import upper
from flexblocks.modeling.model import Model
from flexblocks.modeling.symbolic_parameters import with_parameters
from flexblocks.rich_display import text_table

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class SpectralFit:
    """Parameters of an arm that fit its measured frequency responses, or its modes.

    Attributes
    ----------
    dae : DAE or None
        The arm, in which they are symbolic; None in a fit that was loaded, of an arm that no file can hold.
    p : dict of float
        Values by name.
    units : dict of str
    deviations : dict of float
        Standard deviations; infinite where the data do not determine.
    correlations : (tuple of str, ndarray (k, k))
        Names, and the matrix of the correlations of their errors.
    residuals : pandas.DataFrame
        A row for each mode, or for each path from an input to an output: what was measured, the model, by how much they
        differ.
    cost : float
        Sum of squares of the residuals in their standard deviations; about `freedom` for a right model.
    freedom : int
        Number of residuals less that of parameters.
    undetermined : tuple of str
        What the data do not determine, in words.
    converged : bool
    costs : tuple of float
        The cost from each start.
    """

    dae: DAE | None
    p: Mapping[str, float]
    units: Mapping[str, str]
    deviations: Mapping[str, float]
    correlations: tuple[tuple[str, ...], np.ndarray]
    residuals: pandas.DataFrame
    cost: float
    freedom: int
    undetermined: tuple[str, ...]
    converged: bool
    costs: tuple[float, ...]

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The 95 % interval of each parameter; infinitely wide where the data do not determine.

        Where residuals are larger than the standard deviations that were given, they are widened by that.
        """
        return {n: (self.p[n] - NORMAL * sigma, self.p[n] + NORMAL * sigma) for n, sigma in self.deviations.items()}

    @cached_property
    def model(self) -> Model | None:
        """The model with these values; None without an arm, or of one without a model.

        Raises
        ------
        ParameterError
            A parameter belongs to a part of a composite, which the composite does not have itself.
        """
        model = None if self.dae is None else self.dae.model
        return None if model is None else with_parameters(model, self.p)

    def of(self, dae: DAE) -> SpectralFit:
        """Return this fit with its arm, for one that was loaded without."""
        for name in self.p:
            dae.p.index(name)
        return replace(self, dae=dae)

    @upper
    def save(self, path: str | Path) -> None:
        """Write the fit to a ``.nc`` file, with its arm; `flexblocks.load` opens it.

        Raises
        ------
        FileFormatError
            Another suffix, or the file cannot be written.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.5g}" for name, value in self.p.items())
        name = "arm" if self.dae is None else self.dae.name
        return f"SpectralFit({name!r}: {values})"

    def __str__(self) -> str:
        rows = [
            (name, f"{value:.6g}", f"{self.intervals[name][0]:.6g} to {self.intervals[name][1]:.6g}", self.units[name])
            for name, value in self.p.items()
        ]
        misfit = f"{self.cost:.4g} for {self.freedom} residuals more than parameters"
        lines = [text_table(("parameter", "value", "95 % interval", "unit"), rows), f"sum of squares: {misfit}"]
        lines += [f"not determined: {words}" for words in self.undetermined]
        lines += [] if self.converged else ["The search did not converge."]
        return "\n".join([*lines, self.residuals.to_string(index=False)])


def spectral_fit(dae: DAE, wanted: Unknowns, found: Tuned, residuals: pandas.DataFrame) -> SpectralFit:
    """Return the result of a search, with the table of its residuals."""
    return SpectralFit(
        dae=dae,
        p=dict(zip(wanted.names, found.values.tolist(), strict=True)),
        units=dict(zip(wanted.names, wanted.units, strict=True)),
        deviations=dict(zip(wanted.names, found.deviations.tolist(), strict=True)),
        correlations=(wanted.names, found.correlation),
        residuals=residuals,
        cost=float(found.residuals @ found.residuals),
        freedom=found.freedom,
        undetermined=found.undetermined,
        converged=found.converged,
        costs=found.costs,
    )
