"""Porosimetry from Python against the definition in NumPy, and against the program."""

import csv
import pickle

import numpy
import pytest
import tamis as package
from scipy import ndimage
from test_ball_granulometry import painted
from test_distance import blobs
from test_porosimetry import access, open_squares


def invasion(image, inlet):
    """The definition: squares of the radii that get in."""
    faces = numpy.zeros(image.shape, bool)
    faces[0] = True
    if inlet == "all":
        faces[-1] = faces[:, [0, -1]] = faces[:, :, [0, -1]] = True
    return painted(image, access(open_squares(image, inlet), faces))


@pytest.mark.parametrize("inlet", ["z-", "all"])
def test_curve_and_map_are_those_of_the_definition(inlet):
    image = blobs((18, 22, 25), 7, 0.5)
    radius = numpy.sqrt(invasion(image, inlet))
    found = package.porosimetry(image, inlet=inlet, spacing="2um", map="radius")
    numpy.testing.assert_allclose(found.map, 2 * radius, rtol=1e-6)
    numpy.testing.assert_array_equal(found.invaded, [(radius > n).sum() for n in range(len(found))])
    numpy.testing.assert_allclose(found.saturation, found.invaded / image.sum())
    numpy.testing.assert_array_equal(found.radius, 2.0 * numpy.arange(len(found)))
    numpy.testing.assert_array_equal(found.diameter, 2 * found.radius)
    assert found.volume == image.sum()
    assert found.never_reached == pytest.approx(1 - (radius > 0).sum() / image.sum())
    widest = radius[-1].max() if inlet == "z-" else 0
    assert found.breakthrough == (pytest.approx(2 * widest) if widest > 0 else None)
    assert found.pressure[0] == numpy.inf
    assert found.pressure[1] == pytest.approx(2 * 0.48 * 0.7660444 / 2e-6, rel=1e-6)
    assert (found.unit, found.inlet, found.border) == ("um", inlet, "background")


def test_all_maps_and_out():
    image = blobs((9, 14, 20), 3, 0.5)
    radius = numpy.sqrt(invasion(image, "z-"))
    there = radius > 0
    sizes = numpy.ceil(radius - 1e-9)
    for measure, expected in [("size", sizes), ("radius", radius), ("diameter", 2 * radius),
                              ("width", numpy.where(there, 2 * radius - 1, 0))]:  # fmt: skip
        found = package.porosimetry(image, map=measure).map
        assert found.dtype == (numpy.uint8 if measure == "size" else numpy.float32)
        numpy.testing.assert_allclose(found, expected, rtol=1e-6)
    out = numpy.empty(image.shape, numpy.float32)[:, ::-1]
    assert package.porosimetry(image, map="radius", out=out).map is out
    numpy.testing.assert_allclose(out, radius, rtol=1e-6)
    assert package.porosimetry(image).map is None


def test_it_is_what_the_program_finds(tamis, tmp_path):
    grey = (100 * blobs((16, 30, 35), 5) + numpy.random.default_rng(0).integers(0, 40, (16, 30, 35))).astype("uint8")
    numpy.save(tmp_path / "in.npy", grey)
    keywords = {"inlet": "y-,x+", "border": "neutral", "phase": "dark", "crop": "3:33,0:30,1:16"}
    options = [word for name, value in keywords.items() for word in (f"--{name}", value)]
    tamis("porosimetry", "in.npy", "--threshold", "70", *options, "--sigma", "0.072", "--theta", "120", "--spacing",
          "3um", "--csv", "out.csv", "--map", "t.npy", "--map-radius", "r.npy")  # fmt: skip
    found = package.porosimetry(grey, 70, sigma=0.072, theta=120, spacing=3, unit="um", map="radius", **keywords)
    numpy.testing.assert_array_equal(found.map, numpy.load(tmp_path / "r.npy"))
    sizes = package.porosimetry(grey, 70, spacing=3, unit="um", map="size", **keywords).map
    numpy.testing.assert_array_equal(sizes, numpy.load(tmp_path / "t.npy"))
    with open(tmp_path / "out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for column, name in (("radius [um]", "radius"), ("diameter [um]", "diameter"), ("invaded",) * 2, ("saturation",) * 2):
        numpy.testing.assert_allclose([float(row[column]) for row in rows], getattr(found, name))
    numpy.testing.assert_allclose([float(row["pressure [Pa]"]) for row in rows[1:]], found.pressure[1:], rtol=1e-7)


def test_masks_and_regions():
    image = blobs((9, 20, 22), 4, 0.6)
    inlet = numpy.zeros(image.shape, bool)
    inlet[4, 8:12, 8:12] = True
    inside = numpy.ones(image.shape[1:], bool)
    inside[:, 15:] = False
    found = package.porosimetry(image, inlet=inlet, roi=inside, map="radius")
    padded = numpy.pad(image & inside, 1)
    squares = numpy.rint(ndimage.distance_transform_edt(padded)[1:-1, 1:-1, 1:-1] ** 2).astype(int)
    radius = numpy.sqrt(painted(image & inside, access(squares, inlet)))
    numpy.testing.assert_allclose(found.map, radius, rtol=1e-6)
    assert (found.inlet, found.breakthrough, found.volume) == ("mask", None, (image & inside).sum())
    slice_mask = package.porosimetry(image, inlet=inlet[4])
    assert slice_mask.invaded[0] >= found.invaded[0]
    whole = package.porosimetry(image, inlet="all", convention="porespy", border="neutral", map="radius").map
    assert set(numpy.unique(whole)) <= set(range(30))
    for wrong, words in [(inlet[:3], "inlet: .*wanted 22x20x9"), (~inlet & inlet, "inlet: .*0 everywhere"),
                         ("mask.tif", "inlet='mask.tif': wanted z-.*or an array")]:  # fmt: skip
        with pytest.raises(package.InputError, match=words):
            package.porosimetry(image, inlet=wrong)


def test_images_and_unknown_voxel_sizes():
    image = blobs((40, 50), 6)
    found = package.porosimetry(image, inlet="x-", map="size")
    assert found.map.shape == image.shape
    assert found.pressure is None
    assert found.unit == ""
    assert "voxels" in repr(found)


def test_results_are_kept_drawn_and_tabled():
    found = package.porosimetry(blobs((9, 14, 20), 3), spacing="1um")
    again = pickle.loads(pickle.dumps(found))
    numpy.testing.assert_array_equal(again.invaded, found.invaded)
    assert type(found).__module__ == "tamis"
    pytest.importorskip("matplotlib").use("agg")
    upper, lower = found.plot().figure.axes[:2]
    assert upper.get_ylabel() == "share of the pores (%)" and lower.get_xlabel() == "radius r (µm)"
    pytest.importorskip("pandas")
    assert list(found.to_pandas().columns) == ["radius", "diameter", "pressure", "invaded", "saturation"]


def test_what_cannot_be_is_refused():
    image = blobs((6, 20, 20), 5)
    for keywords, words in [
        ({"inlet": "top"}, "inlet='top': wanted z-, z\\+"),
        ({"map": "volume"}, "map='volume': wanted size, radius, width or diameter"),
        ({"out": numpy.empty(image.shape, numpy.float32)}, "out: there is no map"),
        ({"spacing": (1e9, 1e-2, 1e-2), "unit": "um"}, "ratio of whole numbers"),
        ({"theta": 20}, "theta=20: wanted"),
    ]:
        with pytest.raises((package.InputError, package.ResourceError), match=words):
            package.porosimetry(image, **keywords)
    with pytest.raises(package.InputError, match="inlet z- of an image, which has no z"):
        package.porosimetry(image[0], inlet="z-")


def test_an_image_has_four_faces_and_the_first_is_its_top():
    image = blobs((25, 40), 5)
    numpy.testing.assert_array_equal(
        package.porosimetry(image, inlet="all").invaded, package.porosimetry(image, inlet="y-,y+,x-,x+").invaded)
    found = package.porosimetry(image)
    numpy.testing.assert_array_equal(found.invaded, package.porosimetry(image, inlet="y-").invaded)
    assert found.inlet == "y-" and package.porosimetry(blobs((6, 20, 20), 5)).inlet == "z-"
    assert package.porosimetry(image, inlet="all").inlet == "y-,y+,x-,x+"
