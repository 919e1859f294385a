"""How thick an object is, in figures."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Thickness:
    """Mean, standard deviation and maximum over all voxels of an object of the largest ball inside it that covers them.

    Lengths are in `unit`, or voxels: radii R, diameters 2R (what BoneJ and Fiji call thickness), and widths 2R - 1
    shortest sides of a voxel, exact for slabs of odd width.
    """

    mean_radius: float
    std_radius: float
    largest_radius: float
    shortest_side: float
    """Of a voxel, in `unit` or voxels."""
    unit: str

    @property
    def mean_diameter(self) -> float:
        return 2 * self.mean_radius

    @property
    def std_diameter(self) -> float:
        """Also that of the width."""
        return 2 * self.std_radius

    @property
    def largest_diameter(self) -> float:
        return 2 * self.largest_radius

    @property
    def mean_width(self) -> float:
        return self.mean_diameter - self.shortest_side

    @property
    def std_width(self) -> float:
        return self.std_diameter

    @property
    def largest_width(self) -> float:
        return self.largest_diameter - self.shortest_side


# The package shows it as its own, for pickle too.
Thickness.__module__ = "tamis"
