"""Information on parameters that a motion gathers: the arm with sensitivities of its states as further states.

    der(S) = df/dx S + df/dp diag(p),    der(I) = r H' R^-1 H,    H = dh/dx S + dh/dp diag(p),

with S zero and I zero at the start. S are derivatives in the parameters' logarithms (of parameters that are zero, in
themselves), and r is the least variance in R, so that I is as large as motions are. Samples at a rate [1/s] with the
variances R give the information I rate / r on these logarithms, `unit` times I.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.control.close_loop import close_loop
from flexblocks.control.estimation.observer import sensor_functions
from flexblocks.control.law import Bound
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, suggestion
from flexblocks.identification.prediction.predictor import kept
from flexblocks.interfaces.variables import variables


def entries(count: int) -> list[tuple[int, int]]:
    """Return the indices of the lower triangle of an information (count, count), in the order of its states."""
    return [(i, j) for i in range(count) for j in range(i + 1)]


def state_names(parameters: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the states that gather the information on parameters, in the order of `entries`."""
    return tuple(f"information[{parameters[i]},{parameters[j]}]" for i, j in entries(len(parameters)))


def unit(noise: Mapping[str, float], sample_time: float) -> float:
    """Return the information of samples that a state of one stands for."""
    return 1 / (sample_time * min(noise.values()) ** 2)


def with_information(dae: DAE, parameters: tuple[str, ...], noise: Mapping[str, float]) -> DAE:
    """Return the arm with the states that gather the information on parameters; the same one each time.

    Parameters
    ----------
    dae : DAE
        Its motion without algebraic variables.
    parameters : tuple of str
        Symbolic ones.
    noise : dict of float
        Standard deviations of what is measured [unit].

    Raises
    ------
    NameUnknownError
        The arm has no such parameter, or nothing of that name to measure.
    """
    for name in parameters:
        if name not in dae.p:
            told = suggestion(name, dae.p.names, "symbolic are")
            raise NameUnknownError(f"Excitation: '{name}' is no symbolic parameter of '{dae.name}'{told}")
    key = "information", parameters, tuple(noise.items())
    return kept(dae, key, lambda: close_loop(dae, _Gathering(parameters, dict(noise))))


@dataclass(frozen=True, eq=False)
class _Gathering:
    """A law that commands nothing, and whose states are sensitivities and information."""

    parameters: tuple[str, ...]
    noise: Mapping[str, float]

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        nx, k = len(dae.x), len(self.parameters)
        names = [f"sensitivity[{state},{parameter}]" for parameter in self.parameters for state in dae.x.names]
        names += state_names(self.parameters)
        states = variables("state", [(name, "", 0.0) for name in names])
        S = ca.reshape(states.symbol[: nx * k], nx, k)
        columns = [dae.p.index(name) for name in self.parameters]
        logarithmic = np.array(dae.p.start)[columns] != 0
        shares = ca.diag(ca.if_else(ca.DM(logarithmic), dae.p.symbol[columns], 1))
        f = dae.expressions.rate
        rates = ca.jtimes(f, dae.x.symbol, S) + ca.jacobian(f, dae.p.symbol)[:, columns] @ shares
        symbols = dae.x.symbol, dae.u.symbol, dae.p.symbol
        _, by_state, _, by_parameter = sensor_functions(dae, tuple(self.noise), "Excitation")(*symbols)
        H = ca.sparsify(by_state) @ S + ca.sparsify(by_parameter)[:, columns] @ shares
        deviations = np.array(list(self.noise.values()))
        H = ca.diag(ca.DM(deviations.min() / deviations)) @ H
        gathered = H.T @ H
        told = ca.vertcat(ca.vec(rates), *[gathered[i, j] for i, j in entries(k)])
        return Bound({}, states=states, rates=ca.cse(told), rest=ca.SX.zeros(told.shape[0]))
