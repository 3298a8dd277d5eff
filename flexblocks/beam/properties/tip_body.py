"""Tip body: the rigid body at the tip of a beam that shapes its modes."""

from __future__ import annotations

from dataclasses import dataclass, fields

from flexblocks.errors import ParameterError
from flexblocks.plausibility import computable


@dataclass(frozen=True)
class TipBody:
    """A rigid body at the tip of a beam (Subudhi & Morris 2002, eqs 29-31).

    Parameters
    ----------
    mass : float
        [kg]
    inertia : float
        About the tip, on the axis normal to the plane of bending [kg m2].
    static_moment : float
        Mass times distance of its centre beyond the tip, along the beam [kg m].
    polar_inertia : float
        About the axis of the beam [kg m2]: it shapes the modes of torsion.

    Raises
    ------
    ParameterError
        No rigid body has such a mass, inertia and moment.
    """

    mass: float
    inertia: float = 0.0
    static_moment: float = 0.0
    polar_inertia: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, (int, float)) or not computable(value):
                raise ParameterError(f"TipBody: {field.name} = {value!r}; must be a finite number.")
        if self.polar_inertia < 0:
            raise ParameterError(f"TipBody: polar_inertia = {self.polar_inertia:g} kg m2; must be >= 0.")
        bound = self.mass * self.inertia
        # A point mass beyond the tip meets the bound exactly, hence the margin for rounding.
        if self.mass < 0 or self.inertia < 0 or self.static_moment**2 > bound + 1e-9 * abs(bound) + 1e-24:
            raise ParameterError(
                f"TipBody: mass = {self.mass:g} kg, inertia = {self.inertia:g} kg m2, "
                f"static_moment = {self.static_moment:g} kg m; "
                "no rigid body has these: needs mass >= 0, inertia >= 0 and static_moment^2 <= mass * inertia."
            )

    def relative(self, beam_mass: float, length: float) -> TipBody:
        """Return the body in units of the beam: m, m l^2, m l."""
        return TipBody(
            self.mass / beam_mass, self.inertia / (beam_mass * length**2), self.static_moment / (beam_mass * length)
        )


FREE = TipBody(0.0)
