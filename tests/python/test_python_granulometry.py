"""tamis.granulometry and tamis.size_map against SciPy."""

import numpy
import pytest
import tamis
from hypothesis import given, settings
from hypothesis import strategies as st
from scale_of_tests import examples
from test_granulometry import blobs, disk, openings, real_volume


def compare(image, mask=None, *, element="cross", border="background", max_size=None, domain=None, **options):
    """Curve and map of `image`, whose object is `mask`, against SciPy's loop."""
    mask = image if mask is None else mask
    options = dict(element=element, border=border, max_size=max_size, **options)
    curve, size_map = openings(mask, str(element).partition(":")[0], border, domain, max_size)
    sizes = tamis.granulometry(image, **options)
    numpy.testing.assert_array_equal(sizes.curve, curve)
    numpy.testing.assert_array_equal(tamis.size_map(image, **options), size_map)
    assert sizes.spectrum.sum() == curve[0]
    return sizes


@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("element", ["cross", "cube", "square"])
def test_volumes_agree_with_scipy(element, border):
    sizes = compare(blobs((27, 40, 71), 1), element=element, border=border)
    assert (sizes.element, sizes.border, sizes.device) == (element, border, "cpu")


@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("element", ["cross", "square"])
def test_images_agree_with_scipy(element, border):
    compare(blobs((90, 133), 2), element=element, border=border)


@pytest.mark.parametrize("options", [{"threads": 1}, {"simd": "portable"}, {"simd": "avx2"}, {"memory": "40M"},
                                     {"device": "cpu"}, {"progress": lambda *_: None}])
def test_how_it_runs_makes_no_difference(options):
    if options.get("simd") == "avx2" and " avx2" not in open("/proc/cpuinfo").read():
        pytest.skip("this machine has no AVX2")
    image = tamis.phantom("foam", (96, 128, 200), max_radius=12)
    assert tamis.granulometry(image, **options) == tamis.granulometry(image)
    numpy.testing.assert_array_equal(tamis.size_map(image, **options), tamis.size_map(image))


@pytest.mark.parametrize("border", ["background", "neutral"])
def test_a_cylinder_agrees_with_scipy(border):
    image = blobs((20, 60, 64), 3, 0.8)
    domain = numpy.broadcast_to(disk(image.shape), image.shape)
    compare(image, image & domain, roi="cylinder", domain=domain, border=border)


@pytest.mark.parametrize("border", ["background", "neutral"])
def test_a_mask_is_an_array_of_any_type(border):
    image, domain = blobs((20, 60, 64), 3, 0.8), blobs((20, 60, 64), 4, 0.7)
    for mask in (domain, domain.astype(numpy.float32) * 0.5, domain.astype(">i4")[::-1][::-1]):
        compare(image, image & domain, roi=mask, domain=domain, border=border)
    of_all = numpy.broadcast_to(domain[7], image.shape)
    compare(image, image & of_all, roi=domain[7], domain=of_all, border=border)


def test_a_crop_is_a_slice_but_keeps_the_cylinder_of_the_whole():
    image = blobs((20, 60, 64), 3, 0.8)
    part = numpy.s_[3:17, 10:50, 5:60]
    compare(image, image[part], crop="5:60,10:50,3:17")
    domain = numpy.broadcast_to(disk(image.shape), image.shape)
    compare(image, (image & domain)[part], crop="5:60,10:50,3:17", roi="cylinder", domain=domain[part])
    compare(image, (image & domain)[part], crop="5:60,10:50,3:17", roi=domain, domain=domain[part])
    compare(image, (image & domain)[part], crop="5:60,10:50,3:17", roi=domain[part], domain=domain[part])


def test_the_dark_phase_is_the_rest_of_the_region():
    image, domain = blobs((20, 40, 64), 3, 0.5), blobs((20, 40, 64), 4, 0.9)
    compare(image, ~image, phase="dark")
    compare(image, ~image & domain, phase="dark", roi=domain, domain=domain)


@pytest.mark.parametrize(("threshold", "object_of"), [
    (100, lambda grey: grey > 100),
    (numpy.float32(99.5), lambda grey: grey > 99.5),
    ((60, 120), lambda grey: (grey > 60) & (grey <= 120)),
    ("60:120", lambda grey: (grey > 60) & (grey <= 120)),
    ("otsu", lambda grey: grey > tamis.threshold_value(grey, "otsu")),
])
def test_a_threshold_makes_the_object(balls, threshold, object_of):
    compare(balls, object_of(balls), threshold=threshold)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int32", "uint64", "float32", "float64"])
def test_two_values_need_no_threshold(dtype):
    image = blobs((20, 30, 40), 5)
    for low, high in ((0, 1), (0, 100), (3, 7)):
        compare(numpy.where(image, high, low).astype(dtype), image)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint32"])
def test_a_mask_of_zeros_and_ones_may_have_only_one_of_them(dtype):
    assert tamis.granulometry(numpy.zeros((4, 5), dtype)).curve.tolist() == [0]
    ones = tamis.granulometry(numpy.ones((4, 5), dtype))
    assert ones.curve.tolist() == tamis.granulometry(numpy.ones((4, 5), bool)).curve.tolist()
    with pytest.raises(tamis.InputError, match="only one value"):
        tamis.granulometry(numpy.full((4, 5), 2, dtype))


def test_grey_values_without_a_threshold_are_refused_with_the_cure(balls):
    with pytest.raises(tamis.InputError, match="more than two values.*threshold=V"):
        tamis.granulometry(balls)


@pytest.mark.parametrize("element", ["cube:3", numpy.ones((3, 3, 3), bool), numpy.ones((3, 3, 3))])
def test_elements_are_texts_or_arrays(element):
    image = blobs((20, 30, 40), 5)
    assert tamis.granulometry(image, element=element) == tamis.granulometry(image, element="cube")


def test_arrays_are_told_apart():
    from scipy.ndimage import generate_binary_structure as structure

    volume, image = blobs((10, 20, 30), 5), blobs((20, 30), 6)
    one_slice = numpy.zeros((3, 3, 3), bool)
    one_slice[1] = True
    for array, element in ((structure(3, 1), "cross"), (structure(2, 2), "square"), (one_slice, "square")):
        assert tamis.granulometry(volume, element=array).element == element
    for array, element in ((structure(2, 1), "cross"), (structure(2, 2), "square")):
        assert tamis.granulometry(image, element=array).element == element
    for refused, of in ((structure(2, 1), volume), (structure(3, 1), image), (structure(3, 2), volume),
                        (numpy.ones((5, 5)), image), ("disk:3", image), (tamis.cross(2), image)):
        with pytest.raises(tamis.InputError, match="element.*wanted"):
            tamis.granulometry(of, element=refused)


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_arbitrary_arrays_agree_with_scipy(data):
    shape = data.draw(st.one_of(st.tuples(st.integers(1, 12), st.integers(1, 12), st.integers(1, 140)),
                                st.tuples(st.integers(1, 40), st.integers(1, 140))))
    density = data.draw(st.sampled_from([0.0, 0.5, 0.95, 1.0]))
    border = data.draw(st.sampled_from(["background", "neutral"]))
    element = data.draw(st.sampled_from(["cross", "square"] + ["cube"] * (len(shape) == 3)))
    # What never erodes ends at its first size here, and goes on to the last in SciPy's loop.
    max_size = data.draw(st.sampled_from([None, 0, 1, 3])) if border == "background" else None
    image = numpy.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).random(shape) < density
    compare(image, element=element, border=border, max_size=max_size)


@pytest.mark.parametrize(("name", "threshold", "phase"), [
    ("berea_400x400x400_u8.raw.gz", 127, "dark"),
    ("qim3d_bone_128x128x128.tif", 100, "bright"),
    ("qim3d_cement_128x128x128.tif", 55, "dark"),
])
def test_real_volumes_agree_with_scipy(data, name, threshold, phase):
    grey = real_volume(data, name)[:100, :100, :100]
    mask = grey <= threshold if phase == "dark" else grey > threshold
    compare(grey, mask, threshold=threshold, phase=phase)


def test_the_octahedra_have_their_known_spectrum():
    image, known = tamis.phantom("octahedra", "90x100x120", max_radius=8, return_spectrum=True)
    assert image.shape == (120, 100, 90)
    spectrum = tamis.granulometry(image).spectrum
    numpy.testing.assert_array_equal(spectrum[: len(known)], known[: len(spectrum)])
    assert spectrum.sum() == known.sum() == image.sum()


def test_widths_are_two_sizes_plus_one_in_units():
    image = blobs((20, 30, 40), 5)
    sizes = tamis.size_map(image).astype(float)
    expected = numpy.where(sizes > 0, (2 * (sizes - 1) + 1) * 2.5, 0).astype(numpy.float32)
    for spacing in ({"spacing": "2.5um"}, {"spacing": 2.5, "unit": "um"}, {"spacing": (2.5, 2.5, 2.5), "unit": "mm"}):
        widths = tamis.size_map(image, widths=True, **spacing)
        assert widths.dtype == numpy.float32
        numpy.testing.assert_array_equal(widths, expected)
    with pytest.raises(tamis.InputError, match="anisotropic"):
        tamis.size_map(image, widths=True, spacing="1x1x2um")


def test_many_sizes_make_a_wide_map():
    image = numpy.zeros((1, 700, 700), bool)
    image[0, 5:695, 5:695] = True
    sizes = tamis.size_map(image, element="square")
    assert sizes.dtype == numpy.uint16
    assert sizes.max() == 345
    with pytest.raises(tamis.InputError, match="out: u8 cannot hold all sizes; wanted u16"):
        tamis.size_map(image, element="square", out=numpy.empty(image.shape, numpy.uint8))


@pytest.mark.parametrize("dtype", [numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64])
def test_a_size_map_goes_where_it_is_wanted(dtype):
    image = blobs((20, 30, 40), 5)
    whole = numpy.full((40, 30, 20, 2), 99, dtype)
    out = whole[..., 1].transpose(2, 1, 0)
    assert tamis.size_map(image, out=out) is out
    numpy.testing.assert_array_equal(out, tamis.size_map(image))
    assert (whole[..., 0] == 99).all()


@pytest.mark.parametrize(("options", "words"), [
    ({"max_size": -1}, "max_size=-1: wanted a whole number from 0 to 65534"),
    ({"border": "open"}, "border='open': wanted background or neutral"),
    ({"phase": "grey"}, "phase='grey': wanted bright or dark"),
    ({"device": "gpu"}, "device='gpu': wanted auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all"),
    ({"threads": -1}, "threads=-1: wanted 0"),
    ({"memory": "4 apples"}, "memory='4 apples': wanted a size such as 4G"),
    ({"simd": "sse"}, "simd='sse': wanted best"),
    ({"spacing": "2.5 furlong"}, "wanted a length .* with its unit"),
    ({"spacing": -2.5}, "wanted a length .* with its unit .* or a ratio"),
    ({"spacing": (1, 2), "unit": "um"}, "wanted one length, or one for each of the 3 axes"),
    ({"unit": "um"}, "without spacing"),
    ({"roi": "sphere"}, "roi='sphere': wanted 'cylinder' or an array"),
    ({"roi": numpy.ones((3, 3), bool)}, "the mask is 3x3"),
    ({"crop": "0:9"}, "crop='0:9': wanted x0:x1"),
    ({"crop": "0:9,0:9,0:99"}, "crop='0:9,0:9,0:99'"),
    ({"threshold": "otto"}, "threshold='otto': wanted a number, LO:HI or one of otsu"),
    ({"threshold": (1, 2, 3)}, "wanted a number, \\(LO, HI\\)"),
    ({"progress": 3}, "progress=3: wanted True"),
])
def test_a_bad_parameter_is_named_with_what_was_wanted(options, words):
    with pytest.raises(tamis.InputError, match=words) as caught:
        tamis.granulometry(blobs((10, 20, 30), 1), **options)
    assert "\n" not in str(caught.value)
    assert "--" not in str(caught.value)


def test_a_cube_needs_a_volume():
    with pytest.raises(tamis.InputError, match="cube on a 2-D image"):
        tamis.granulometry(numpy.ones((5, 5), bool), element="cube")


def test_a_gpu_that_is_not_there_is_the_machines_fault():
    if any(device["device"] == "cuda:0" and device["usable"] for device in tamis.devices()):
        pytest.skip("there is a GPU")
    for call in (tamis.granulometry, tamis.size_map, tamis.threshold, tamis.threshold_value):
        with pytest.raises(tamis.ResourceError, match="device cuda: .*wanted a GPU that tamis can use, auto or cpu"):
            call(blobs((10, 20), 1).astype(float), device="cuda")


def test_too_little_memory_is_the_machines_fault():
    with pytest.raises(tamis.ResourceError, match="memory"):
        tamis.granulometry(tamis.phantom("foam", 128), memory=1 << 20)


def test_a_call_has_one_phase():
    image = numpy.eye(9, dtype=bool)
    for call in (tamis.granulometry, tamis.size_map, tamis.thickness):
        with pytest.raises(tamis.InputError, match="phase='both': wanted bright or dark"):
            call(image, phase="both")
    assert tamis.granulometry(image, phase="dark").curve[0] == 72
