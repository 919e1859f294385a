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


def cupy_curve(volume):
    """`volume` is a CuPy array. A careful user stops before dilating nothing."""
    import cupy
    from cupyx.scipy import ndimage

    cross = ndimage.generate_binary_structure(3, 1)
    eroded, curve = volume, []
    while True:
        opened = eroded
        if eroded.any():
            for _ in range(len(curve)):
                opened = ndimage.binary_dilation(opened, cross)
        curve.append(int(cupy.count_nonzero(opened)))
        if curve[-1] == 0:
            return curve
        eroded = ndimage.binary_erosion(eroded, cross)


def cupy_seconds_of_a_pass(volume, passes):
    """Seconds of an erosion and of a dilation, each the mean of so many, one after the other."""
    import time

    import cupy
    from cupyx.scipy import ndimage

    cross = ndimage.generate_binary_structure(3, 1)
    seconds = []
    for operation in (ndimage.binary_erosion, ndimage.binary_dilation):
        operation(volume, cross)  # compiles its kernel
        cupy.cuda.Device().synchronize()
        start, image = time.perf_counter(), volume
        for _ in range(passes):
            image = operation(image, cross)
        cupy.cuda.Device().synchronize()
        seconds.append((time.perf_counter() - start) / passes)
    return seconds
