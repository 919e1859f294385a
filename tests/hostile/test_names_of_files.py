"""Names of files that look like options, commands or formulas are names of files."""

import csv

import numpy
import pytest


@pytest.fixture
def named(tmp_path):
    """named("-x.npy") is a small image of that name."""

    def make(name):
        with open(tmp_path / name, "wb") as file:
            numpy.save(file, numpy.arange(12, dtype=numpy.uint8).reshape(3, 4))
        return name

    return make


def test_two_dashes_end_options_wherever_they_stand(tamis, named, tmp_path):
    plain, dashed = named("v.npy"), named("-x.npy")
    for words in (["info", plain, "--", dashed], ["info", "--", plain, dashed], ["info", "--json", "told.json", "--", dashed],
                  ["--", "info", dashed, plain]):
        assert dashed in tamis(*words).stdout, words
    tamis("convert", plain, "-q", "--", "-out.npy")
    assert numpy.load(tmp_path / "-out.npy").shape == (3, 4)


def test_what_follows_two_dashes_is_no_option_and_no_command(tamis, refused, named):
    plain = named("v.npy")
    for name in ("--help", "info", "-q"):
        refused("info", "-q", plain, "--", name, words=[name])
    refused("info", "--", plain, "--", words=["--"])  # the second is a name, of no file
    refused("convert", plain, "--", "out.npy", "-three", words=["-three", "one argument too many"])


@pytest.mark.parametrize("name", ["=1+1.npy", "+1.npy", "-1.npy", "@SUM(A1).npy", "\tx.npy", "=a,b.npy"])
def test_a_name_in_a_table_is_text_in_a_spreadsheet(tamis, named, tmp_path, name):
    named(name)
    named("v.npy")
    tamis("granulometry", "-q", "--threshold", "5", "--csv", "out.csv", "--", name, "v.npy")
    with open(tmp_path / "out.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = {row["file"] for row in rows}
    assert names == {"./" + name, "v.npy"}
    assert all((tmp_path / each).exists() for each in names), "it is the same file"
