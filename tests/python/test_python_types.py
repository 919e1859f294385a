"""Samples of every type: float64 is rounded to float32, integers go as float32 where that has them all, and what is chosen
among them comes back in their type."""

import numpy
import pytest
import scipy.ndimage

import tamis

INTEGERS = ["int8", "uint32", "int32", "uint64", "int64"]
WIDE = [*INTEGERS, "float64"]
NEW_VALUES = {"gradient", "tophat", "bothat", "hitmiss"}  # differences
PAGE = 100 * ((numpy.mgrid[:120, :160][0] + numpy.tan(numpy.radians(3)) * numpy.mgrid[:120, :160][1]) % 24 < 8)


def noise(shape, seed=0):
    """Whole numbers that every type has."""
    return numpy.random.default_rng(seed).integers(0, 128, shape)


# A call of every operation that takes an image.
CALLS = {
    "granulometry": lambda a: tamis.granulometry(a, 60).curve,
    "size_map": lambda a: tamis.size_map(a, 60),
    "thickness": lambda a: tamis.thickness(a, 60, element="disk"),
    "porosimetry": lambda a: tamis.porosimetry(a, 60, inlet="y-").invaded,
    "distance": lambda a: tamis.distance(a, 60),
    "threshold": lambda a: tamis.threshold(a, 60),
    "threshold_value": lambda a: tamis.threshold_value(a, "mean"),
    "convert": lambda a: tamis.convert(a, "u8"),
    "resample": lambda a: tamis.resample(a, "2um", spacing="1um", interpolation="nearest"),
    "erode": lambda a, **more: tamis.erode(a, "square:3", **more),
    "dilate": lambda a, **more: tamis.dilate(a, "disk:2", **more),
    "open": lambda a, **more: tamis.open(a, "rect:2x3", **more),
    "close": lambda a, **more: tamis.close(a, "cross:1", **more),
    "gradient": lambda a, **more: tamis.gradient(a, "square:3", **more),
    "tophat": lambda a, **more: tamis.tophat(a, "square:3", **more),
    "bothat": lambda a, **more: tamis.bothat(a, "square:3", **more),
    "hitmiss": lambda a, **more: tamis.hitmiss(a, "cross:1", "circle:2", **more),
    "asf": lambda a, **more: tamis.asf(a, "disk:2", **more),
    "reconstruct": lambda a, **more: tamis.reconstruct(numpy.minimum(a, numpy.roll(a, 1, 1)), a, **more),
    "median": lambda a, **more: tamis.median(a, 3, **more),
    "smooth": lambda a, **more: tamis.smooth(a, 5, **more),
    "remove_outliers": lambda a, **more: tamis.remove_outliers(a, 3, threshold=20, **more),
    "orientation": lambda a: tamis.orientation(a, 7, angles=12).enhanced,
    "deskew": lambda a: tamis.deskew(numpy.asarray(PAGE, a.dtype), 5),
    "skew": lambda a: tamis.skew(numpy.asarray(PAGE, a.dtype), 5).angle,
    "rotate": lambda a: tamis.rotate(a, 30),
}
FILTERS = {name: call for name, call in CALLS.items() if name in tamis._native._filters}


def test_every_operation_is_here():
    assert set(CALLS) == {of["name"] for of in tamis.operations()["operations"] if of["takes"]}
    assert set(FILTERS) == set(tamis._native._filters)
    assert {of["name"] for of in tamis.operations()["operations"] if of["gives_new_values"]} == NEW_VALUES


def test_volumes_and_stacks_are_taken():
    volume = noise((6, 7, 8))
    for dtype in WIDE:
        for more in ({}, {"batch": True}):
            found = tamis.median(volume.astype(dtype), 3, **more)
            numpy.testing.assert_array_equal(found, tamis.median(volume.astype("u1"), 3, **more))


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("name", CALLS)
def test_what_comes_is_that_of_float32(name, dtype):
    image = noise((20, 30))
    found, wanted = CALLS[name](image.astype(dtype)), CALLS[name](image.astype("float32"))
    numpy.testing.assert_array_equal(found, wanted)
    if name in FILTERS or name == "orientation":
        kept = dtype != "float64" and name not in NEW_VALUES
        assert found.dtype == (dtype if kept else "float32")
        assert found.flags.writeable and found.dtype.isnative


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", FILTERS)
def test_integers_give_what_16_bits_give(name, dtype):
    signed = dtype.startswith("int")
    image = noise((20, 30), 1) - (60 if signed else 0)
    narrow = image.astype("int16" if signed else "uint16")
    numpy.testing.assert_array_equal(CALLS[name](image.astype(dtype)), CALLS[name](narrow))


@pytest.mark.parametrize("name", sorted(set(FILTERS) - NEW_VALUES - {"reconstruct"}))
def test_float64_is_the_exact_result_rounded(name):
    image = numpy.random.default_rng(3).normal(0, 1e3, (20, 30))
    exact = {  # of those that SciPy has
        "erode": lambda: scipy.ndimage.minimum_filter(image, 3), "median": lambda: scipy.ndimage.median_filter(image, 3),
        "dilate": lambda: scipy.ndimage.maximum_filter(image, footprint=tamis.disk(2).mask()),
    }
    found = FILTERS[name](image, border="reflect")
    assert found.dtype == "float32"
    numpy.testing.assert_array_equal(found, FILTERS[name](image.astype("float32"), border="reflect"))
    if name in exact:
        numpy.testing.assert_array_equal(found, exact[name]().astype("float32"))


@pytest.mark.parametrize("name", FILTERS)
def test_out_takes_the_doubles_of_doubles(name):
    image = noise((20, 30), 4).astype("float64")
    wanted = FILTERS[name](image)
    for out in (numpy.empty((20, 30)), numpy.empty((20, 30), "float32"), numpy.empty((30, 20)).T, numpy.empty((20, 60))[:, ::-2],
                numpy.empty((20, 30), ">f8")):
        assert FILTERS[name](image, out=out) is out
        numpy.testing.assert_array_equal(out, wanted)
    with pytest.raises(tamis.InputError, match="out: got shape .* of float64; wanted .* of float32"):
        FILTERS[name](image.astype("float32"), out=numpy.empty((20, 30)))
    with pytest.raises(tamis.InputError, match="out: got shape .* of int64; wanted .* of float32"):
        FILTERS[name](image, out=numpy.empty((20, 30), "int64"))


def test_out_may_be_the_image_and_is_left_alone_where_something_is_wrong():
    for dtype in WIDE:
        image = noise((9, 9), 5).astype(dtype)
        wanted = tamis.median(image, 3)
        assert tamis.median(image, 3, out=image) is image
        numpy.testing.assert_array_equal(image, wanted)
    image = noise((9, 9), 5).astype("float64")
    image[4, 4] = 1e39
    out = numpy.full((9, 9), 7.0)
    with pytest.raises(tamis.InputError, match="f64"):
        tamis.median(image, 3, out=out)
    assert (out == 7).all()


@pytest.mark.parametrize(("dtype", "value"), [
    ("float64", 1e39), ("float64", -1e300), ("float64", 3.4028235677973366e38),  # the first that rounds to infinity
    ("int32", 2**24 + 1), ("int32", -(2**31) + 1), ("uint32", 2**32 - 1), ("int64", 2**24 + 1), ("int64", 2**53 + 1),
    ("int64", 2**63 - 1), ("uint64", 2**64 - 1), ("uint64", 2**63 + 1),
])  # fmt: skip
@pytest.mark.parametrize("name", FILTERS)
def test_what_float32_cannot_hold_is_refused_with_its_place(name, dtype, value):
    image = noise((6, 9)).astype(dtype)
    image[3, 4] = value
    call = (lambda a: tamis.reconstruct(a, a)) if name == "reconstruct" else FILTERS[name]
    with pytest.raises(tamis.InputError, match=r"samples that f32 cannot hold, .* at y 3, x 4; wanted as_type='f32' or "
                                               r"tamis\.convert\(\w+, 'f32'\), which round") as caught:
        call(image)
    assert "\n" not in str(caught.value) and str(caught.value).startswith(("image: ", "marker: ", "mask: "))
    with pytest.raises(tamis.InputError, match="at z 1, y 3, x 4;"):
        call(numpy.stack([noise((6, 9)).astype(dtype), image]))


@pytest.mark.parametrize(("dtype", "values"), [
    ("int32", [2**24, -(2**24), 2**24 + 2, -(2**31), 2**30]), ("uint32", [2**32 - 256, 2**31]),
    ("int64", [2**53, -(2**63), 2**62, 2**63 - 2**39]), ("uint64", [2**63, 2**64 - 2**40, 2**53]),
    ("float64", [numpy.inf, -numpy.inf, 1e-300, 3.4028235e38, 0.1, -0.0]),
])  # fmt: skip
def test_what_float32_has_comes_through(dtype, values):
    image = numpy.array([values], dtype)
    found = tamis.erode(image, "square:1")
    numpy.testing.assert_array_equal(found, image.astype("float32") if dtype == "float64" else image)
    assert (numpy.signbit(found) == numpy.signbit(image)).all()
    numpy.testing.assert_array_equal(tamis.median(image, element="square:1", out=numpy.empty_like(image)), found)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_where_nothing_is_seen_there_is_the_bound_of_the_type(dtype):
    bounds = numpy.iinfo(dtype)
    away = tamis.element([[1]], origin=(0, -9))
    image = noise((4, 5)).astype(dtype)
    assert (tamis.erode(image, away) == bounds.max).all()
    assert (tamis.dilate(image, away) == bounds.min).all()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_constants_of_borders_are_values_of_the_type(dtype):
    bounds = numpy.iinfo(dtype)
    image = noise((6, 7)).astype(dtype)
    held = [0, 100, *([-1, -128] if bounds.min < 0 else []), *([2**31, 2**24 + 2] if bounds.max > 2**32 else [])]
    for value in held:
        wanted = scipy.ndimage.grey_erosion(image, 3, mode="constant", cval=value)
        numpy.testing.assert_array_equal(tamis.erode(image, "square:3", border=f"constant:{value}"), wanted)
        wanted = scipy.ndimage.median_filter(image, 3, mode="constant", cval=value)
        numpy.testing.assert_array_equal(tamis.median(image, 3, border=f"constant:{value}"), wanted)
    for value in (0.5, 1.001 * bounds.min - 1, float(bounds.max) + 1, 2**24 + 1):
        for call in (tamis.erode, tamis.median):
            with pytest.raises(tamis.InputError, match="border constant:.*; wanted a value that the type has"):
                call(image, border=f"constant:{value}")


def test_constants_of_borders_of_doubles_are_rounded():
    image = noise((6, 7)).astype("float64")
    found = tamis.erode(-image, "square:3", border="constant:0.1")
    numpy.testing.assert_array_equal(tamis.dilate(-image, "square:3", border="constant:0.1")[0], numpy.full(7, 0.1, "float32"))
    numpy.testing.assert_array_equal(found, tamis.erode(-image.astype("float32"), "square:3", border="constant:0.1"))
    with pytest.raises(tamis.InputError, match="border constant:1e.39"):
        tamis.erode(image, border="constant:1e39")


@pytest.mark.parametrize("dtype", WIDE)
def test_nan_and_masks_are_what_they_are_of_float32(dtype):
    image = noise((12, 13)).astype(dtype)
    mask = noise((12, 13), 8) > 40
    for call in (lambda a: tamis.median(a, 3, nan="ignore"), lambda a: tamis.open(a, "disk:2", mask=mask),
                 lambda a: tamis.tophat(a, "disk:2", mask=mask)):  # fmt: skip
        numpy.testing.assert_array_equal(call(image), call(image.astype("float32")))
    if dtype == "float64":
        image[2, 3] = numpy.nan
        with pytest.raises(tamis.InputError, match="holds NaN"):
            tamis.median(image, 3)
        numpy.testing.assert_array_equal(tamis.erode(image, "square:1", nan="ignore"), image.astype("float32"))


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("view", [lambda a: a[::2, ::-3], lambda a: a.T, lambda a: a.astype(a.dtype.newbyteorder(">")),
                                  numpy.asfortranarray, lambda a: numpy.broadcast_to(a[:1], (9, 30))])
def test_any_view_is_taken(dtype, view):
    image = view(noise((20, 30)).astype(dtype))
    found = tamis.close(image, "square:3")
    numpy.testing.assert_array_equal(found, tamis.close(numpy.ascontiguousarray(image).astype("float32"), "square:3"))
    assert found.dtype == ("float32" if dtype == "float64" else dtype)


@pytest.mark.parametrize("dtype", WIDE)
def test_channels_are_of_one_type(dtype):
    colours = noise((20, 30, 3)).astype(dtype)
    result = "float32" if dtype == "float64" else dtype
    found = tamis.median(colours, 3, channel_axis=-1)
    assert found.dtype == result
    numpy.testing.assert_array_equal(found, tamis.median(colours.astype("u1"), 3, channel_axis=-1))
    assert tamis.gradient(colours, "square:3", channel_axis=-1).dtype == "float32"
    out = numpy.empty(colours.shape, dtype)
    assert tamis.median(colours, 3, channel_axis=-1, out=out) is out
    numpy.testing.assert_array_equal(out, found)


def test_images_of_one_call_have_one_type():
    small, wide = noise((6, 7)).astype("u1"), noise((6, 7)).astype("i8")
    with pytest.raises(tamis.InputError, match="reconstruct of u8 and i64 images; wanted one type"):
        tamis.reconstruct(small, wide)
    with pytest.raises(tamis.InputError, match="reconstruct of f32 and i64 images; wanted one type"):
        tamis.reconstruct(small.astype("f4"), wide)
    numpy.testing.assert_array_equal(tamis.reconstruct(small.astype("f4"), small.astype("f8")), small)


@pytest.mark.parametrize("dtype", WIDE)
def test_grey_values_and_lines_are_measured(dtype):
    image = noise((20, 30)).astype(dtype)
    for keywords in ({"grey": True}, {"grey": True, "element": "line@30"}):
        found, wanted = tamis.granulometry(image, **keywords), tamis.granulometry(image.astype("float32"), **keywords)
        assert found == wanted
    contrast = tamis.orientation(image, 7, angles=12).contrast
    numpy.testing.assert_array_equal(contrast, tamis.orientation(image.astype("float32"), 7, angles=12).contrast)
    assert contrast.dtype == "float32"


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_64_bits_are_interpolated_as_float32(dtype):
    image = noise((5, 6, 7)).astype(dtype)
    found = tamis.resample(image, "2um", spacing="1um", interpolation="cubic")
    assert found.dtype == "float32"
    numpy.testing.assert_array_equal(found, tamis.resample(image.astype("float32"), "2um", spacing="1um", interpolation="cubic"))
