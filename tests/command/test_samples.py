"""Many samples in one run: one row each, curves side by side, workbooks, and files that are no good."""

import csv
import json

import numpy
import openpyxl
import pytest
import tifffile


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def samples_of(volume, balls):
    """Two good volumes; each call writes them again."""
    return [volume("one.tif", balls), volume("two.tif", balls[:12])]


COMMON = ["--threshold", "110", "--spacing", "2.5um"]


def test_a_summary_has_one_row_a_sample(tamis, samples_of, tmp_path):
    tamis("granulometry", *samples_of, *COMMON, "--phase", "both", "--summary", "samples.csv", "--json", "all.json")
    rows = read(tmp_path / "samples.csv")
    told = json.loads((tmp_path / "all.json").read_text())["files"]
    assert [(row["file"], row["phase"]) for row in rows] == [(name, phase) for name in samples_of
                                                             for phase in ("bright", "dark")]
    for row, one in zip(rows, told, strict=True):
        assert float(row["threshold"]) == 110
        assert float(row["porosity"]) == pytest.approx(one["object_volume"] / one["domain_volume"])
        assert float(row["surface share"]) == one["border_share"]
        assert float(row["unsieved share"]) == 0
        widths = {"mean": 2 * one["mean"] + 1, "sd": 2 * one["standard_deviation"], "D10": 2 * one["d10"] + 1,
                  "D50": 2 * one["d50"] + 1, "D90": 2 * one["d90"] + 1, "predominant": 2 * one["predominant_size"] + 1}
        for name, width in widths.items():
            assert float(row[f"{name} [voxels]"]) == pytest.approx(width)
            assert float(row[f"{name} [um]"]) == pytest.approx(2.5 * width)


def test_a_summary_of_one_file_and_of_balls(tamis, samples_of, tmp_path):
    tamis("granulometry", samples_of[0], *COMMON, "--element", "ball", "--summary", "samples.csv", "--json", "one.json")
    (row,) = read(tmp_path / "samples.csv")
    told = json.loads((tmp_path / "one.json").read_text())
    assert float(row["thickness mean [um]"]) == pytest.approx(told["thickness"]["mean_diameter"])
    assert float(row["thickness sd [um]"]) == pytest.approx(told["thickness"]["standard_deviation"])
    assert float(row["thickness max [voxels]"]) == pytest.approx(told["thickness"]["largest_diameter"] / 2.5)


def test_a_summary_of_an_empty_object_of_a_band_and_of_grey_values_has_empty_cells(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    tamis("granulometry", source, "--threshold", "255", "--summary", "s.csv")
    (row,) = read(tmp_path / "s.csv")
    assert row["porosity"] == "0" and row["mean [voxels]"] == row["D50 [voxels]"] == row["predominant [voxels]"] == ""
    tamis("granulometry", source, "--threshold", "50:70", "--summary", "s.csv")
    assert read(tmp_path / "s.csv")[0]["threshold"] == "50:70"
    tamis("granulometry", source, "--grey", "--max-size", "3", "--summary", "s.csv")
    (row,) = read(tmp_path / "s.csv")
    assert row["threshold"] == row["porosity"] == "" and float(row["unsieved share"]) > 0


def test_curves_stand_side_by_side(tamis, samples_of, tmp_path):
    tamis("granulometry", *samples_of, *COMMON, "--curves", "wide.csv", "--csv", "long.csv")
    wide, long = read(tmp_path / "wide.csv"), read(tmp_path / "long.csv")
    assert list(wide[0]) == ["size", "width [um]", *(f"{what} {name}" for name in samples_of
                                                     for what in ("fraction", "spectrum share")), "element", "border"]
    for name in samples_of:
        rows = {row["size"]: row for row in long if row["file"] == name}
        whole = int(rows["0"]["volume"])
        for row in wide:
            mine = rows.get(row["size"], {"fraction": 0, "spectrum": 0})  # past its end nothing is left
            assert float(row[f"fraction {name}"]) == float(mine["fraction"])
            assert float(row[f"spectrum share {name}"]) == pytest.approx(int(mine["spectrum"]) / whole)
    assert len(wide) == max(int(row["size"]) for row in long) + 1


def test_a_table_that_ends_in_xlsx_is_a_workbook(tamis, volume, balls, tmp_path):
    volume("a,b\"c.tif", balls)
    command = ["granulometry", "a,b\"c.tif", *COMMON, "--phase", "both"]
    tamis(*command, "--csv", "t.csv", "--summary", "s.csv", "--curves", "c.csv")
    tamis(*command, "--csv", "t.xlsx", "--summary", "s.XLSX", "--curves", "c.xlsx")
    for text, book in (("t.csv", "t.xlsx"), ("s.csv", "s.XLSX"), ("c.csv", "c.xlsx")):
        with open(tmp_path / book, "rb") as file:
            (sheet,) = openpyxl.load_workbook(file).worksheets
            cells = [list(row) for row in sheet.values]
        with open(tmp_path / text, newline="") as file:
            wanted = list(csv.reader(file))
        assert cells[0] == wanted[0]
        for row, line in zip(cells[1:], wanted[1:], strict=True):
            for cell, field in zip(row, line, strict=True):
                if isinstance(cell, (int, float)):
                    assert cell == pytest.approx(float(field), rel=1e-14)
                else:
                    assert (cell or "") == field


def test_every_command_with_a_table_writes_workbooks(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    tamis("porosimetry", source, *COMMON, "--csv", "p.xlsx")
    tamis("orientation", volume("slice.tif", balls[12]), "--length", "9", "--csv", "o.xlsx")
    tamis("deskew", "slice.tif", "--csv", "d.xlsx", check=False)
    for name, columns in {"p.xlsx": ["size", "radius [um]", "diameter [um]", "pressure [Pa]", "invaded", "saturation"],
                          "o.xlsx": ["length", "angle", "spectrum", "sum", "histogram"],
                          "d.xlsx": ["angle_degrees", "score"]}.items():
        assert next(openpyxl.load_workbook(tmp_path / name).worksheets[0].values) == tuple(columns)


@pytest.mark.parametrize("name", ["t.xls", "t.ods", "t.XLSM"])
@pytest.mark.parametrize("option", ["--csv", "--summary", "--curves"])
def test_other_spreadsheets_are_refused_by_name(refused, samples_of, option, name):
    told = refused("granulometry", *samples_of, *COMMON, option, name)
    assert f"{option} {name}: {name[1:].lower()} is not written, wanted a name that ends in .csv or .xlsx" in told


def test_a_workbook_whose_parts_cannot_be_made_is_one_line(refused, samples_of, tmp_path):
    import os
    import resource

    refused("granulometry", *samples_of, *COMMON, "--csv", "t.xlsx", words=["could not write t.xlsx: "],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600)), env=dict(os.environ))  # fmt: skip


# Files that are no good.


@pytest.fixture
def bad_between(tmp_path, volume, balls):
    (tmp_path / "bad.tif").write_text("no TIFF")
    return [volume("one.tif", balls), "bad.tif", volume("two.tif", balls[:12]), "missing.tif"]


def test_one_bad_file_ends_the_run_and_nothing_is_written(refused, bad_between):
    refused("granulometry", *bad_between, *COMMON, "--csv", "out.csv", "--map", "{name}.npy", words=["bad.tif: "])


@pytest.mark.parametrize("phase", ["bright", "both"])
def test_with_keep_going_the_others_are_written(tamis, bad_between, tmp_path, phase):
    good = [bad_between[0], bad_between[2]]
    outputs = [*COMMON, "--phase", phase, "--csv", "out.csv", "--summary", "s.csv", "--curves", "c.csv", "--plot", "p.svg",
               "--map", "{name}_{phase}.npy", "--picture", "{name}_{phase}.png", "--element", "ball"]  # fmt: skip
    tamis("granulometry", *good, *outputs)
    names = ["out.csv", "s.csv", "c.csv", "p.svg"]
    wanted = {name: (tmp_path / name).read_bytes() for name in names}
    made = sorted(path.name for path in tmp_path.iterdir())
    for name in made:
        if name.endswith((".npy", ".png", ".csv", ".svg")):
            (tmp_path / name).unlink()
    result = tamis("granulometry", "--keep-going", *bad_between, *outputs, "--json", "out.json", check=False)
    assert result.returncode == 2
    first, second = result.stderr.splitlines()
    assert first.startswith("tamis granulometry: bad.tif: ") and second.startswith("tamis granulometry: missing.tif: ")
    assert {name: (tmp_path / name).read_bytes() for name in names} == wanted
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*made, "out.json"])
    told = json.loads((tmp_path / "out.json").read_text())
    assert [one["file"] for one in told["failed"]] == ["bad.tif", "missing.tif"]
    assert {one["file"] for one in told["files"]} == set(good)


def test_with_keep_going_the_table_of_one_good_file_has_its_name(tamis, bad_between, tmp_path):
    result = tamis("granulometry", "--keep-going", *bad_between[:2], *COMMON, "--csv", "out.csv", check=False)
    assert result.returncode == 2
    assert {row["file"] for row in read(tmp_path / "out.csv")} == {"one.tif"}


def test_where_no_file_is_good_nothing_is_written(tamis, bad_between, tmp_path):
    result = tamis("granulometry", "--keep-going", "bad.tif", "missing.tif", *COMMON, "--csv", "out.csv", "--json",
                   "out.json", check=False)  # fmt: skip
    assert result.returncode == 2 and result.stdout == "" and result.stderr.count("\n") == 2
    assert not (tmp_path / "out.csv").exists() and not (tmp_path / "out.json").exists()


def test_with_keep_going_and_no_bad_file_all_is_well(tamis, samples_of, tmp_path):
    tamis("granulometry", "--keep-going", *samples_of, *COMMON, "--json", "out.json")
    assert "failed" not in json.loads((tmp_path / "out.json").read_text())


def test_what_a_bad_file_has_begun_to_write_goes_with_it(tamis, volume, balls, tmp_path):
    """A float volume with NaN is thresholded by a band; balls want sides that whole numbers tell."""
    tifffile.imwrite(tmp_path / "odd.tif", balls, imagej=True, resolution=(100, 100), metadata={"spacing": 1e9, "unit": "um"})
    source = volume("good.tif", balls)
    result = tamis("granulometry", "--keep-going", "odd.tif", source, "--threshold", "110", "--element", "ball", "--map",
                   "{name}.npy", "--csv", "out.csv", check=False)  # fmt: skip
    assert result.returncode == 2 and result.stderr.startswith("tamis granulometry: odd.tif: ")
    assert (tmp_path / "good.npy").exists() and not (tmp_path / "odd.npy").exists()


def test_an_output_that_is_an_input_is_refused_whatever_else_goes_on(refused, bad_between):
    refused("granulometry", "--keep-going", *bad_between, *COMMON, "--csv", "two.tif", words=["would overwrite"])


def test_grey_values_keep_going_too(tamis, bad_between, tmp_path):
    result = tamis("granulometry", "--keep-going", *bad_between, "--grey", "--max-size", "3", "--csv", "o.csv", check=False)
    assert result.returncode == 2
    assert {row["file"] for row in read(tmp_path / "o.csv")} == {"one.tif", "two.tif"}


def test_info_keeps_going(tamis, bad_between, tmp_path):
    result = tamis("info", "--keep-going", *bad_between, "--json", "info.json", check=False)
    assert result.returncode == 2
    assert [line.split(": ")[1] for line in result.stderr.splitlines()] == ["bad.tif", "missing.tif"]
    told = json.loads((tmp_path / "info.json").read_text())
    assert [one["file"] for one in told["files"]] == ["one.tif", "two.tif"]
    assert [one["file"] for one in told["failed"]] == ["bad.tif", "missing.tif"]


def test_porosimetry_of_several_files(tamis, refused, bad_between, tmp_path):
    good = [bad_between[0], bad_between[2]]
    refused("porosimetry", *good, *COMMON, "--map", "map.npy", words=["wanted {name} in it"])
    refused("porosimetry", *bad_between, *COMMON, "--csv", "all.csv", words=["bad.tif: "])
    result = tamis("porosimetry", "--keep-going", *bad_between, *COMMON, "--csv", "all.csv", "--json", "all.json",
                   "--map-radius", "{name}.npy", "--plot", "{name}.svg", check=False)  # fmt: skip
    assert result.returncode == 2 and result.stderr.count("\n") == 2
    rows = read(tmp_path / "all.csv")
    for name in good:
        tamis("porosimetry", name, *COMMON, "--csv", "single.csv", "--map-radius", "single.npy", "--json", "single.json")
        assert read(tmp_path / "single.csv") == [{key: value for key, value in row.items() if key != "file"}
                                                 for row in rows if row["file"] == name]  # fmt: skip
        stem = name.removesuffix(".tif")
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "single.npy"), numpy.load(tmp_path / f"{stem}.npy"))
        assert (tmp_path / f"{stem}.svg").exists()
    told = json.loads((tmp_path / "all.json").read_text())
    single = json.loads((tmp_path / "single.json").read_text())
    assert told["files"][1] == {key: value for key, value in single.items() if key != "version"}
    assert [one["file"] for one in told["failed"]] == ["bad.tif", "missing.tif"]
