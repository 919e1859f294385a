"""What the README says to type."""

import os
import re
import shlex
import shutil
from pathlib import Path

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
    figures = sorted((ROOT / "docs" / "images").glob("*.svg"))
    assert len(figures) > 10
    for path in figures:
        text = path.read_text()
        assert not re.search(r'<rect x="0" y="0" width="\d+" height="\d+" fill="(?!none)', text), path.name
        assert 'fill="black"' not in text, path.name
