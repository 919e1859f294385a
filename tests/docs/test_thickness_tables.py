"""The tables of docs/thickness.md are what docs/scripts/thickness_pictures.py prints, where its peers are installed."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/thickness.md").read_text()
ROWS = {"tamis, 2R": "tamis, `--map-diameter` (2R)", "tamis, 2R - 1": "tamis, `--map-width` (2R - 1)",
        "Fiji, BoneJ": "Fiji and BoneJ, Local Thickness", "PoreSpy, 2R": "PoreSpy 3.2.0, `local_thickness`, twice the radius",
        "pi2": "pi2, `tmap`", "DIPlib": "DIPlib 3.6, openings by balls of growing diameter"}  # fmt: skip

pytestmark = pytest.mark.extra


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("diplib")
    pytest.importorskip("edt")  # as PoreSpy, tests/docs/peers.txt
    sys.path.insert(0, str(ROOT / "docs/scripts"))
    import thickness_pictures

    return thickness_pictures


def cells(name):
    (row,) = re.findall(rf"^\| {re.escape(name)} \| (.*) \|$", PAGE, re.MULTILINE)
    return row.split(" | ")


def test_six_programs_say_of_known_shapes_what_the_page_says(script):
    rows = script.says()
    for name, shown in {**ROWS, "without the rim's step": ROWS["Fiji, BoneJ"]}.items():
        assert cells(shown) == [f"{mean:.2f}, {most:.2f}" for mean, most in rows[name].values()], name
    assert script.plot(rows) == script.OUT.read_text()


def test_the_rim_of_fiji_changes_what_the_page_says(script, packages):
    for name, (exact, raw, cleaned, share) in script.rims(packages).items():
        assert cells(name) == [f"{exact:.2f}", f"{raw:.2f}", f"{cleaned:.2f}", f"{share:.1%}"]
