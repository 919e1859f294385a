"""What a fluid that does not wet has invaded: curve, map, picture."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ._native import ResourceError

if TYPE_CHECKING:
    import numpy
    import pandas
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_LINE, _MARKED = "#0072B2", "#D55E00"  # Okabe and Ito: told apart by every kind of colour vision


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Porosimetry:
    """Drainage of the pores of an image, as `porosimetry` gives it.

    Arrays have an entry for each row n = 0, 1, ...: what balls with a radius above n shortest sides of a voxel have
    invaded from the inlet. Row 0 is all that is ever invaded.
    """

    radius: NDArray[numpy.float64]
    """n shortest sides of a voxel, in `unit` or voxels. Array of float64."""
    pressure: NDArray[numpy.float64] | None
    """What presses the fluid through that radius, in Pa (Washburn), infinite for 0. None where no voxel size is known."""
    invaded: NDArray[numpy.int64]
    """Voxels. Array of int64."""
    saturation: NDArray[numpy.float64]
    """invaded / volume. Array of float64."""
    volume: int
    """Voxels of the pores."""
    never_reached: float
    """Share of the pores that no path from the inlet leads to, however high the pressure."""
    breakthrough: float | None
    """Radius of the largest ball that comes from a single inlet face and touches the opposite one; None where none does,
    or inlets are several."""
    map: NDArray[Any] | None
    """At every voxel how large a ball covers it and gets there, as `map` asked for it."""
    unit: str
    """'um', 'mm' ...; 'units' of a spacing without one; '' where the voxel size is not known and radii are in voxels."""
    inlet: str
    border: str
    sigma: float
    theta: float

    @property
    def diameter(self) -> NDArray[numpy.float64]:
        """2 * radius."""
        return 2 * self.radius

    def __len__(self) -> int:
        return len(self.radius)

    def __repr__(self) -> str:
        unit = {"um": "µm", "": "voxels"}.get(self.unit, self.unit)
        through = "no breakthrough" if self.breakthrough is None else f"breakthrough {self.breakthrough:.4g} {unit}"
        return (
            f"<tamis.Porosimetry: {len(self)} radii from {self.inlet}, {through}, "
            f"{100 * self.never_reached:.4g} % never reached, {self.volume} voxels>"
        )

    def to_pandas(self) -> pandas.DataFrame:
        """The table: index size; columns radius, diameter, pressure, invaded, saturation."""
        try:
            import pandas
        except ImportError as error:
            raise ResourceError("to_pandas needs pandas: pip install pandas") from error
        pressure = float("nan") if self.pressure is None else self.pressure
        columns = {"radius": self.radius, "diameter": self.diameter, "pressure": pressure, "invaded": self.invaded,
                   "saturation": self.saturation}  # fmt: skip
        return pandas.DataFrame(columns, index=pandas.RangeIndex(len(self), name="size"))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws saturation against radius. Returns the axes; without `ax` of a new figure."""
        if ax is None:
            try:
                from matplotlib import pyplot
            except ImportError as error:
                raise ResourceError("plot needs matplotlib: pip install 'tamis[plot]'") from error
            ax = pyplot.figure(figsize=(7, 4), layout="constrained").add_subplot()
        unit = {"um": "µm", "": "voxels"}.get(self.unit, self.unit)
        ax.plot(self.radius, 100 * self.saturation, color=_LINE, linewidth=2)
        if self.breakthrough is not None:
            label = f"breakthrough: {self.breakthrough:.4g} {unit}"
            ax.axvline(self.breakthrough, color=_MARKED, linestyle=(0, (3, 3)), linewidth=1.4, label=label)
            ax.legend(frameon=False)
        ax.set_xlim(left=0)
        ax.set_ylim(0, 103)
        ax.set_xlabel(f"radius ({unit})")
        ax.set_ylabel("invaded (% of the pores)")
        ax.spines[["top", "right"]].set_visible(False)
        return ax


# The package shows it as its own, for pickle too.
Porosimetry.__module__ = "tamis"
