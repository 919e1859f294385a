"""What tamis granulometry writes: tables, JSON, plot, map, picture; one file and several."""

import csv
import json
import xml.etree.ElementTree as xml

import numpy
import pytest
import tifffile

HEADER = ["size", "width [voxels]", "volume", "fraction", "spectrum", "element", "border"]


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def test_the_csv_has_the_header_and_starts_at_size_0(tamis, volume, balls, tmp_path):
    tamis("granulometry", volume("balls.tif", balls), "--threshold", "110", "--csv", "out.csv")
    table = rows(tmp_path / "out.csv")
    assert table[0] == HEADER
    assert [int(row[0]) for row in table[1:]] == list(range(len(table) - 1))
    volumes = [int(row[2]) for row in table[1:]]
    assert volumes[0] == (balls > 110).sum() and volumes[-1] == 0
    assert sum(int(row[4]) for row in table[1:]) == volumes[0]
    assert [float(row[3]) for row in table[1:]] == [n / volumes[0] for n in volumes]
    assert [float(row[1]) for row in table[1:]] == [2 * n + 1 for n in range(len(volumes))]


def test_widths_are_in_the_unit_of_the_spacing(tamis, volume, balls, tmp_path):
    result = tamis("granulometry", volume("balls.tif", balls), "--threshold", "otsu", "--spacing", "2.5um", "--csv",
                   "out.csv", "--json", "out.json")
    assert rows(tmp_path / "out.csv")[0][1] == "width [um]"
    assert [float(row[1]) for row in rows(tmp_path / "out.csv")[1:4]] == [2.5, 7.5, 12.5]
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["width_unit"] == "um" and told["width"][:3] == [2.5, 7.5, 12.5]
    assert "width/µm" in result.stdout


def test_anisotropic_voxels_have_a_width_along_each_axis(tamis, volume, balls, tmp_path):
    result = tamis("granulometry", volume("balls.tif", balls), "--threshold", "otsu", "--spacing", "1x1.5x2um", "--csv",
                   "out.csv", "--json", "out.json", "--summary", "samples.csv")
    table = rows(tmp_path / "out.csv")
    assert table[0] == ["size", "width x [um]", "width y [um]", "width z [um]", *HEADER[2:]]
    for n, row in enumerate(table[1:]):
        assert [float(width) for width in row[1:4]] == [(2 * n + 1) * side for side in (1, 1.5, 2)]
    told = json.loads((tmp_path / "out.json").read_text())
    assert set(told["width"]) == {None} and told["width_z"] == [(2 * n + 1) * 2 for n in range(len(table) - 1)]
    assert "anisotropic" in told["notes"][0]
    assert result.stderr.startswith("note: balls.tif: ") and result.stderr.count("\n") == 1
    assert "µm along x, y, z)" in result.stdout
    (row,) = csv.DictReader(open(tmp_path / "samples.csv", newline=""))
    for axis, side in zip("xyz", (1, 1.5, 2)):
        assert float(row[f"mean {axis} [um]"]) == pytest.approx(float(row["mean [voxels]"]) * side)


def test_squares_slice_by_slice_have_no_width_along_z(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    square = ["granulometry", source, "--threshold", "otsu", "--element", "square", "--csv", "out.csv", "--spacing"]
    tamis(*square, "1x1x2um")
    assert rows(tmp_path / "out.csv")[0][1] == "width [um]"
    tamis(*square, "1x3x2um")
    assert rows(tmp_path / "out.csv")[0][1:3] == ["width x [um]", "width y [um]"]


def test_balls_are_round_where_voxels_are_not(tamis, volume, balls, tmp_path):
    tamis("granulometry", volume("balls.tif", balls), "--threshold", "otsu", "--element", "ball", "--spacing",
          "4x2x4um", "--csv", "out.csv", "--plot", "out.svg")
    table = rows(tmp_path / "out.csv")
    assert table[0][1] == "width [um]"
    assert [float(row[1]) for row in table[1:]] == [(2 * n + 1) * 2 for n in range(len(table) - 1)]
    assert "width (µm) of the ball, border background" in (tmp_path / "out.svg").read_text()


def test_files_with_other_units_have_columns_of_their_own(tamis, volume, balls, tmp_path):
    from tifffile import imwrite

    imwrite(tmp_path / "mm.tif", balls, imagej=True, resolution=(4, 4), metadata={"spacing": 0.25, "unit": "mm"})
    tamis("granulometry", volume("plain.tif", balls), "mm.tif", "--threshold", "otsu", "--csv", "out.csv", "--summary",
          "samples.csv", "--curves", "curves.csv")
    table = rows(tmp_path / "out.csv")
    assert table[0][:4] == ["file", "size", "width [voxels]", "width [mm]"]
    for row in table[1:]:
        mm = row[0] == "mm.tif"
        assert (row[2] == "") == mm and (row[3] == "") != mm
    plain, mm = csv.DictReader(open(tmp_path / "samples.csv", newline=""))
    assert plain["mean [mm]"] == "" and float(mm["mean [mm]"]) == pytest.approx(float(mm["mean [voxels]"]) / 4)
    assert rows(tmp_path / "curves.csv")[0][:5] == ["size", "width [voxels] plain.tif", "fraction plain.tif",
                                                    "spectrum share plain.tif", "width [mm] mm.tif"]


def test_the_json_tells_everything(tamis, volume, balls, tmp_path):
    tamis("granulometry", volume("balls.tif", balls), "--threshold", "otsu", "--phase", "dark", "--json", "out.json")
    told = json.loads((tmp_path / "out.json").read_text())
    for key in ("file", "shape", "type", "spacing", "threshold", "method", "phase", "domain_volume", "volume", "size",
                "fraction", "spectrum", "predominant_size", "mean", "standard_deviation", "d10", "d50", "d90",
                "border_share", "empties", "warnings", "notes", "version", "times", "parameters"):
        assert key in told, key
    assert told["method"] == "otsu" and told["phase"] == "dark" and told["shape"] == "37x30x24"
    assert told["volume"][0] == (balls <= told["threshold"]).sum()
    assert told["parameters"]["element"] == "cross" and told["parameters"]["max_size"] is None
    sizes, spectrum = numpy.array(told["size"]), numpy.array(told["spectrum"])
    assert told["mean"] == pytest.approx((sizes * spectrum).sum() / spectrum.sum())
    assert told["predominant_size"] == int(spectrum.argmax())


def test_several_files_give_one_table_with_a_column_file(tamis, volume, balls, tmp_path):
    files = [volume("one, quoted.tif", balls), volume("two.tif", balls[:12])]
    result = tamis("granulometry", *files, "--threshold", "110", "--csv", "all.csv", "--json", "all.json", "--plot",
                   "all.svg")
    table = rows(tmp_path / "all.csv")
    assert table[0] == ["file", *HEADER]
    assert {row[0] for row in table[1:]} == set(files)
    told = json.loads((tmp_path / "all.json").read_text())
    assert [part["file"] for part in told["files"]] == files
    for name, part in zip(files, told["files"]):
        tamis("granulometry", name, "--threshold", "110", "--csv", "single.csv")
        assert rows(tmp_path / "single.csv")[1:] == [row[1:] for row in table[1:] if row[0] == name]
        assert name in result.stdout
    assert xml.parse(tmp_path / "all.svg").getroot().tag.endswith("svg")


@pytest.mark.parametrize("option", ["--map", "--map-width", "--picture"])
def test_a_map_of_several_files_is_refused(tamis, volume, balls, option):
    files = [volume("one.tif", balls), volume("two.tif", balls)]
    result = tamis("granulometry", *files, "--threshold", "110", option, "out.png", check=False)
    assert result.returncode == 2 and "wanted {name} in it" in result.stderr


def test_the_map_counts_as_the_table_does(tamis, volume, balls, tmp_path):
    tamis("granulometry", volume("balls.tif", balls), "--threshold", "110", "--csv", "out.csv", "--map", "map.tif",
          "--map-width", "width.tif", "--spacing", "3um")
    sizes = tifffile.imread(tmp_path / "map.tif")
    widths = tifffile.imread(tmp_path / "width.tif")
    assert sizes.shape == balls.shape and widths.dtype == numpy.float32
    for row in rows(tmp_path / "out.csv")[1:]:
        n = int(row[0])
        assert (sizes == n + 1).sum() == int(row[4])
        assert (widths == numpy.float32((2 * n + 1) * 3)).sum() == int(row[4])
    assert numpy.array_equal(sizes == 0, balls <= 110) and numpy.array_equal(widths == 0, balls <= 110)


def test_the_plot_is_svg_with_labelled_axes_and_the_predominant_size(tamis, volume, balls, tmp_path):
    tamis("granulometry", volume("it's_ball's.tif", balls), "--threshold", "110", "--spacing", "2um", "--plot",
          "out.svg")
    text = (tmp_path / "out.svg").read_text()
    assert xml.fromstring(text).tag.endswith("svg")
    for words in ("width (µm) of the cross, border background", "object left after the opening (%)",
                  "pattern spectrum (% of the object)", "predominant: ", "it's_ball's.tif"):
        assert words in text


@pytest.mark.parametrize("shape", [(24, 30, 37), (30, 37), (1, 30, 37), (3, 4, 1500), (2, 3, 3)])
def test_the_picture_is_a_png_of_any_shape_of_slice(tamis, volume, balls, tmp_path, shape):
    array = numpy.resize(balls, shape)
    tamis("granulometry", volume("balls.tif", array), "--threshold", "60", "--picture", "out.png")
    head = (tmp_path / "out.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(head[16:20], "big") > 150


def test_the_region_of_interest_counts_for_the_threshold_and_the_domain(tamis, volume, balls, tmp_path):
    mask = numpy.zeros(balls.shape, numpy.uint8)
    mask[2:20, 5:25, 3:30] = 1
    volume("mask.tif", mask)
    source = volume("balls.tif", balls)
    tamis("granulometry", source, "--threshold", "mean", "--roi", "mask.tif", "--json", "roi.json")
    tamis("granulometry", source, "--threshold", "mean", "--crop", "3:30,5:25,2:20", "--json", "crop.json")
    by_mask, by_crop = (json.loads((tmp_path / name).read_text()) for name in ("roi.json", "crop.json"))
    for key in ("threshold", "domain_volume", "volume", "spectrum", "border_share"):
        assert by_mask[key] == by_crop[key], key
    assert by_mask["domain_volume"] == mask.sum()


def test_a_cylinder_stays_where_it_is_when_the_image_is_cropped(tamis, volume, tmp_path):
    source = volume("full.tif", numpy.tile(numpy.arange(40, dtype=numpy.uint8), (5, 40, 1)))
    y, x = numpy.ogrid[:40, :40]
    tamis("threshold", source, "whole.tif", "--value", "-1", "--roi", "cylinder")
    tamis("threshold", source, "part.tif", "--value", "-1", "--roi", "cylinder", "--crop", "0:20,0:30,1:4")
    whole, part = tifffile.imread(tmp_path / "whole.tif"), tifffile.imread(tmp_path / "part.tif")
    assert 0 < (whole > 0).sum() < whole.size
    assert numpy.array_equal(part, whole[1:4, :30, :20])


def test_quiet_says_nothing(tamis, volume, balls, tmp_path):
    result = tamis("granulometry", volume("balls.tif", balls), "--threshold", "otsu", "--quiet", "--csv", "out.csv")
    assert result.stdout == "" and result.stderr == ""
    assert (tmp_path / "out.csv").exists()


def test_an_object_that_fills_the_domain_warns_and_is_no_error(tamis, volume, tmp_path):
    source = volume("full.tif", numpy.full((4, 5, 6), 9, numpy.uint8))
    result = tamis("granulometry", source, "--threshold", "0", "--border", "neutral", "--csv", "out.csv", "--json",
                   "out.json")
    assert len(rows(tmp_path / "out.csv")) == 2
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["predominant_size"] is None and told["empties"] is False and told["warnings"]
    assert result.stderr.startswith("warning: full.tif: ")


def test_an_empty_object_has_one_row_and_a_warning(tamis, volume, tmp_path):
    source = volume("none.tif", numpy.zeros((4, 5, 6), numpy.uint8))
    tamis("granulometry", source, "--threshold", "100", "--csv", "out.csv", "--json", "out.json", "--plot", "out.svg",
          "--picture", "out.png", "--map", "map.tif")
    assert rows(tmp_path / "out.csv")[1:] == [["0", "1", "0", "0", "0", "cross", "background"]]
    assert json.loads((tmp_path / "out.json").read_text())["warnings"] == ["the object is empty"]
    assert not tifffile.imread(tmp_path / "map.tif").any()


def test_max_size_ends_the_table_and_the_last_row_holds_the_rest(tamis, volume, balls, tmp_path):
    tamis("granulometry", volume("balls.tif", balls), "--threshold", "110", "--max-size", "2", "--csv", "out.csv")
    table = rows(tmp_path / "out.csv")[1:]
    assert [row[0] for row in table] == ["0", "1", "2"]
    assert table[2][4] == table[2][2]


def test_a_device_or_pipe_is_written_to_as_a_shell_would(tamis, volume, balls):
    result = tamis("granulometry", volume("balls.tif", balls), "--threshold", "110", "-q", "--csv", "/dev/stdout")
    assert result.stdout.startswith(",".join(HEADER) + "\n0,1,")


def test_an_output_replaces_an_older_file_and_keeps_links(tamis, volume, balls, tmp_path):
    (tmp_path / "old.csv").write_text("old")
    (tmp_path / "old.csv").chmod(0o640)
    (tmp_path / "link.csv").symlink_to("old.csv")
    tamis("granulometry", volume("balls.tif", balls), "--threshold", "110", "--csv", "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "old.csv").read_text().startswith(",".join(HEADER))
    assert (tmp_path / "old.csv").stat().st_mode & 0o777 == 0o640


def test_real_cement_has_air_pores(tamis, data, tmp_path):
    scan = data / "volumes" / "qim3d_cement_128x128x128.tif"
    tamis("granulometry", scan, "--threshold", "otsu", "--phase", "dark", "--json", "out.json", "--picture", "out.png",
          "--plot", "out.svg")
    told = json.loads((tmp_path / "out.json").read_text())
    assert 0.1 < told["volume"][0] / told["domain_volume"] < 0.3
    assert told["predominant_size"] in range(1, 5)


# Names and streams that a program meets in the wild.


def test_a_name_of_230_bytes_can_be_written(tamis, volume, tmp_path, balls):
    volume("a.tif", balls)
    name = "n" * 226 + ".npy"
    tamis("convert", "a.tif", name)
    assert (tmp_path / name).exists()


def test_a_name_that_is_not_utf8_gives_a_well_formed_plot(tamis, volume, tmp_path, balls):
    import os
    from xml.etree import ElementTree

    volume("a.tif", balls)
    os.rename(os.fsencode(tmp_path / "a.tif"), os.fsencode(tmp_path) + b"/\xff\xfe.tif")
    tamis("granulometry", os.fsdecode(b"./\xff\xfe.tif"), "--threshold", "100", "--plot", "o.svg", text=False)
    ElementTree.parse(tmp_path / "o.svg")


def test_a_link_to_another_file_system_is_followed(tamis, volume, tmp_path, balls):
    import os
    from pathlib import Path

    shared = Path("/dev/shm")
    if not shared.is_dir() or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("/dev/shm is no file system of its own here")
    volume("a.tif", balls)
    target = shared / f"tamis-test-{os.getpid()}.json"
    (tmp_path / "link.json").symlink_to(target)
    target.touch()
    try:
        tamis("granulometry", "a.tif", "--threshold", "100", "--json", "link.json")
        assert target.stat().st_size > 0
    finally:
        target.unlink()


@pytest.mark.parametrize("arguments", [("info", "nope"), ()])
def test_a_stderr_that_cannot_be_written_changes_no_exit_code(tamis_program, arguments):
    import subprocess

    for redirection in ("2>/dev/full", "2>&-"):
        command = f'"$0" "$@" {redirection}'
        result = subprocess.run(["sh", "-c", command, tamis_program, *arguments], stdout=subprocess.DEVNULL)
        assert result.returncode == 2


def test_help_that_cannot_be_written_is_an_error(tamis_program):
    import subprocess

    result = subprocess.run(["sh", "-c", '"$0" --help >/dev/full', tamis_program], stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    assert "No space left on device" in result.stderr
