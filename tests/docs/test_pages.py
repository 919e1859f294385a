"""Every line of code in the pages of docs/ and in the README runs as it stands, from top to bottom."""

import re
import shlex
import sys
import tomllib
from pathlib import Path

import numpy
import pages
import pictures
import pytest
from PIL import Image

from stand_ins import FILES

ROOT = Path(__file__).resolve().parents[2]
TABLES = "coming_from"  # test_coming_from.py runs these
PAPERS = [ROOT / "papers/README.md", *sorted((ROOT / "papers").glob("*/README.md"))]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *PAPERS]
WITH_CODE = [path for path in PAGES if path.parent.name != TABLES
             and any(block.language != "text" for block in pages.blocks(path.read_text()))]
NAMES = [str(path.relative_to(ROOT)) for path in WITH_CODE]
FENCE = re.compile(r"^\s*```", re.MULTILINE)
DRAWN = re.compile(r"^    \$ (tamis .*)\n((?:    .*\n)*)", re.MULTILINE)


# Pages whose pictures are those that their commands make; docs/scripts makes the others.
DRAWN_HERE = ("docs/howto/", "docs/tour.md", "docs/granulometry.md", "docs/porosimetry.md")
# All pages are followed word for word, with nothing but what they fetch and make, but for these, which show images that
# cannot be fetched so: the README shows pages of which others say how they are made.
STAND_INS = ("README.md", "docs/gallery.md", "docs/lines.md", "docs/median.md")


def assert_alike(shown, made):
    """But for letters, which other fonts draw otherwise."""
    first, second = (numpy.asarray(Image.open(path).convert("RGB"), int) for path in (shown, made))
    assert first.shape == second.shape, shown.name
    assert (numpy.abs(first - second) > 32).any(axis=-1).mean() < 0.02, shown.name


def assert_drawn_alike(shown, made):
    """Words of an SVG, and its curves where the same gnuplot has drawn them: another one takes other steps."""
    tool, words, places = ([re.findall(pattern, path.read_text()) for path in (shown, made)] for pattern in (
        r"<desc>.*?</desc>", r"<(?:text|tspan)[^>]*>([^<]+)<", r"[ML] ?(-?[\d.]+)[ ,](-?[\d.]+)"))
    assert words[0] == words[1] and len(words[0]) > 5, shown.name
    if tool[0] == tool[1]:
        numpy.testing.assert_allclose(*(numpy.array(each, float) for each in places), atol=2, err_msg=shown.name)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_runs_as_it_stands(name, packages, tmp_path, tamis_program):
    text = (ROOT / name).read_text()
    for package in ("qim3d", "skimage"):
        (tmp_path / package).symlink_to(packages / package)
    found = list(pages.blocks(text))
    if name in STAND_INS:
        code = "\n".join(block.code for block in found)
        for file, make in FILES.items():
            if re.search(rf"(?<![\w/.]){re.escape(file)}", code):
                make(tmp_path / file)
    printed = pages.run(found, tmp_path, tamis_program)
    above = ""
    for block, said in zip(found, printed):
        above = above if block.language == "text" else said
        if block.language == "text":
            there = {line.strip() for line in above.splitlines()}
            assert not [line for line in block.code.splitlines() if line.strip() not in there], above
    for picture, files in pages.pictures(text):
        if not name.startswith(DRAWN_HERE):
            continue
        shown = next((ROOT / name).parent.joinpath("images").glob(f"{Path(name).stem}_{picture}.*"))
        if shown.suffix == ".svg":
            assert_drawn_alike(shown, tmp_path / files[0])
        else:
            pictures.side_by_side([tmp_path / file for file in files], tmp_path / "whole.png")
            assert_alike(shown, tmp_path / "whole.png")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_of_code_is_run_or_says_who_runs_it_or_why_nobody_can(path):
    text = path.read_text()
    found = list(pages.BLOCK.finditer(text))
    assert len(FENCE.findall(text)) == 2 * len(found)  # none is indented, or open
    for block in found:
        assert pages.is_left_out(block) or block["language"] in pages.RUN, block["code"]
        assert not re.match(r"not run:?\s*$", block["remark"] or ""), block["code"]
        for elsewhere in re.findall(r"\b(?:tests|examples|scripts)/[\w/]+(?:\.\w+)?", block["remark"] or ""):
            assert (ROOT / elsewhere).exists(), elsewhere


@pytest.mark.parametrize("path", [path for path in PAGES if DRAWN.search(path.read_text())], ids=lambda path: path.name)
def test_what_a_page_shows_is_what_the_program_prints(path, tamis):
    for command, shown in DRAWN.findall(path.read_text()):
        printed = tamis(*command.split()[1:]).stdout
        assert printed.splitlines() == [line[4:] for line in shown.rstrip().splitlines()]


@pytest.mark.parametrize("start", ["README.md", "docs/index.md"])
@pytest.mark.parametrize("task", ["slices", "mask", "colour", "samples", "scratches", "slicer"])
def test_what_people_come_for_is_two_clicks_from_the_start(start, task):
    first = ROOT / "docs/howto/index.md"
    assert str(first.relative_to((ROOT / start).parent)) in re.findall(r"\]\(([^)#]+)", (ROOT / start).read_text())
    assert f"{task}.md" in re.findall(r"\]\(([^)#]+)", first.read_text())
    page = (first.parent / f"{task}.md").read_text()
    assert "```sh\n" in page and "```python\n" in page and "## What goes wrong" in page


def test_what_pip_is_told_to_install_is_there():
    """tamis is on no index: its own packages are folders of the repository, and extras those of pyproject.toml."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    told = [line for path in [*PAGES, ROOT / "bindings/napari/README.md"]
            for line in re.findall(r"pip install([^\n;`]*)", path.read_text())]
    assert len(told) > 6
    for each in shlex.split(" ".join(told).replace("|", "")):
        own = re.fullmatch(r"\.(?:\[(\w+)\])?", each)
        assert each.startswith(("-", "build/wheel/")) or (own and (own[1] or "all") in extras) or (ROOT / each).is_dir() \
            or each in ("distributed", "dask-jobqueue", "qim3d==1.5.3"), each
    listed = (ROOT / "docs/install.md").read_text()
    for extra in set(extras) - {"io"}:  # what people have written down
        assert f'".[{extra}]"' in listed


def test_no_page_takes_the_arithmetic_mean_of_angles():
    for path in PAGES:
        assert not re.search(r"\borientation(\[[^\n]*\])?\.mean\(", path.read_text()), path


def test_the_names_of_pages_are_those_of_the_site():
    """A page that is in no list of the site would be read by nobody."""
    sys.path.insert(0, str(ROOT / "docs" / "site"))
    import build

    listed = {entry for entries in build.CONTENTS.values() for entry in entries or []} | {"index", "abi"}
    for folder in ("", "howto/", "coming_from/", "notebooks/"):
        text = (ROOT / "docs" / folder / "index.md").read_text()
        listed |= {folder + name for name in re.findall(r"\]\((\w[\w-]*)\.md\)", text)}
    listed |= {f"papers/{author}/index" for author in re.findall(r"\]\((\w+)/README\.md\)", PAPERS[0].read_text())}
    assert {str(build.place(path.relative_to(ROOT)).with_suffix("")) for path in PAGES[1:]} <= listed


def test_the_page_of_a_paper_begins_with_the_command():
    for path in PAPERS[1:]:
        first = pages.BLOCK.search(path.read_text())
        assert f"build/bin/tamis-papers {path.parent.name} study" in first["code"]
        assert "##" not in path.read_text()[: first.start()]
