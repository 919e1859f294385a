"""What the README says to type, and what it shows."""

import os
import re
import shlex
import shutil
from pathlib import Path

import imageio.v3 as imageio
import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCAN = "cement_128x128x128.tif"


@pytest.fixture
def demo(tmp_path):
    """A folder with as much of build/demo as the commands use."""
    (tmp_path / "build" / "demo").mkdir(parents=True)
    for path in (Path(os.environ.get("TAMIS_DATA", "")) / "volumes" / f"qim3d_{SCAN}",
                 Path(os.environ.get("TAMIS_BUILD", ROOT / "build")) / "demo" / SCAN):
        if path.exists():
            shutil.copy(path, tmp_path / "build" / "demo" / SCAN)
            return tmp_path
    pytest.skip("the scan of the demo is not there: make demo")


def test_the_commands_that_follow_the_demo_run_as_they_stand(tamis, demo):
    block = re.search(r"<!-- runs after: make demo -->\n```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    lines = block[1].splitlines()
    assert len(lines) > 4
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "build/bin/tamis"
        result = tamis(*arguments, cwd=demo)
        assert result.stdout
        for name in arguments:
            if name.startswith("build/"):
                assert (demo / name).exists()


def test_figures_of_the_pages_do_not_glare_on_dark_pages():
    figures = sorted((ROOT / "docs").rglob("images/*.svg"))
    assert len(figures) > 10
    for path in figures:
        text = path.read_text()
        assert not re.search(r'<rect x="0" y="0" width="\d+" height="\d+" fill="(?!none)', text), path.name
        assert 'fill="black"' not in text, path.name


def demo_command():
    """What `make demo` runs, without the program's name."""
    script = (ROOT / "scripts" / "demo.sh").read_text()
    words = re.search(r"^command=\((.*?)\)\n", script, re.DOTALL | re.MULTILINE)[1]
    program, *arguments = shlex.split(words.replace("$folder", "build/demo").replace("$scan", f"build/demo/{SCAN}"))
    assert program == "build/bin/tamis"
    return arguments


def test_the_first_picture_is_the_one_that_make_demo_makes(tamis, demo):
    tamis(*demo_command(), cwd=demo)
    name = re.search(r"!\[[^]]*\]\((.*?)\)", (ROOT / "README.md").read_text())[1]
    shown, made = (imageio.imread(path).astype(int) for path in (ROOT / name, demo / "build" / "demo" / "cement.png"))
    assert shown.shape == made.shape
    # Letters may be drawn a little differently where gnuplot or the fonts are others.
    differs = (numpy.abs(shown - made) > 32).any(axis=-1)
    assert differs.mean() < 0.01


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) < 150


def test_the_other_pictures_are_those_of_pages_whose_commands_the_readme_shows():
    """Tests run these pages and compare what they make with the pictures."""
    readme = (ROOT / "README.md").read_text()
    pictures = re.findall(r"!\[[^]]*\]\((docs/howto/images/.*?)_\w+\.png\)", readme)
    assert len(pictures) == 2
    for picture in pictures:
        name = picture.replace("images/", "") + ".md"
        assert f"]({name})" in readme
        commands = set(re.findall(r"^tamis .*", (ROOT / name).read_text(), re.MULTILINE))
        block = readme[: readme.index(picture)].rpartition("```sh\n")[2].partition("```")[0]
        assert block and set(block.splitlines()) <= commands
