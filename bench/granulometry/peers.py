"""The peers, each as its users would write it: a loop of unit erosions and unit dilations, background outside."""

import numpy


def scipy_curve(volume):
    from scipy import ndimage

    cross = ndimage.generate_binary_structure(3, 1)
    eroded, curve = volume, []
    while True:
        opened = ndimage.binary_dilation(eroded, cross, iterations=len(curve)) if curve else eroded
        curve.append(int(numpy.count_nonzero(opened)))
        if curve[-1] == 0:
            return curve
        eroded = ndimage.binary_erosion(eroded, cross)


def diplib_curve(volume):
    try:
        import diplib
    except ImportError:
        return None
    eroded, curve = diplib.Image(volume), []
    while True:
        # Connectivity 1 is the cross; "background" is what lies outside.
        opened = diplib.BinaryDilation(eroded, 1, len(curve), "background") if curve else eroded
        curve.append(int(diplib.Count(opened)))
        if curve[-1] == 0:
            return curve
        eroded = diplib.BinaryErosion(eroded, 1, 1, "background")
