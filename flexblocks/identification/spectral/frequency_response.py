"""Frequency response of an arm: measured, with its coherence, or computed from a linear model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.argument_types import short
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError, suggestion
from flexblocks.identification.spectral.spectra import checked_names, estimated
from flexblocks.lazy_package import upper
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import linearize
from flexblocks.simulation.record import Record
from flexblocks.statics.operating_point import OperatingPoint


@dataclass(frozen=True, eq=False, init=False, repr=False)
class FrequencyResponse:
    """Frequency response of an arm from inputs to outputs, for small motions about a point of rest.

    Parameters
    ----------
    frequency : array (k,)
        Rising, > 0 [Hz].
    response : array (k, l, m), complex
        From m inputs to l outputs, [unit of the output per unit of the input]; (k,) for one of each.
    inputs, outputs : sequence of str
        Names in the model.
    coherence : array (k, l), optional
        Multiple coherence of each output, 0 to 1: the share of its power that the inputs explain. By default 1.
    averages : float
        Number of independent averages; infinite for a computed response.
    deviation : array (k, l, m), optional
        Standard deviation of the real, and of the imaginary part. By default from the coherence g2 and the number n of
        averages, abs(H) sqrt((1 - g2) / (2 g2 n)) (Bendat & Piersol, eq 9.90).
    redundancy : float
        How many neighbouring lines count as one, >= 1: a window spreads noise over them (1.94 of Hann's).
    input_units, output_units : sequence of str, optional
    name : str

    Raises
    ------
    ParameterError
        Frequencies that do not rise, arrays of other shapes, values that are not finite, coherence out of 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> import flexblocks as fb
    >>> f = np.linspace(1.0, 10.0, 50)
    >>> response = fb.FrequencyResponse(f, 1 / (1 + 0.1j * f), ["motor1.torque"], ["joint1.angle"])
    >>> response["joint1.angle", "motor1.torque"].shape
    (50,)
    """

    frequency: np.ndarray
    response: np.ndarray
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    coherence: np.ndarray
    averages: float
    deviation: np.ndarray
    redundancy: float
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    name: str

    def __init__(
        self,
        frequency: Any,
        response: Any,
        inputs: Sequence[str],
        outputs: Sequence[str],
        coherence: Any = None,
        averages: float = np.inf,
        deviation: Any = None,
        redundancy: float = 1.0,
        input_units: Sequence[str] | None = None,
        output_units: Sequence[str] | None = None,
        name: str = "response",
    ) -> None:
        f = _array(frequency, "frequency", float)
        if f.ndim != 1 or not len(f) or not np.all(f > 0) or not np.all(np.diff(f) > 0):
            raise ParameterError(f"FrequencyResponse: frequency = {short(frequency)}; must rise and be > 0 [Hz].")
        inputs, outputs = (tuple([n] if isinstance(n, str) else n) for n in (inputs, outputs))
        shape = (len(f), len(outputs), len(inputs))
        H = _array(response, "response", complex)
        if H.ndim == 1 and shape[1:] == (1, 1):
            H = H[:, None, None]
        _refuse_shape("response", H, shape, "frequencies, outputs, inputs")
        g2 = np.ones(shape[:2]) if coherence is None else _array(coherence, "coherence", float)
        if g2.ndim == 1 and shape[1] == 1:
            g2 = g2[:, None]
        _refuse_shape("coherence", g2, shape[:2], "frequencies, outputs")
        if np.any(g2 < 0) or np.any(g2 > 1):
            raise ParameterError(f"FrequencyResponse: coherence = {short(coherence)}; must be from 0 to 1.")
        if not averages > 0:
            raise ParameterError(f"FrequencyResponse: averages = {averages!r}; must be > 0.")
        if not 1 <= redundancy < np.inf:
            raise ParameterError(f"FrequencyResponse: redundancy = {redundancy!r}; must be a finite number >= 1.")
        with np.errstate(divide="ignore"):
            random = np.sqrt((1 - g2) / np.maximum(2 * g2 * averages, np.finfo(float).tiny))[:, :, None] * np.abs(H)
        sigma = random if deviation is None else np.abs(_array(deviation, "deviation", float))
        if sigma.ndim == 1 and shape[1:] == (1, 1):
            sigma = sigma[:, None, None]
        _refuse_shape("deviation", sigma, shape, "frequencies, outputs, inputs")
        given = {
            "frequency": f,
            "response": H,
            "inputs": inputs,
            "outputs": outputs,
            "coherence": g2,
            "averages": float(averages),
            "deviation": sigma,
            "redundancy": float(redundancy),
            "input_units": tuple(input_units or [""] * len(inputs)),
            "output_units": tuple(output_units or [""] * len(outputs)),
            "name": name,
        }
        for attribute, value in given.items():
            object.__setattr__(self, attribute, value)

    @classmethod
    def from_record(
        cls,
        records: Record | Sequence[Record],
        inputs: Sequence[str] | str | None = None,
        outputs: Sequence[str] | str | None = None,
        *,
        segment: float,
        overlap: float = 0.5,
        window: str = "hann",
        held: bool = True,
        between: tuple[float, float] | None = None,
    ) -> FrequencyResponse:
        """Estimate the frequency response from records: H1 of averaged spectra (Welch).

        Parameters
        ----------
        records : Record or sequence of Record
            At even times. Segments lie between gaps.
        inputs, outputs : sequence of str, optional
            By default all inputs, and all that was measured. Of several inputs each has to move by itself.
        segment : float
            Length of the segments that are averaged [s]. Lines are 1 / segment apart; a mode of frequency f and damping
            ratio d needs segments of 1 / (d f) and more, or its peak is blunted.
        overlap : float
            Of segments, as a fraction.
        window : str
            One of `scipy.signal.get_window`. For an excitation that repeats itself, segments of a period with
            ``window="boxcar", overlap=0`` leak nothing.
        held : bool
            Whether inputs hold from sample to sample, as commands of a controller do, so that the response is that to
            steps; False for samples of inputs that were measured.
        between : (float, float), optional
            Lowest and highest frequency [Hz]; by default up to a tenth of the sample rate for held inputs, up to
            1 / 2.56 of it for measured ones. Lines at which the inputs have no power are left out.

        Raises
        ------
        ParameterError
            Samples that are not even, too few segments, or inputs that do not move by themselves.
        NameUnknownError
            There is no signal of that name.

        Notes
        -----
        Noise on outputs leaves H1 unbiased; noise on a measured input makes it smaller by the share of its power. In a
        closed loop noise comes back through the controller: take the reference as the input there, or average many
        equal periods before. What a held input does above half the sample rate folds back: 0.2 % of an angle at a tenth
        of the rate, 2 % of its rate.
        """
        several = [records] if isinstance(records, Record) else list(records)
        if not several or not all(isinstance(record, Record) for record in several):
            raise ParameterError(f"FrequencyResponse: records = {short(records)}; must be a Record, or several.")
        if not 0 <= overlap < 1:
            raise ParameterError(f"FrequencyResponse: overlap = {overlap!r}; must be >= 0 and < 1.")
        first = several[0]
        into = checked_names(first, inputs, tuple(first.u), "inputs")
        out = checked_names(first, outputs, tuple(first.y), "outputs")
        found = estimated(several, into, out, segment, overlap, window, held, between)
        return cls(
            found.frequency,
            found.response,
            into,
            out,
            found.coherence,
            found.averages,
            found.deviation,
            found.redundancy,
            [first.unit(name) for name in into],
            [first.unit(name) for name in out],
            first.name,
        )

    @classmethod
    def of(
        cls,
        arm: LinearModel | DAE,
        frequency: Any,
        inputs: Sequence[str] | str | None = None,
        outputs: Sequence[str] | str | None = None,
        *,
        at: OperatingPoint | Mapping[str, Any] | None = None,
    ) -> FrequencyResponse:
        """Compute the frequency response of a linear model, or of an arm about a point.

        Parameters
        ----------
        arm : LinearModel or DAE
        frequency : array (k,)
            [Hz]
        inputs, outputs : sequence of str, optional
            By default all.
        at : OperatingPoint or dict, optional
            Of a DAE, see `flexblocks.linearize`.

        Raises
        ------
        NameUnknownError
            The arm has no such input or output.
        ComputationError
            A frequency is that of an undamped mode, where the response is infinite.
        """
        wanted = None if outputs is None else [outputs] if isinstance(outputs, str) else list(outputs)
        whole = arm if isinstance(arm, LinearModel) else linearize(arm, at, wanted)
        small = whole.minimal()
        into = list(small.inputs) if inputs is None else [inputs] if isinstance(inputs, str) else list(inputs)
        out = list(small.outputs) if wanted is None else wanted
        columns = [_position(name, small.inputs, "input") for name in into]
        rows = [_position(name, small.outputs, "output") for name in out]
        f = _array(frequency, "frequency", float)
        s = 2j * np.pi * np.atleast_1d(f)[:, None, None]
        B = np.broadcast_to(small.B[:, columns], (len(s), len(small.A), len(columns)))
        try:
            X = np.linalg.solve(s * np.eye(len(small.A)) - small.A, B)
        except np.linalg.LinAlgError:
            raise ComputationError(
                "FrequencyResponse.of: the response is infinite at a frequency, that of an undamped mode; leave it out."
            ) from None
        H = small.C[rows] @ X + small.D[np.ix_(rows, columns)]
        units = [small.input_units[i] for i in columns], [small.output_units[i] for i in rows]
        return cls(f, H, into, out, input_units=units[0], output_units=units[1], name=small.name)

    def between(self, low: float, high: float) -> FrequencyResponse:
        """Return the response at the frequencies from `low` to `high` [Hz].

        Raises
        ------
        ParameterError
            There are none.
        """
        kept = (self.frequency >= low) & (self.frequency <= high)
        if not kept.any():
            raise ParameterError(
                f"FrequencyResponse.between: no frequency is from {low:g} to {high:g} Hz; there are "
                f"{self.frequency[0]:g} to {self.frequency[-1]:g} Hz."
            )
        return FrequencyResponse(
            self.frequency[kept],
            self.response[kept],
            self.inputs,
            self.outputs,
            self.coherence[kept],
            self.averages,
            self.deviation[kept],
            self.redundancy,
            self.input_units,
            self.output_units,
            self.name,
        )

    @upper
    def plot(self, *, beside: Any = None) -> Any:
        """Draw the Bode diagram, `beside` a model, and return the axes; see `flexblocks.plot.frequency_response`."""

    def __len__(self) -> int:
        return len(self.frequency)

    def __getitem__(self, path: tuple[str, str]) -> np.ndarray:
        """Return the response (k,), complex, of an output to an input: ``response["joint1.angle", "motor1.torque"]``.

        Raises
        ------
        NameUnknownError
            There is no such output or input.
        """
        if not isinstance(path, tuple) or len(path) != 2:
            raise ParameterError(f"FrequencyResponse: [{short(path)}]; must be an output and an input.")
        output, into = path
        return self.response[:, _position(output, self.outputs, "output"), _position(into, self.inputs, "input")]

    def __repr__(self) -> str:
        span = f"{len(self)} frequencies from {self.frequency[0]:g} to {self.frequency[-1]:g} Hz"
        average = "" if np.isinf(self.averages) else f", {self.averages:.3g} averages"
        return (
            f"FrequencyResponse({self.name!r}: {span}, {len(self.inputs)} inputs, {len(self.outputs)} outputs{average})"
        )


def _position(name: str, names: Sequence[str], kind: str) -> int:
    if name not in names:
        raise NameUnknownError(f"FrequencyResponse: there is no {kind} '{name}'{suggestion(name, names)}")
    return list(names).index(name)


def _array(value: Any, where: str, kind: type) -> np.ndarray:
    try:
        array = np.array(value, dtype=kind)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"FrequencyResponse: {where} = {short(value)}; must be an array of numbers.") from None
    if not np.all(np.isfinite(array)):
        raise ParameterError(f"FrequencyResponse: {where} has values that are not finite; must be finite.")
    return array


def _refuse_shape(what: str, array: np.ndarray, shape: tuple[int, ...], words: str) -> None:
    if array.shape != shape:
        raise ParameterError(f"FrequencyResponse: {what} is of shape {array.shape}; must be {shape} ({words}).")
