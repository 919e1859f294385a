"""Granulometry of the program against SciPy: unit erosions, then unit dilations, for every size."""

import csv
import gzip

import numpy
import pytest
import tifffile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import ndimage

from scale_of_tests import examples


def structure(element, rank):
    unit = ndimage.generate_binary_structure(rank, 1 if element == "cross" else rank)
    if element == "square" and rank == 3:
        unit[[0, 2]] = False  # slice by slice
    return unit


def openings(image, element, border, domain=None, max_size=None):
    """Volumes after the openings 0, 1, 2 ... and the size map."""
    unit = structure(element, image.ndim)
    inside = numpy.ones_like(image) if domain is None else domain
    neutral = border == "neutral"
    eroded, volumes, size_map = image & inside, [], numpy.zeros(image.shape, int)
    while True:
        opened = eroded
        for _ in range(len(volumes)):
            opened = ndimage.binary_dilation(opened, unit) & inside
        volumes.append(int(opened.sum()))
        size_map += opened
        if volumes[-1] == 0 or len(volumes) - 1 == max_size:
            return volumes, size_map
        surrounded = eroded | ~inside if neutral else eroded
        following = ndimage.binary_erosion(surrounded, unit, border_value=neutral) & inside
        if max_size is None and (following == eroded).all():
            return volumes, size_map
        eroded = following


def disk(shape):
    """The field of view of a tomograph: samples whose centre is within half the short edge of the middle."""
    y, x = numpy.ogrid[: shape[-2], : shape[-1]]
    return (2 * y - shape[-2] + 1) ** 2 + (2 * x - shape[-1] + 1) ** 2 <= min(shape[-2:]) ** 2


def compare(tamis, folder, image, *options, domain=None, element="cross", border="background", max_size=None):
    """Runs the program on a boolean array and compares curve and size map with SciPy's."""
    name = f"in_{'x'.join(map(str, reversed(image.shape)))}_u8.raw"
    (image.astype(numpy.uint8) * 255).tofile(folder / name)
    command = ["granulometry", name, "--threshold", "127", "--element", element, "--border", border]
    command += ["--csv", "out.csv", "--map", "map.tif", *options]
    if max_size is not None:
        command += ["--max-size", max_size]
    tamis(*command, cwd=folder)
    with open(folder / "out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    volumes, size_map = openings(image, element, border, domain, max_size)
    assert [int(row["volume"]) for row in rows] == volumes
    assert [int(row["size"]) for row in rows] == list(range(len(volumes)))
    assert sum(int(row["spectrum"]) for row in rows) == volumes[0]
    numpy.testing.assert_array_equal(tifffile.imread(folder / "map.tif").reshape(image.shape), size_map)


def blobs(shape, seed, fraction=0.6):
    """Smooth noise, cut so that the given fraction is object: many sizes, no symmetry."""
    noise = ndimage.gaussian_filter(numpy.random.default_rng(seed).normal(size=shape), 2.5)
    return noise > numpy.quantile(noise, 1 - fraction)


@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("element", ["cross", "cube", "square"])
def test_volumes_agree_with_scipy(tamis, tmp_path, element, border):
    compare(tamis, tmp_path, blobs((37, 50, 71), 1), element=element, border=border)


@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("element", ["cross", "square"])
def test_images_agree_with_scipy(tamis, tmp_path, element, border):
    compare(tamis, tmp_path, blobs((90, 133), 2), element=element, border=border)


@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("element", ["cross", "cube"])
def test_a_cylinder_agrees_with_scipy(tamis, tmp_path, element, border):
    image = blobs((30, 60, 64), 3, 0.8)
    domain = numpy.broadcast_to(disk(image.shape), image.shape)
    compare(tamis, tmp_path, image & domain, "--roi", "cylinder", domain=domain, element=element, border=border)


@pytest.mark.parametrize("border", ["background", "neutral"])
def test_a_mask_agrees_with_scipy(tamis, tmp_path, border):
    image, domain = blobs((30, 60, 64), 3, 0.8), blobs((30, 60, 64), 4, 0.7)
    tifffile.imwrite(tmp_path / "mask.tif", domain.astype(numpy.uint8), photometric="minisblack")
    compare(tamis, tmp_path, image & domain, "--roi", "mask.tif", domain=domain, border=border)


def test_a_size_limit_agrees_with_scipy(tamis, tmp_path):
    compare(tamis, tmp_path, blobs((30, 40, 50), 5, 0.9), max_size=3)


@pytest.mark.parametrize("simd", ["avx512", "avx2", "portable"])
def test_every_instruction_set_agrees_with_scipy(tamis, tmp_path, simd):
    probe = tamis("granulometry", "--help", check=False)
    assert simd in probe.stdout
    if simd != "portable" and f" {simd}" not in open("/proc/cpuinfo").read().replace("avx512f", "avx512"):
        pytest.skip(f"this machine has no {simd}")
    compare(tamis, tmp_path, blobs((20, 40, 150), 6), "--simd", simd)


def test_slabs_under_a_memory_limit_agree_with_the_whole(tamis, tmp_path):
    """A raw volume of 32 MiB, for which 67 MiB would be wanted, under a limit of 40 MiB."""
    tamis("phantom", "foam", "foam.raw", "--size", "256x256x512", "--max-radius", "12", cwd=tmp_path)
    given_shape = ["--shape", "256x256x512", "--dtype", "u8"]
    curves = []
    for name, limit in (("whole", []), ("slabs", ["--memory", "40M"])):
        tamis("granulometry", "foam.raw", *given_shape, "--csv", f"{name}.csv", "--map", f"{name}.tif", *limit, cwd=tmp_path)
        curves.append((tmp_path / f"{name}.csv").read_text())
    assert curves[0] == curves[1]
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "whole.tif"), tifffile.imread(tmp_path / "slabs.tif"))


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_arbitrary_volumes_agree_with_scipy(tamis, tmp_path, data):
    shape = data.draw(st.tuples(st.integers(1, 12), st.integers(1, 12), st.integers(1, 140)), label="shape")
    density = data.draw(st.sampled_from([0.0, 0.5, 0.95, 1.0]), label="density")
    border = data.draw(st.sampled_from(["background", "neutral"]), label="border")
    element = data.draw(st.sampled_from(["cross", "cube"]), label="element")
    seed = data.draw(st.integers(0, 2**32 - 1), label="seed")
    image = numpy.random.default_rng(seed).random(shape) < density
    compare(tamis, tmp_path, image, element=element, border=border)


def real_volume(data, name):
    path = data / "volumes" / name
    if path.suffix == ".tif":
        return tifffile.imread(path)
    side = int(name.split("_")[-2].split("x")[0])
    samples = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return numpy.frombuffer(samples, numpy.uint8).reshape(side, side, side)


@pytest.mark.parametrize(("name", "threshold", "dark"), [
    ("berea_400x400x400_u8.raw.gz", 127, True),
    ("trabecular_bone_lhdl_200x200x200_u8.raw.gz", 63, False),
    ("qim3d_bone_128x128x128.tif", 100, False),
    ("qim3d_cement_128x128x128.tif", 55, True),
    ("quanfima_polymer_fibres_128x128x128_u8.raw", 100, False),
])
@pytest.mark.parametrize("border", ["background", "neutral"])
def test_real_volumes_agree_with_scipy(tamis, tmp_path, data, name, threshold, dark, border):
    grey = real_volume(data, name)[:128, :128, :128]
    image = grey <= threshold if dark else grey > threshold
    compare(tamis, tmp_path, image, border=border)


def test_the_octahedra_phantom_has_its_known_spectrum(tamis, tmp_path):
    import json

    tamis("phantom", "octahedra", "o.tif", "--size", "120x100x90", "--max-radius", "8", "--json", "known.json", cwd=tmp_path)
    tamis("granulometry", "o.tif", "--csv", "o.csv", cwd=tmp_path)
    known = json.loads((tmp_path / "known.json").read_text())["spectrum"]
    with open(tmp_path / "o.csv", newline="") as file:
        spectrum = [int(row["spectrum"]) for row in csv.DictReader(file)]
    known = [entry["spectrum"] if isinstance(entry, dict) else entry for entry in known]
    assert spectrum[: len(known)] == known[: len(spectrum)]
    assert sum(spectrum) == sum(known)
