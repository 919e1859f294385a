"""tamis convert --resample against scipy.ndimage.map_coordinates, Pillow and the definition of cubic convolution."""

import numpy
import pytest
import tifffile
from PIL import Image
from scipy import ndimage

SIDES = {"2um": (2, 2, 2), "0.7um": (0.7,) * 3, "1x2x0.5um": (0.5, 2, 1), "3um": (3, 3, 3), "0.0013mm": (1.3,) * 3}
OLD = (3.0, 1.0, 1.5)  # z, y, x, in um


def noise(shape, dtype, seed=3):
    values = ndimage.gaussian_filter(numpy.random.default_rng(seed).normal(size=shape), 1.2)
    values = (values - values.min()) / numpy.ptp(values)
    if numpy.dtype(dtype).kind == "f":
        return (values * 2 - 0.7).astype(dtype)
    limits = numpy.iinfo(dtype)
    return (limits.min + values * (float(limits.max) - limits.min)).astype(dtype)


def written(tmp_path, array, spacing=OLD, unit="um"):
    numpy.save(tmp_path / "in.npy", array)
    return ["in.npy", "--spacing", "x".join(f"{side:g}" for side in reversed(spacing)) + unit]


def places(count, old, new):
    """Where the new samples lie, counted in old ones."""
    return (numpy.arange(max(1, int(numpy.floor(count * old / new + 0.5)))) + 0.5) * (new / old) - 0.5


def keys(distance):
    """Cubic convolution, a = -1/2 (Keys 1981)."""
    x, a = numpy.abs(distance), -0.5
    near = (a + 2) * x**3 - (a + 3) * x**2 + 1
    far = a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return numpy.where(x <= 1, near, numpy.where(x < 2, far, 0))


def by_definition(image, axes, kernel):
    """Weights of all samples within two of a place, beyond the ends the last sample."""
    result = image.astype(float)
    for axis, at in enumerate(axes):
        count = image.shape[axis]
        indices = numpy.floor(at).astype(int)[:, None] + numpy.arange(-2, 4)
        weights = kernel(at[:, None] - indices)
        matrix = numpy.zeros((len(at), count))
        numpy.add.at(matrix, (numpy.arange(len(at))[:, None], indices.clip(0, count - 1)), weights)
        result = numpy.moveaxis(numpy.tensordot(matrix, result, (1, axis)), 0, axis)
    return result


def as_type(values, dtype):
    if numpy.dtype(dtype).kind == "f":
        return values.astype(dtype)
    limits = numpy.iinfo(dtype)
    return numpy.clip(numpy.where(values < 0, -numpy.floor(0.5 - values), numpy.floor(values + 0.5)), limits.min, limits.max)


def agrees(found, wanted, dtype):
    """Equal, but for halves that another order of sums rounds another way."""
    if numpy.dtype(dtype).kind == "f":
        numpy.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
        return
    whole = as_type(wanted, dtype)
    half = numpy.abs(wanted - numpy.floor(wanted) - 0.5) < 1e-6
    assert half.mean() < 0.3
    numpy.testing.assert_array_equal(found[~half].astype(float), whole[~half])


@pytest.mark.parametrize("dtype", [numpy.uint8, numpy.uint16, numpy.int16, numpy.float32, numpy.int8, numpy.uint32,
                                   numpy.int32, numpy.float64])  # fmt: skip
@pytest.mark.parametrize("order, word", [(0, "nearest"), (1, "linear")])
def test_all_types_agree_with_map_coordinates(tamis, tmp_path, order, word, dtype):
    image = noise((9, 14, 11), dtype)
    tamis("convert", *written(tmp_path, image), "out.npy", "--resample", "0.7um", "--interpolation", word)
    axes = [places(count, old, 0.7) for count, old in zip(image.shape, OLD)]
    wanted = ndimage.map_coordinates(image.astype(float), numpy.meshgrid(*axes, indexing="ij"), order=order, mode="nearest")
    found = numpy.load(tmp_path / "out.npy")
    assert found.dtype == dtype
    agrees(found, wanted, dtype)


@pytest.mark.parametrize("size", SIDES)
@pytest.mark.parametrize("word", ["nearest", "linear", "cubic"])
def test_all_sides_agree_with_the_definition(tamis, tmp_path, size, word):
    image = noise((8, 13, 17), numpy.float32)
    told = tamis("convert", *written(tmp_path, image), "out.npy", "--resample", size, "--interpolation", word)
    axes = [places(count, old, new) for count, old, new in zip(image.shape, OLD, SIDES[size])]
    if word == "nearest":
        wanted = image[numpy.ix_(*(numpy.floor(at + 0.5).astype(int).clip(0, count - 1)
                                   for at, count in zip(axes, image.shape)))]  # fmt: skip
    else:
        kernel = keys if word == "cubic" else lambda distance: numpy.maximum(0, 1 - numpy.abs(distance))
        wanted = by_definition(image, axes, kernel)
        if word == "linear":
            scipy = ndimage.map_coordinates(image.astype(float), numpy.meshgrid(*axes, indexing="ij"), order=1, mode="nearest")
            numpy.testing.assert_allclose(wanted, scipy, atol=1e-12)
    numpy.testing.assert_allclose(numpy.load(tmp_path / "out.npy"), wanted, atol=1e-6)
    assert "x".join(map(str, reversed(wanted.shape))) in told.stdout


@pytest.mark.parametrize("order, word", [(0, "nearest"), (1, "linear")])
def test_whole_factors_are_those_of_zoom(tamis, tmp_path, order, word):
    image = noise((6, 7, 8), numpy.float32)
    tamis("convert", *written(tmp_path, image, (2, 2, 2)), "out.npy", "--resample", "0.5um", "--interpolation", word)
    zoomed = ndimage.zoom(image.astype(float), 4, order=order, mode="nearest", grid_mode=True)
    numpy.testing.assert_allclose(numpy.load(tmp_path / "out.npy"), zoomed, atol=1e-6)


@pytest.mark.parametrize("factor", [2, 3, 5])
def test_cubic_of_an_image_is_that_of_pillow(tamis, tmp_path, factor):
    """Away from the border, which Pillow treats in another way."""
    image = noise((20, 30), numpy.float32)
    tamis("convert", *written(tmp_path, image, (factor, factor)), "out.npy", "--resample", "1um", "--interpolation", "cubic")
    pillow = Image.fromarray(image).resize((30 * factor, 20 * factor), Image.Resampling.BICUBIC)
    inner = (slice(3 * factor, -3 * factor),) * 2
    numpy.testing.assert_allclose(numpy.load(tmp_path / "out.npy")[inner], numpy.asarray(pillow)[inner], atol=1e-5)


def test_whole_numbers_are_clamped_where_cubes_overshoot(tamis, tmp_path):
    image = numpy.zeros((4, 30), numpy.uint8)
    image[:, 15:] = 255
    tamis("convert", *written(tmp_path, image, (1, 1)), "out.npy", "--resample", "0.25um", "--interpolation", "cubic")
    found = numpy.load(tmp_path / "out.npy")
    axes = [places(count, 1, 0.25) for count in image.shape]
    agrees(found, by_definition(image, axes, keys), numpy.uint8)
    assert found.min() == 0 and found.max() == 255


def test_the_same_sides_change_nothing_and_nan_stays_where_it_is(tamis, tmp_path):
    image = noise((5, 6, 7), numpy.float32)
    image[2, 3, 4] = numpy.nan
    for word in ("nearest", "linear", "cubic"):
        tamis("convert", *written(tmp_path, image, (2, 2, 2)), "out.npy", "--resample", "0.002mm", "--interpolation", word)
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), image)


def test_bits_are_taken_from_the_nearest_voxel(tamis, refused, tmp_path):
    image = noise((6, 7, 8), numpy.float32) > 0.2
    tamis("convert", *written(tmp_path, image, (1, 1, 1)), "out.npy", "--resample", "0.4um")
    found = numpy.load(tmp_path / "out.npy")
    assert found.dtype == bool
    numpy.testing.assert_array_equal(found, ndimage.map_coordinates(image.astype(int), numpy.meshgrid(
        *(places(count, 1, 0.4) for count in image.shape), indexing="ij"), order=0, mode="nearest"))  # fmt: skip
    (tmp_path / "out.npy").unlink()
    refused("convert", *written(tmp_path, image), "out.npy", "--resample", "2um", "--interpolation", "linear",
            words=["in.npy: --interpolation linear: of bool samples; wanted nearest"])  # fmt: skip


def test_spacing_is_what_the_file_says_afterwards_and_granulometry_has_one_width(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    tamis("convert", source, "cubes.tif", "--spacing", "1x1x2um", "--resample", "1um")
    assert tifffile.imread(tmp_path / "cubes.tif").shape == (48, 30, 37)
    told = tamis("info", "cubes.tif").stdout
    assert "voxel size  1 µm" in told
    result = tamis("granulometry", "cubes.tif", "--threshold", "110")
    assert "anisotropic" not in result.stderr


def test_crops_windows_types_and_colours_go_with_it(tamis, tmp_path):
    image = noise((6, 12, 14), numpy.uint16)
    tamis("convert", *written(tmp_path, image, (1, 1, 1)), "out.npy", "--resample", "2um", "--crop", "2:14,0:12,1:6", "--as",
          "u8", "--window", "0:65535")  # fmt: skip
    part = image[1:, :, 2:]
    axes = [places(count, 1, 2) for count in part.shape]
    linear = by_definition(part, axes, lambda distance: numpy.maximum(0, 1 - numpy.abs(distance)))
    numpy.testing.assert_allclose(numpy.load(tmp_path / "out.npy"), numpy.floor(as_type(linear, numpy.uint16) / 257 + 0.5), atol=1)
    colour = numpy.stack([noise((9, 10), numpy.uint8, seed) for seed in range(3)], axis=-1)
    tifffile.imwrite(tmp_path / "colour.tif", colour, photometric="rgb")
    tamis("convert", "colour.tif", "large.tif", "--spacing", "1um", "--resample", "0.5um")
    large = tifffile.imread(tmp_path / "large.tif")
    for channel in range(3):
        agrees(large[..., channel], by_definition(colour[..., channel], [places(count, 1, 0.5) for count in (9, 10)],
                                                  lambda distance: numpy.maximum(0, 1 - numpy.abs(distance))), numpy.uint8)  # fmt: skip


@pytest.mark.parametrize("options, words", [
    (["--resample", "2um"], ["in.npy: resample: the voxel size is not known", "--spacing 2.5um"]),
    (["--resample", "2", "--spacing", "1um"], ["in.npy: resample: voxels in um cannot be made such in no unit"]),
    (["--resample", "2", "--spacing", "1"], ["in.npy: resample: the voxel size is not known"]),
    (["--resample", "-2um", "--spacing", "1um"], ["--resample -2um", "wanted a length"]),
    (["--interpolation", "linear"], ["--interpolation: wanted --resample"]),
    (["--resample", "1um", "--spacing", "1um", "--interpolation", "spline"], ["--interpolation spline", "wanted nearest, linear or cubic"]),
    (["--resample", "1e-9nm", "--spacing", "1e9m"], ["in.npy: resample: ", "samples along an axis"]),
])  # fmt: skip
def test_what_cannot_be_is_refused(refused, tmp_path, options, words):
    numpy.save(tmp_path / "in.npy", noise((4, 5, 6), numpy.uint8))
    refused("convert", "in.npy", "out.npy", *options, words=words)


def test_64_bit_numbers_are_not_interpolated(refused, tmp_path):
    numpy.save(tmp_path / "in.npy", numpy.full((4, 5, 6), 2**24 + 1))
    refused("convert", "in.npy", "out.npy", "--resample", "2um", "--spacing", "1um", words=["i64 samples that f32 cannot hold, 16777217"])


def test_a_volume_that_becomes_thin_keeps_a_slice(tamis, tmp_path):
    image = noise((3, 5, 6), numpy.uint8)
    tamis("convert", *written(tmp_path, image, (1, 1, 1)), "out.npy", "--resample", "1x1x100um", "--interpolation", "nearest")
    found = numpy.load(tmp_path / "out.npy")
    assert found.shape == (1, 5, 6)
    numpy.testing.assert_array_equal(found[0], image[2])
