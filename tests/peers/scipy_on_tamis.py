"""A plugin of pytest: SciPy's own tests of ndimage, whose functions are those of tamis where tamis has them.

SciPy's tests call `ndimage.grey_erosion` and so on; here these are shims that say the same in the words of tamis. What
SciPy refuses it refuses itself, as its tests look for its words: each shim asks the function that it stands for first.
What tamis does not offer is one table, of functions, keywords and types; a test that asks for a row of it is skipped.
"""

import collections
import copy
import functools
import inspect
import json
import os

import numpy
import pytest
from scipy import ndimage
from scipy._lib._array_api import xp_capabilities_table

import tamis

# Whatever function of ndimage is no shim below is SciPy's own.
NOT_OFFERED = {
    "types": "samples that are complex, or floats of 16 or more than 64 bits",
    "values": "integers that float32 does not have, and doubles beyond its range",
    "axes": "arrays without axes, with more than three, or empty",
    "empty": "elements without a True, which all places fit",
    "structure": "structure= with heights, elements that are not flat",
    "mode": "mode= of its own for each axis",
    "cval": "cval= that is no value of the samples' type",
    "mask": "mask= of erosions and dilations of bits, which a step leaves as it is",
    "iterations": "iterations= below 1, until nothing changes",
    "connectivity": "structure= of propagations and holes other than those of faces or of all neighbours, and origin=",
    "indices": "return_indices= and indices= of distances",
    "background": "distances where there is no background",
}

TYPES = {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"}
MODES = {"reflect": "reflect", "grid-mirror": "reflect", "mirror": "mirror", "nearest": "nearest", "wrap": "wrap",
         "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant"}
CALLED = collections.Counter()  # tests, by how often they have called tamis


def not_offered(row):
    pytest.skip(f"not offered: {NOT_OFFERED[row]}")


def image_of(samples):
    """An array that tamis takes; a line is an image of one row."""
    array = numpy.asarray(samples)
    if array.dtype.name not in TYPES:
        not_offered("types")
    if array.ndim not in (1, 2, 3) or array.size == 0:
        not_offered("axes")
    with numpy.errstate(over="ignore"):
        floats = array.astype("f4")
    if (floats.astype("f8") != array).any() if array.dtype.kind in "iu" else (numpy.isinf(floats) & ~numpy.isinf(array)).any():
        not_offered("values")
    return array[None] if array.ndim == 1 else array


def border_of(mode, cval, dtype):
    if not isinstance(mode, str):
        if len(set(mode)) != 1:
            not_offered("mode")
        mode = mode[0]
    if MODES[mode] != "constant":
        return MODES[mode]
    if dtype.kind != "f" and (dtype.type(cval) != cval):
        not_offered("cval")
    return f"constant:{float(cval)!r}"


def each(value, axes):
    return [value] * len(axes) if numpy.ndim(value) == 0 else list(value)


def axes_of(samples, axes):
    rank = numpy.ndim(samples)
    return list(range(rank)) if axes is None else [axis % rank for axis in numpy.atleast_1d(axes)]


def element_of(samples, mask, origins, axes):
    """SciPy's origin is counted from the middle. The axes of a mask are in their order, whatever that of `axes` is."""
    rank = numpy.ndim(samples)
    mask = numpy.asarray(mask) != 0
    if not mask.any():
        not_offered("empty")
    mask = numpy.expand_dims(mask, [axis for axis in range(rank) if axis not in axes])
    origin = [n // 2 + o for n, o in zip(mask.shape, origins)]
    return tamis.element(mask[None], [0, *origin]) if rank == 1 else tamis.element(mask, origin)


def along(samples, values, axes, other):
    """A value for each axis of the array, `other` for those that are left out."""
    by_axis = dict(zip(axes, each(values, axes)))
    return [by_axis.get(axis, other) for axis in range(numpy.ndim(samples))]


def flat_element(samples, size, footprint, structure, origin, axes):
    axes = axes_of(samples, axes)
    if structure is not None and numpy.any(structure):
        not_offered("structure")
    if footprint is None and structure is None:
        shape = along(samples, size, axes, 1)
        return element_of(samples, numpy.ones(shape, bool), along(samples, origin, axes, 0), range(len(shape)))
    footprint = numpy.ones(numpy.shape(structure), bool) if footprint is None else footprint
    return masked_element(samples, footprint, origin, axes)


def masked_element(samples, mask, origin, axes):
    origins = along(samples, origin, axes, 0) if len(axes) < numpy.ndim(samples) else each(origin, axes)
    return element_of(samples, mask, origins, axes)


def bits_element(samples, structure, origin, axes):
    axes = axes_of(samples, axes)
    structure = ndimage.generate_binary_structure(len(axes), 1) if structure is None else structure
    return masked_element(samples, structure, origin, axes)


def given(result, samples, output, dtype=None):
    """A result in the shape and the type that SciPy gives it."""
    result = result.reshape(numpy.shape(samples))
    if isinstance(output, numpy.ndarray):
        output[...] = result.astype(output.dtype)
        return output
    return result.astype(dtype or numpy.asarray(samples).dtype if output is None else output)


def run(operation, image, *arguments, **keywords):
    """In doubles where the image is of doubles."""
    if image.dtype == numpy.float64:
        keywords["out"] = numpy.empty(image.shape)
    return getattr(tamis, operation)(image, *arguments, **keywords)


def grey(operation):
    def shim(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
        image = image_of(input)
        element = flat_element(input, size, footprint, structure, origin, axes)
        return given(run(operation, image, element, border=border_of(mode, cval, image.dtype)), input, output)

    return shim


def extreme(operation):
    def shim(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
        image = image_of(input)
        element = flat_element(input, size, footprint, None, origin, axes)
        element = element.reflected() if operation == "dilate" else element
        return given(run(operation, image, element, border=border_of(mode, cval, image.dtype)), input, output)

    return shim


def extreme_along(operation):
    def shim(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
        return extreme(operation)(input, size, None, output, mode, cval, origin, axes=axis)

    return shim


def rank_shim(share):
    """`share(own, samples)`: the rank among so many samples, from the argument that the function has."""

    def shim(own, input, size, footprint, output, mode, cval, origin, axes):
        image = image_of(input)
        element = flat_element(input, size, footprint, None, origin, axes)
        samples = len(element.offsets())
        percentile = 100 * (share(own, samples) + 0.5) / samples
        border = border_of(mode, cval, image.dtype)
        return given(run("median", image, element=element, percentile=percentile, border=border), input, output)

    return shim


def median(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return rank_shim(lambda own, samples: samples // 2)(None, input, size, footprint, output, mode, cval, origin, axes)


def rank(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return rank_shim(lambda own, samples: own % samples)(rank, input, size, footprint, output, mode, cval, origin, axes)


def percentile(input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    own = percentile + 100 if percentile < 0 else percentile
    share = rank_shim(lambda own, samples: min(samples - 1, int(samples * own / 100)))
    return share(own, input, size, footprint, output, mode, cval, origin, axes)


def bits(operation):
    def shim(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, axes=None, **_):
        if mask is not None:
            not_offered("mask")
        if iterations < 1:
            not_offered("iterations")
        image = image_of(numpy.asarray(input) != 0)
        element = bits_element(input, structure, origin, axes)
        border = f"constant:{int(bool(border_value))}"
        return given(run(operation, image, element, iterations=int(iterations), border=border), input, output, bool)

    return shim


def hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0, origin2=None, *, axes=None):
    image = image_of(numpy.asarray(input) != 0)
    rank = len(axes_of(input, axes))
    structure1 = ndimage.generate_binary_structure(rank, 1) if structure1 is None else structure1
    structure2 = ~(numpy.asarray(structure1) != 0) if structure2 is None else structure2
    hit = bits_element(input, structure1, origin1, axes)
    miss = bits_element(input, structure2, origin1 if origin2 is None else origin2, axes)
    return given(tamis.hitmiss(image, hit, miss, border="constant:0"), input, output, bool)


def connectivity_of(samples, structure, origin, axes):
    rank = numpy.ndim(samples)
    for word, neighbours in (("face", 1), ("full", rank)):
        same = ndimage.generate_binary_structure(rank, neighbours)
        if (structure is None and word == "face") or numpy.array_equal(numpy.asarray(structure) != 0, same):
            if not numpy.any(origin) and (axes is None or len(axes_of(samples, axes)) == rank):
                return word
    not_offered("connectivity")


def propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0, *, axes=None):
    connectivity = connectivity_of(input, structure, origin, axes)
    if border_value:
        not_offered("connectivity")
    seeds = image_of(numpy.asarray(input) != 0)
    allowed = numpy.ones_like(seeds) if mask is None else image_of(numpy.asarray(mask) != 0) | seeds
    return given(tamis.reconstruct(seeds, allowed, connectivity=connectivity), input, output, bool)


def fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    connectivity = connectivity_of(input, structure, origin, axes)
    image = image_of(numpy.asarray(input) != 0)
    inside = (slice(None),) if numpy.ndim(input) == 1 else ()
    inside += (slice(1, -1),) * numpy.ndim(input)
    width = [(0, 0)] * (image.ndim - numpy.ndim(input)) + [(1, 1)] * numpy.ndim(input)
    ground = numpy.pad(~image, width, constant_values=True)
    outside = numpy.pad(numpy.zeros_like(image), width, constant_values=True)
    return given(~tamis.reconstruct(outside, ground, connectivity=connectivity)[inside], input, output, bool)


def distance(input, sampling=None, return_distances=True, return_indices=False, distances=None, indices=None):
    if return_indices or not return_distances:
        not_offered("indices")
    object_ = image_of(numpy.asarray(input) != 0)
    if object_.all():
        not_offered("background")
    spacing = None
    if sampling is not None:
        spacing = [1.0] * (object_.ndim - numpy.ndim(input)) + each(float(sampling) if numpy.ndim(sampling) == 0 else sampling,
                                                                    range(numpy.ndim(input)))
    found = given(tamis.distance(object_, border="neutral", spacing=spacing), input, distances, numpy.float64)
    return found if distances is None else None


SHIMS = {
    **{f"grey_{name}": grey(operation) for name, operation in
       (("erosion", "erode"), ("dilation", "dilate"), ("opening", "open"), ("closing", "close"))},
    "morphological_gradient": grey("gradient"), "white_tophat": grey("tophat"), "black_tophat": grey("bothat"),
    "minimum_filter": extreme("erode"), "maximum_filter": extreme("dilate"),
    "minimum_filter1d": extreme_along("erode"), "maximum_filter1d": extreme_along("dilate"),
    "median_filter": median, "rank_filter": rank, "percentile_filter": percentile,
    **{f"binary_{name}": bits(operation) for name, operation in
       (("erosion", "erode"), ("dilation", "dilate"), ("opening", "open"), ("closing", "close"))},
    "binary_hit_or_miss": hit_or_miss, "binary_propagation": propagation, "binary_fill_holes": fill_holes,
    "distance_transform_edt": distance,
}  # fmt: skip


def standing_for(original, shim):
    """The shim behind the function's own signature, which refuses what SciPy refuses."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def function(*args, **keywords):
        original(*copy.deepcopy(args), **copy.deepcopy(keywords))
        asked = signature.bind(*args, **keywords)
        result = shim(**asked.arguments)
        CALLED[os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]] += 1
        return result

    return function


def pytest_configure(config):
    for name, shim in SHIMS.items():
        original = getattr(ndimage, name)
        function = standing_for(original, shim)
        setattr(ndimage, name, function)
        # For which libraries of arrays the tests are: tests look their functions up there.
        xp_capabilities_table[function] = xp_capabilities_table[original]
    config.stash[TOLD] = {"passed": 0, "failed": [], "not offered": collections.Counter(), "no call of tamis": 0}


TOLD = pytest.StashKey[dict]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    told = item.config.stash[TOLD]
    if report.failed:
        told["failed"].append(report.nodeid)
    elif report.skipped and "not offered: " in str(report.longrepr):
        told["not offered"][str(report.longrepr[2]).partition("not offered: ")[2]] += 1
    elif report.when == "call" and report.passed:
        told["passed" if CALLED[report.nodeid] else "no call of tamis"] += 1
    return report


def pytest_sessionfinish(session):
    if "TAMIS_TOLD" in os.environ:
        with open(os.environ["TAMIS_TOLD"], "w", encoding="utf-8") as file:
            json.dump(session.config.stash[TOLD], file)
