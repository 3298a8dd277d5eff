"""Least squares of torques over records: base parameters, and standard ones of bodies that can exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing
from flexblocks.identification.rigid.log_cholesky import is_consistent, log_cholesky, standard
from flexblocks.identification.rigid.standard_parameters import StandardParameters
from flexblocks.lazy_package import upper
from flexblocks.libraries import scipy
from flexblocks.rich_display import text_table
from flexblocks.simulation.record import Record
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import POOR_FIT

NORMAL = 1.959964  # standard deviations to either side of which 95 % of a normal distribution lie
# What torques do not determine is taken from the model, each parameter as known within a factor e: it counts as one
# measurement of that deviation beside thousands.
PRIOR = 1.0
LEAST = 1e-6  # of the torques: no torque is measured better
LEAST_MASS = 1e-3  # of that of the arm, for a link that has none in the model
# A direction that changes torques by less than this part of the best known one is not determined.
UNSEEN = 1e-8
BELONGS = 0.05  # of the largest part in such a direction; less is rounding
SPLINE = 5  # degree of the spline that is differentiated


class Linear(Protocol):
    """Protocol of a regressor."""

    @property
    def dae(self) -> DAE: ...
    @property
    def standard(self) -> StandardParameters: ...
    @property
    def p(self) -> np.ndarray: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def units(self) -> tuple[str, ...]: ...
    @property
    def rank(self) -> int: ...
    @property
    def combinations(self) -> np.ndarray: ...
    def inner_forces(self, q: np.ndarray, v: np.ndarray, /) -> np.ndarray: ...
    def __call__(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, /) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class LinkInertia:
    """Inertia of a link: mass [kg], centre of mass (3,) [m], inertia (3, 3) about it [kg m2], in the link's frame."""

    mass: float
    center: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class RegressorFit:
    """Inertial and friction parameters from torques.

    Attributes
    ----------
    p : dict of float
        Base parameters and friction by name (in words), of bodies that can exist.
    units : dict of str
    least_squares : dict of float
        The same by least squares alone, which no body need have.
    deviations : dict of float
        Standard deviations of these; infinite where the records do not determine them.
    correlations : (tuple of str, ndarray (b, b))
    standard : dict of float
        Standard parameters that have these base parameters, and are those of bodies that can exist; what torques do not
        determine is as near to the model as that allows.
    links : dict of LinkInertia
        By the name of a link: mass, centre of mass, inertia about it.
    residuals : dict of float
        Root mean square of the torques that are left, by coordinate [N m or N].
    excess : float
        By how much the residuals grew, in parts of their sum of squares, so that bodies can exist. Far above the number
        of parameters over that of samples, friction or elasticity is missing in the model.
    """

    p: Mapping[str, float]
    units: Mapping[str, str]
    least_squares: Mapping[str, float]
    deviations: Mapping[str, float]
    correlations: tuple[tuple[str, ...], np.ndarray]
    standard: Mapping[str, float]
    links: Mapping[str, LinkInertia]
    residuals: Mapping[str, float]
    excess: float

    @property
    def values(self) -> np.ndarray:
        """The parameters (b,) in order, for `Regressor.torques`."""
        return np.array(list(self.p.values()))

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The 95 % interval of each parameter."""
        half = {name: NORMAL * deviation for name, deviation in self.deviations.items()}
        return {name: (value - half[name], value + half[name]) for name, value in self.p.items()}

    @upper
    def save(self, path: str | Path) -> None:
        """Write the fit to a ``.nc`` file; `flexblocks.load` opens it.

        Raises
        ------
        FileFormatError
            Another suffix, or the file cannot be written.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"RegressorFit({len(self.p)} parameters, {len(self.links)} links)"

    def __str__(self) -> str:
        rows = [
            (f"{value:.6g}", f"± {NORMAL * self.deviations[name]:.2g}", self.units[name], name)
            for name, value in self.p.items()
        ]
        left = ", ".join(f"{name} {value:.3g}" for name, value in self.residuals.items())
        return "\n".join(
            [text_table(("value", "95 %", "unit", "parameter"), rows), f"left, root mean square: {left}",
             f"so that bodies can exist, the sum of squares grew by {100 * self.excess:.2g} %"]
        )  # fmt: skip


def fitted(linear: Linear, records: Sequence[Record], cutoff: float | None, held: bool) -> RegressorFit:
    """Return the parameters from records; arguments as for `Regressor.fit`."""
    parts = [_equations(linear, record, cutoff, held) for record in records]
    # Rows (samples, n) of equations Y base = torque.
    Y = np.concatenate([each for each, _ in parts])
    torque = np.concatenate([each for _, each in parts])
    if Y.shape[0] * Y.shape[1] <= Y.shape[2]:
        raise ParameterError(
            f"Regressor.fit: {Y.shape[0]} samples are left for {Y.shape[2]} parameters; must be far more. Give longer "
            "records, or a higher cutoff."
        )
    first = _solved(*_triangle(Y, torque, np.ones(Y.shape[1])))
    left = np.sqrt(np.mean((torque - Y @ first) ** 2, axis=0))
    size = float(np.sqrt(np.mean(torque**2)))
    scale = np.maximum(left, LEAST * size) if size else np.ones(len(left))
    # Errors of neighbouring samples are alike where a filter has passed both.
    alike = 1.0 if cutoff is None else max(1.0, 1 / (2 * cutoff * float(np.median(np.diff(records[0].t)))))
    upper, wanted = _triangle(Y, torque, scale)
    values = _solved(upper, wanted)
    covariance, unseen = _covariance(upper, alike)
    names = linear.names
    if unseen.any():
        told = [name for name, its in zip(names, unseen, strict=True) if its]
        warn(
            f"Regressor.fit: the motion of the records does not determine {listing(told, 4)}; move the joints more, "
            "and differently.",
            POOR_FIT,
        )
    physical = _physical(linear, upper, values, alike)
    base, whole = physical[: len(names)], physical[len(names) :]
    deviation = np.where(unseen, np.inf, np.sqrt(np.diag(covariance)))
    root = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    squares = float(np.sum(((torque - Y @ values) / scale) ** 2))
    grown = float(np.sum((upper @ (base - values)) ** 2))
    rest = np.sqrt(np.mean((torque - Y @ base) ** 2, axis=0))
    links = {link.name: _body(whole[10 * i : 10 * i + 10]) for i, link in enumerate(linear.standard.links)}
    return RegressorFit(
        p=dict(zip(names, base.tolist(), strict=True)),
        units=dict(zip(names, linear.units, strict=True)),
        least_squares=dict(zip(names, values.tolist(), strict=True)),
        deviations=dict(zip(names, deviation.tolist(), strict=True)),
        correlations=(names, covariance / root[:, None] / root),
        standard=dict(zip(linear.standard.names, whole.tolist(), strict=True)),
        links=links,
        residuals=dict(zip(linear.dae.q_names, rest.tolist(), strict=True)),
        excess=grown / squares if squares else 0.0,
    )


def _equations(linear: Linear, record: Record, cutoff: float | None, held: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the regressor (k, n, b) and the torques (k, n) along a record."""
    dae, n = linear.dae, linear.dae.tree.size
    lacking = [name for name in (*dae.q_names, *dae.u.names) if name not in record]
    if lacking:
        raise NameUnknownError(
            f"Regressor.fit: record '{record.name}' lacks {listing(lacking)}; must have all coordinates and inputs. "
            "Name them where it is made."
        )
    wanted = [*dae.q_names, *dae.u.names]
    wanted += [name for q in dae.q_names for name in (f"der({q})", f"der(der({q}))") if name in record]
    if gaps := [name for name in wanted if np.isnan(record[name]).any()]:
        raise ParameterError(
            f"Regressor.fit: record '{record.name}' has gaps in {listing(gaps)}; must have none. Take parts between "
            "them, record.between(t0, t1), or record.resampled(sample_time, longest_gap)."
        )
    torques = {name: _at_samples(record[name], held) for name in dae.u.names}
    record = Record(record.t, torques, {name: record[name] for name in wanted if name not in torques}, name=record.name)
    if cutoff is not None:
        record = record.filtered(cutoff)
    q = np.array([record[name] for name in dae.q_names])
    v = np.array([_rate(record, name, f"der({name})") for name in dae.q_names])
    a = np.array([_acceleration(record, name, v[i]) for i, name in enumerate(dae.q_names)])
    # At the ends filters and splines know one side alone.
    whole = all(f"der(der({name}))" in record and f"der({name})" in record for name in dae.q_names) and cutoff is None
    ends = 0.0 if whole else 2.0 / cutoff if cutoff else SPLINE * float(np.median(np.diff(record.t)))
    kept = (record.t >= record.t[0] + ends) & (record.t <= record.t[-1] - ends)
    if held and not whole:
        kept[0] = False
    u = np.array([record[name] for name in dae.u.names]).reshape(len(dae.u), -1)
    q, v, a, u = (each[:, kept] for each in (q, v, a, u))
    count = q.shape[1]
    if not count:
        return np.zeros((0, n, len(linear.names))), np.zeros((0, n))
    p = np.tile(linear.p[:, None], count)
    applied = dae.interpreted.input_force.map(count)(np.vstack([q, v]), u, p).full().T
    return linear(q.T, v.T, a.T), applied - linear.inner_forces(q.T, v.T)


def _at_samples(series: np.ndarray, held: bool) -> np.ndarray:
    """Return an input at the samples, where one that holds jumps: the mean of both sides."""
    return np.concatenate([series[:1], (series[1:] + series[:-1]) / 2]) if held else series


def _rate(record: Record, name: str, rate: str) -> np.ndarray:
    return record[rate] if rate in record else _differentiated(record.t, record[name])


def _acceleration(record: Record, name: str, v: np.ndarray) -> np.ndarray:
    known = f"der(der({name}))"
    return record[known] if known in record else _differentiated(record.t, v)


def _differentiated(t: np.ndarray, series: np.ndarray) -> np.ndarray:
    return scipy.interpolate.make_interp_spline(t, series, k=min(SPLINE, len(t) - 1)).derivative()(t)


def _triangle(Y: np.ndarray, torque: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the upper triangle (b, b) of the equations and what it is to give (b,), each row in units of `scale`."""
    A, b = (Y / scale[:, None]).reshape(-1, Y.shape[2]), (torque / scale).ravel()
    R = np.asarray(np.linalg.qr(np.column_stack([A, b]), mode="r"))
    return R[: Y.shape[2], :-1], R[: Y.shape[2], -1]


def _solved(upper: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the least squares (b,), of least norm where there are many."""
    size = np.linalg.norm(upper, axis=0)
    size = np.where(size > 0, size, 1.0)
    return np.linalg.lstsq(upper / size, wanted, rcond=UNSEEN)[0] / size


def _covariance(upper: np.ndarray, alike: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the covariance (b, b) for errors of unit size, `alike` over so many rows; and what is not determined."""
    size = np.linalg.norm(upper, axis=0)
    size = np.where(size > 0, size, 1.0)
    _, sizes, V = np.linalg.svd(upper / size)
    seen = sizes > UNSEEN * sizes.max(initial=0.0)
    covariance = alike * (V[seen].T / sizes[seen] ** 2) @ V[seen] / size / size[:, None]
    unseen = np.abs(V[~seen]).max(axis=0, initial=0.0) > BELONGS
    return covariance, unseen


def _physical(linear: Linear, upper: np.ndarray, values: np.ndarray, alike: float) -> np.ndarray:
    """Return base parameters and friction (b), then standard parameters (P), of bodies that can exist.

    Least squares over log-Cholesky parameters, logarithms of rotors' inertias, and roots of friction, which is >= 0.
    """
    links, rotors, rank = linear.standard.links, linear.standard.rotors, linear.rank
    total = sum(max(float(link.values[0]), 0.0) for link in links) or 1.0
    masses = [max(float(link.values[0]), LEAST_MASS * total) for link in links]
    extents = [
        np.sqrt(max(np.trace(_tensor(link.values)), 0.0) / mass) for link, mass in zip(links, masses, strict=True)
    ]
    extent = max(extents, default=1.0) or 1.0
    bodies = [log_cholesky(link.values, LEAST_MASS * total, extent) for link in links]
    # A factor e of mass and radii of gyration; of the others, lengths, as much as the link is large.
    sizes = [max(float(np.exp(theta[1:4]).max()), LEAST_MASS * extent) for theta in bodies]
    spreads = [np.concatenate([np.full(4, 0.5), np.full(6, size)]) for size in sizes]
    spins = np.log([max(rotor.inertia, np.finfo(float).tiny) for rotor in rotors])
    known = np.concatenate([*bodies, spins])
    spread = PRIOR * np.concatenate([*spreads, np.ones(len(rotors))])
    friction = len(values) - rank
    start = np.concatenate([known, np.sqrt(np.maximum(values[rank:], 0.0))])
    count = 10 * len(links)

    def of(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the standard parameters and their derivatives."""
        parts = [standard()(x[10 * i : 10 * i + 10]) for i in range(len(links))]
        spinning = np.exp(x[count : count + len(rotors)])
        slopes = np.asarray(scipy.linalg.block_diag(*(slope.full() for _, slope in parts), np.diag(spinning)))
        whole = np.concatenate([*(value.full().ravel() for value, _ in parts), spinning])
        return whole, slopes.reshape(len(whole), len(known))

    root = 1 / np.sqrt(alike)

    def residuals(x: np.ndarray) -> np.ndarray:
        whole, _ = of(x)
        base = np.concatenate([linear.combinations @ whole, x[len(known) :] ** 2])
        return np.concatenate([root * (upper @ (base - values)), (x[: len(known)] - known) / spread])

    def jacobian(x: np.ndarray) -> np.ndarray:
        _, slopes = of(x)
        by_base = scipy.linalg.block_diag(linear.combinations @ slopes, np.diag(2 * x[len(known) :]))
        by_prior = np.hstack([np.diag(1 / spread), np.zeros((len(known), friction))])
        return np.vstack([root * (upper @ by_base), by_prior])

    derivatives: Any = jacobian  # scipy's own annotation is that of its default
    found = scipy.optimize.least_squares(residuals, start, derivatives, method="lm", x_scale="jac", max_nfev=500)
    whole, _ = of(found.x)
    return np.concatenate([linear.combinations @ whole, found.x[len(known) :] ** 2, whole])


def _tensor(values: np.ndarray) -> np.ndarray:
    _, _, _, _, xx, yy, zz, xy, xz, yz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _body(values: np.ndarray) -> LinkInertia:
    """Return the inertia of a link from its standard parameters."""
    assert is_consistent(values)
    mass, center = float(values[0]), values[1:4] / values[0]
    return LinkInertia(mass, center, _tensor(values) - mass * (center @ center * np.eye(3) - np.outer(center, center)))
