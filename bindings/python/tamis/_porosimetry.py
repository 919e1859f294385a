"""What a fluid that does not wet has invaded: curve, map, picture."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy

from ._drawing import BAR, LINE, MARKED, PORES, needed, pyplot, unit_name

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from numpy.typing import NDArray


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
    pores: NDArray[numpy.int64] | None
    """Voxels of the pores whose own balls have a radius above n shortest sides, entry 0 all of them; None unless `pores` asked."""
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
        unit = unit_name(self.unit)
        through = "no breakthrough" if self.breakthrough is None else f"breakthrough {self.breakthrough:.4g} {unit}"
        return (
            f"<tamis.Porosimetry: {len(self)} radii from {self.inlet}, {through}, "
            f"{100 * self.never_reached:.4g} % never reached, {self.volume} voxels>"
        )

    def to_pandas(self) -> pandas.DataFrame:
        """The table: index size; columns radius, diameter, pressure, invaded, saturation."""
        pandas = needed("pandas", "to_pandas needs pandas: pip install pandas")
        pressure = float("nan") if self.pressure is None else self.pressure
        columns = {"radius": self.radius, "diameter": self.diameter, "pressure": pressure, "invaded": self.invaded,
                   "saturation": self.saturation}  # fmt: skip
        return pandas.DataFrame(columns, index=pandas.RangeIndex(len(self), name="size"))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws what is invaded against the radius as `tamis porosimetry --plot` does, and with `pores` what the pores hold by
        their own sizes. Returns the axes; without `ax` of a new figure, whose lower axes have the spectra."""
        below = None
        if ax is None:
            ax, below = pyplot().figure(figsize=(7, 7), layout="constrained").subplots(2, sharex=True)
        unit = unit_name(self.unit)
        curves = [(self.invaded, LINE, f"invaded by balls above r; {100 * self.never_reached:.2f} % never", "radius at which a pore is invaded")]
        if self.pores is not None:
            curves.insert(0, (self.pores, PORES, "pores of radii above r", "radius of the pore itself"))
        side = float(self.radius[1]) if len(self) > 1 else 1.0
        for voxels, colour, label, spectrum in curves:
            percent = 100 * numpy.append(voxels, 0) / max(self.volume, 1)
            radius = side * numpy.arange(len(percent))
            ax.plot(radius[:-1], percent[:-1], color=colour, linewidth=2, label=label)
            if below is not None:
                filled = colour == LINE
                below.stairs(percent[:-1] - percent[1:], radius, color=BAR if filled else colour, fill=filled, linewidth=2,
                             zorder=1 if filled else 2, label=spectrum)  # fmt: skip
        if self.breakthrough is not None:
            label = f"breakthrough {self.breakthrough:.4g} {unit}"
            ax.axvline(self.breakthrough, color=MARKED, linestyle=(0, (3, 3)), linewidth=1.4, label=label)
        above = ax.secondary_xaxis("top", functions=(lambda r: numpy.multiply(2.0, r), lambda d: numpy.multiply(0.5, d)))
        above.set_xlabel(f"diameter 2r ({unit})")
        ax.set_xlim(left=0)
        ax.set_ylim(0, 103)
        ax.set_ylabel("share of the pores (%)")
        (ax if below is None else below).set_xlabel(f"radius r ({unit})")
        for axes in (ax, below):
            if axes is not None:
                axes.legend(frameon=False)
                axes.spines[["top", "right"]].set_visible(False)
        if below is not None:
            below.set_ylabel("spectrum (% of the pores)")
        return ax


# The package shows it as its own, for pickle too.
Porosimetry.__module__ = "tamis"
