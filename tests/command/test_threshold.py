"""`tamis threshold` against scikit-image and, where that has no such method, against the definition."""

import json
import re

import numpy as np
import pytest
import skimage.filters

METHODS = ["otsu", "li", "kapur", "minimum", "triangle", "isodata", "mean"]
NAMES = {"uint8": "u8", "uint16": "u16", "int16": "i16", "float32": "f32"}


def two_populations(dtype, scale=1.0, offset=0.0, shape=(12, 50, 61)):
    random = np.random.default_rng(3)
    dark = random.normal(60, 12, shape)
    bright = random.normal(170, 20, shape)
    values = np.where(random.random(shape) < 0.35, bright, dark).clip(0, 255).round()
    return (values * scale + offset).astype(dtype)


IMAGES = {
    "u8": two_populations(np.uint8),
    "u16": two_populations(np.uint16, 3, 200),
    "i16": two_populations(np.int16, 2, -300),
    "f32": two_populations(np.float32, 0.01, -1),
    "u8_slice": two_populations(np.uint8, shape=(200, 130)),
}


def bins_of(image):
    """Counts and centres: a bin a value, or of floats those of docs/thresholds.md, where there are no outliers."""
    if image.dtype.kind != "f":
        lowest = int(image.min())
        counts = np.bincount((image.astype(np.int64) - lowest).ravel())
        return counts, np.arange(lowest, lowest + len(counts))
    samples = np.sort(image.astype(np.float64), axis=None)
    few = -(-samples.size // 1000)

    def bins_between(low, high, width):
        return np.floor(high / width) - np.floor(low / width) + 1

    width = 2.0**-40
    while bins_between(samples[0], samples[-1], width) > 65536:
        width *= 2
    while bins_between(samples[few], samples[-1 - few], 2 * width) >= 16383:
        width *= 2
    bins = np.floor(samples / width).astype(np.int64)
    counts = np.bincount(bins - bins[0])
    return counts, (np.arange(len(counts)) + bins[0] + 0.5) * width


def kapur(image):
    """Kapur, Sahoo and Wong 1985: the largest sum of the entropies of "up to t" and "above t"."""
    counts, centres = bins_of(image)
    counts, centres = counts[counts > 0], centres[counts > 0]

    def entropy(part):
        p = part[part > 0] / part.sum()
        return -(p * np.log(p)).sum()

    sums = [entropy(counts[: t + 1]) + entropy(counts[t + 1 :]) for t in range(len(counts) - 1)]
    return centres[int(np.flatnonzero(sums >= max(sums) - 1e-12)[0])]


def isodata(samples):
    """The first midpoint of the means of the two classes that it separates."""
    samples = np.sort(samples, axis=None)
    for t in np.unique(samples)[:-1]:
        dark, bright = samples[samples <= t], samples[samples > t]
        middle = (dark.mean() + bright.mean()) / 2
        if t <= middle < bright[0]:
            return middle
    return None


def triangle(counts, centres):
    """The bin of the longer tail that lies farthest below the line from the peak to the tail's end."""
    top, last = int(counts.argmax()), len(counts) - 1
    length, end, step = (last - top, last, -1) if top < last - top else (top, 0, 1)
    i = np.arange(length)
    distance = counts[top] * i - length * counts[end + step * i]
    return centres[end + step * int(distance.argmax())]


def minimum(counts, centres):
    """Of groups of bins, 512 at most."""
    together = 1
    while len(counts) > 512 * together:
        together *= 2
    groups = np.add.reduceat(counts, np.arange(0, len(counts), together))
    middle = centres[0] + (centres[1] - centres[0]) * (together * np.arange(len(groups)) + (together - 1) / 2)
    return skimage.filters.threshold_minimum(hist=(groups, middle))


def expected(image, method):
    """scikit-image's, of floats for their samples, or where it has only 256 bins, by definition for those of tamis."""
    if method == "kapur":
        return float(kapur(image))
    if image.dtype.kind != "f":
        return float(getattr(skimage.filters, f"threshold_{method}")(image))
    samples = image.astype(np.float64)
    if method == "otsu":
        values, counts = np.unique(samples, return_counts=True)
        return float(skimage.filters.threshold_otsu(hist=(counts, values)))
    if method in ("minimum", "triangle"):
        return float({"minimum": minimum, "triangle": triangle}[method](*bins_of(image)))
    return float(isodata(samples) if method == "isodata" else getattr(skimage.filters, f"threshold_{method}")(samples))


def save_raw(folder, image):
    size = "x".join(str(n) for n in reversed(image.shape))
    path = folder / f"image_{size}_{NAMES[str(image.dtype)]}.raw"
    image.tofile(path)
    return path


def binarise(tamis, folder, image, *flags):
    """Runs the program; returns its threshold line, its JSON and the image it wrote."""
    out, facts = folder / "out.npy", folder / "out.json"
    result = tamis("threshold", save_raw(folder, image), out, "--json", facts, *flags)
    line = re.search(r"^threshold (\S+) \((.+)\)$", result.stdout, re.MULTILINE)
    assert line, result.stdout
    return line, json.loads(facts.read_text()), np.load(out)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", IMAGES)
def test_a_method_chooses_the_value_of_scikit_image(tamis, tmp_path, kind, method):
    image = IMAGES[kind]
    wanted = expected(image, method)
    line, facts, binary = binarise(tamis, tmp_path, image, "--method", method)
    got = facts["threshold"]
    assert line[2] == facts["method"] == method
    assert float(line[1]) == pytest.approx(got, rel=1e-9)
    # There li stops at half of the smallest step between samples, here where no sample changes sides.
    float_li = image.dtype.kind == "f" and method == "li"
    assert got == pytest.approx(wanted, rel=1e-9, abs=0.005 if float_li else 1e-12)
    assert binary.dtype == np.uint8
    assert np.array_equal(binary, np.where(image > got, 255, 0))


def test_a_fixed_value_is_exclusive_and_compared_exactly(tamis, tmp_path):
    image = IMAGES["u8"]
    for value in (-3, 0, 59.5, 60, 255, 300.5):
        _, facts, binary = binarise(tamis, tmp_path, image, f"--value={value}")
        assert facts["threshold"] == value
        assert np.array_equal(binary > 0, image > value)


def test_a_band_excludes_its_lower_end_and_includes_its_upper_one(tamis, tmp_path):
    image = IMAGES["i16"]
    _, facts, binary = binarise(tamis, tmp_path, image, "--band=-200:40")
    assert (facts["threshold"], facts["high"]) == (-200, 40)
    assert np.array_equal(binary > 0, (image > -200) & (image <= 40))


def test_the_dark_phase_is_the_rest(tamis, tmp_path):
    image = IMAGES["u16"]
    _, facts, binary = binarise(tamis, tmp_path, image, "--method", "otsu", "--phase", "dark")
    assert np.array_equal(binary > 0, image <= facts["threshold"])
    assert facts["volume"] == np.count_nonzero(binary)


def test_only_the_cylinder_counts(tamis, tmp_path):
    image = two_populations(np.uint8, shape=(6, 40, 40))
    y, x = np.ogrid[:40, :40]
    inside = (2 * x - 39) ** 2 + (2 * y - 39) ** 2 <= 40**2
    image[:, ~inside] = 255
    _, facts, binary = binarise(tamis, tmp_path, image, "--method", "otsu", "--roi", "cylinder")
    assert facts["threshold"] == skimage.filters.threshold_otsu(image[:, inside])
    assert np.array_equal(binary > 0, (image > facts["threshold"]) & inside)
    assert facts["domain_volume"] == 6 * np.count_nonzero(inside)


@pytest.mark.parametrize("method", METHODS)
def test_a_constant_image_has_no_threshold(tamis, tmp_path, method):
    path, out = save_raw(tmp_path, np.full((3, 4, 5), 17, np.uint8)), tmp_path / "out.npy"
    result = tamis("threshold", path, out, "--method", method, check=False)
    assert result.returncode == 2
    assert "constant image (all samples are 17)" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not out.exists()


@pytest.mark.parametrize("flags", [["--method", "otsu"], ["--value", "1"]])
def test_nan_is_refused_with_its_position(tamis, tmp_path, flags):
    image = IMAGES["f32"].copy()
    image[3, 2, 1] = np.nan
    result = tamis("threshold", save_raw(tmp_path, image), "out.npy", *flags, check=False)
    assert result.returncode == 2
    assert "NaN at x 1, y 2, z 3" in result.stderr


def test_an_unknown_method_is_answered_with_the_known_ones(tamis, tmp_path):
    result = tamis("threshold", save_raw(tmp_path, IMAGES["u8"]), "out.npy", "--method", "otto", check=False)
    assert result.returncode == 2
    assert all(method in result.stderr for method in METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_a_real_volume_gets_the_value_of_scikit_image(tamis, data, tmp_path, method):
    path = data / "volumes" / "quanfima_polymer_fibres_128x128x128_u8.raw"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    image = np.fromfile(path, np.uint8).reshape(128, 128, 128)
    _, facts, _ = binarise(tamis, tmp_path, image, "--method", method)
    assert facts["threshold"] == pytest.approx(expected(image, method), rel=1e-9)
