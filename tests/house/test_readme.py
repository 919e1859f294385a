"""What the README says to type, what it shows and which times it claims."""

import json
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


def rounded(value, digits):
    """With so many significant digits, as claims are made."""
    return f"{float(f'{value:.{digits}g}'):.{max(0, digits - len(str(int(value))))}f}"


def test_every_number_of_the_speed_table_is_that_of_the_results_beside_it():
    readme = (ROOT / "README.md").read_text()
    section = re.search(r"\n## Speed\n(.*?)\n## ", readme, re.DOTALL)[1]
    (path,) = re.findall(r"\[numbers\]\((.*?)\)", section)
    results = json.loads((ROOT / path).read_text())
    assert results["date"] in section
    large, small = results["large"], results["small"]
    beyond = (large["peak_mib_with_mapped_file"] - 1024) / 1024
    wanted = [
        f"| 1024^3, {large['rows']} sizes | {rounded(large['curve_s'], 2)} s, {beyond:.1f} GiB of memory beyond the mapped file "
        f"| {rounded(large['ratio'], 2)} times the time in which each core copies 1 GiB (from {rounded(large['ratio_min'], 1)} "
        f"to {rounded(large['ratio_max'], 2)} times, repetition by repetition) |"
    ]
    for peer, name in (("scipy", "SciPy's loop of erosions and dilations"), ("diplib", "DIPlib's loop")):
        times = small["peers"][peer]
        wanted.append(
            f"| {small['size']}^3, {small['rows']} sizes | {1e3 * times['tamis_job_s']:.0f} ms within a process, "
            f"{1e3 * times['tamis_process_s']:.0f} ms as a whole command | {name} {times['peer_s']:.1f} s: "
            f"{rounded(times['ratio_job'], 2)} times within a process, {times['ratio_process']:.0f} times against the whole "
            "command |"
        )
    rows = [line for line in section.splitlines() if re.match(r"\| .*\d", line)]
    assert rows == wanted
    # The ratios are those of the times beside them.
    for times in small["peers"].values():
        assert times["ratio_job"] == pytest.approx(times["peer_s"] / times["tamis_job_s"], rel=0.01)
        assert times["ratio_process"] == pytest.approx(times["peer_s"] / times["tamis_process_s"], rel=0.01)
