"""What pictures and plots look like: which plane they show, how large their letters are, on which pages they are read."""

import re
import xml.etree.ElementTree as xml

import imageio.v3 as imageio
import numpy
import pytest
import tifffile

PANEL_WANTED, PANEL_MOST = 600, 900  # pixels


def letter_of(panel):
    """Height of the letters of a picture with panels of this shape, in pixels."""
    return max(14, max(panel) / 30)


def panels_of(path, shape, aspect=1):
    """The two panels of a picture of a plane: an array for each, a pixel a voxel. `aspect` is a voxel's height over its
    width."""
    picture = imageio.imread(path)[..., :3]
    sides = numpy.array([shape[0] * max(aspect, 1), shape[1] * max(1 / aspect, 1)])
    scale = PANEL_MOST / sides.max() if sides.max() > PANEL_MOST else max(1, PANEL_WANTED // sides.max())
    height, width = numpy.rint(sides * scale).astype(int)
    letter = letter_of((height, width))
    top, first = round(3.1 * letter), round(1.5 * letter)
    second = first + max(width, round(13 * letter)) + round(1.8 * letter)
    rows = top + ((numpy.arange(shape[0]) + 0.5) * height / shape[0]).astype(int)
    columns = ((numpy.arange(shape[1]) + 0.5) * width / shape[1]).astype(int)
    return [picture[numpy.ix_(rows, left + columns)].astype(int) for left in (first, second)]


PLANES = {"z": lambda volume, n: volume[n], "y": lambda volume, n: volume[:, n], "x": lambda volume, n: volume[:, :, n]}


@pytest.mark.parametrize("element", ["cross", "ball"])
@pytest.mark.parametrize("axis, index", [("z", 5), ("z", None), ("y", 20), ("y", None), ("x", 9), ("x", None)])
def test_a_picture_shows_the_plane_that_is_asked_for(tamis, volume, balls, tmp_path, axis, index, element):
    image = balls > 110
    source = volume("balls.tif", image.astype(numpy.uint8) * 255)
    options = ["--plane", axis] + ([] if index is None else ["--slice", index])
    tamis("granulometry", source, "--element", element, "--picture", "out.png", "--map", "map.npy", *options)
    count = dict(zip("zyx", balls.shape))[axis]
    wanted = PLANES[axis](image, count // 2 if index is None else index)
    grey, sizes = panels_of(tmp_path / "out.png", wanted.shape)
    numpy.testing.assert_array_equal(grey.max(-1) > 127, wanted)
    # Pale grey is the background, colours are the object: one colour for each size.
    coloured = numpy.ptp(sizes, axis=-1) > 20
    numpy.testing.assert_array_equal(coloured, wanted)
    plane = PLANES[axis](numpy.load(tmp_path / "map.npy"), count // 2 if index is None else index)
    of_size = [{tuple(colour) for colour in sizes[plane == n]} for n in numpy.unique(plane[plane > 0])]
    assert all(len(colours) == 1 for colours in of_size)
    assert len(set.union(*of_size)) == len(of_size)


def test_grey_values_that_are_mapped_from_the_file_are_those_of_the_plane(tamis, balls, tmp_path):
    image = (balls > 110).astype(numpy.uint8) * 255
    image.tofile(tmp_path / "balls_37x30x24_u8.raw")
    tamis("granulometry", "balls_37x30x24_u8.raw", "--picture", "out.png", "--plane", "x", "--slice", "12", "--crop",
          "2:37,0:30,1:24")  # fmt: skip
    wanted = image[1:, :, 2:][:, :, 12] > 0
    numpy.testing.assert_array_equal(panels_of(tmp_path / "out.png", wanted.shape)[0].max(-1) > 127, wanted)


def test_anisotropic_voxels_are_drawn_with_their_sides(tamis, volume, balls, tmp_path):
    image = balls > 110
    tamis("granulometry", volume("balls.tif", image.astype(numpy.uint8) * 255), "--spacing", "2x2x5um", "--plane", "y",
          "--slice", "8", "--picture", "out.png")  # fmt: skip
    grey, _ = panels_of(tmp_path / "out.png", (24, 37), aspect=2.5)
    numpy.testing.assert_array_equal(grey.max(-1) > 127, image[:, 8])


@pytest.mark.parametrize("options, words", [
    (["--plane", "w"], ["--plane w", "wanted x, y or z"]),
    (["--slice", "24"], ["--slice 24: wanted 0 to 23"]),
    (["--slice", "30", "--plane", "y"], ["--slice 30: wanted 0 to 29"]),
    (["--slice", "-1"], ["--slice -1", "from 0 on"]),
    (["--slice", "two"], ["--slice two", "from 0 on"]),
])  # fmt: skip
def test_planes_that_are_not_there_are_refused(refused, volume, balls, options, words):
    refused("granulometry", volume("balls.tif", balls), "--threshold", "110", "--picture", "o.png", *options, words=words)


def test_a_plane_without_a_picture_and_one_of_an_image_are_refused(refused, volume, balls):
    source = volume("balls.tif", balls)
    refused("granulometry", source, "--threshold", "110", "--plane", "x", words=["--plane x", "wanted --picture"])
    refused("granulometry", source, "--threshold", "110", "--slice", "3", words=["--slice", "wanted --picture"])
    refused("granulometry", volume("flat.tif", balls[0]), "--threshold", "60", "--picture", "o.png", "--plane", "y",
            words=["--plane y", "2-D"])  # fmt: skip
    refused("orientation", source, "--length", "9", "--slice", "3", words=["--slice", "wanted --picture"])
    refused("orientation", source, "--length", "9", "--slice", "24", "--picture", "o.png", words=["--slice 24"])


def test_orientations_of_any_slice_are_drawn(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    tamis("orientation", source, "--length", "9", "--picture", "five.png", "--slice", "5")
    tamis("orientation", source, "--length", "9", "--picture", "alone.png", "--crop", "0:37,0:30,5:6")
    numpy.testing.assert_array_equal(imageio.imread(tmp_path / "five.png"), imageio.imread(tmp_path / "alone.png"))


def title_of(picture):
    """The rows above the panels that hold something; there is nothing between."""
    drawn = (picture[..., 3] > 64).any(axis=1)
    first = int(drawn.argmax())
    return picture[first : first + int((~drawn[first:]).argmax())]


def test_letters_grow_with_the_picture(tamis, tmp_path):
    heights = {}
    for side in (100, 1800):
        image = numpy.zeros((side, side), numpy.uint8)
        image[side // 4 : side // 2, side // 4 : side // 2] = 255
        tifffile.imwrite(tmp_path / "kHgf.tif", image)
        tamis("granulometry", "kHgf.tif", "--picture", "out.png", "--max-size", "3")
        width = imageio.imread(tmp_path / "out.png").shape[1]
        heights[side] = len(title_of(imageio.imread(tmp_path / "out.png"))) / width
    assert heights[1800] == pytest.approx(heights[100], rel=0.12)
    assert heights[1800] > 0.01


def luminance(colour):
    parts = numpy.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return float((numpy.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) * [0.2126, 0.7152, 0.0722]).sum())


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def colours_of_letters(path):
    """As #rrggbb, of every text of an SVG of gnuplot's."""
    colours = set()
    for group in re.findall(r"<g [^>]*>\s*<text", path.read_text()):
        (fill,) = re.findall(r'fill="([^"]*)"', group)
        numbers = re.fullmatch(r"rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)", fill)
        colours.add("#{:02x}{:02x}{:02x}".format(*map(int, numbers.groups())) if numbers else fill)
    return colours


def test_letters_of_a_picture_are_read_on_light_and_on_dark_pages(tamis, volume, balls, tmp_path):
    tamis("granulometry", volume("balls.tif", balls), "--threshold", "110", "--picture", "out.png")
    picture = imageio.imread(tmp_path / "out.png")
    assert (picture[0] == 0).all() and (picture[:, 0] == 0).all()  # nothing covers the page
    title = title_of(picture)
    letters = title[title[..., 3] > 200]
    colour = "#{:02x}{:02x}{:02x}".format(*numpy.median(letters, axis=0).astype(int)[:3])
    assert contrast(colour, "#ffffff") > 3.8 and contrast(colour, "#0d1117") > 3.8


def test_plots_are_read_on_light_and_on_dark_pages(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    volume("slice.tif", balls[12])
    tamis("granulometry", source, source, "--phase", "both", "--threshold", "110", "--plot", "sizes.svg")
    tamis("granulometry", source, "--threshold", "110", "--spacing", "2um", "--plot", "one.svg")
    tamis("porosimetry", source, "--threshold", "110", "--plot", "porosimetry.svg")
    tamis("orientation", "slice.tif", "--length", "9,15", "--rose", "rose.svg", "--plot", "spectrum.svg")
    tamis("deskew", "slice.tif", "--plot", "scores.svg", check=False)
    for name in ("sizes", "one", "porosimetry", "rose", "spectrum", "scores"):
        path = tmp_path / f"{name}.svg"
        root = xml.parse(path).getroot()
        # Nothing covers the page.
        size = {key: root.get(key) for key in ("width", "height")}
        for rectangle in root.iter("{http://www.w3.org/2000/svg}rect"):
            covers = all(rectangle.get(key) == value for key, value in size.items())
            assert not covers or rectangle.get("fill") == "none", name
        letters = colours_of_letters(path)
        assert letters, name
        for colour in letters:
            assert contrast(colour, "#ffffff") > 3.8 and contrast(colour, "#0d1117") > 3.8, (name, colour)
