"""The times that README.md, docs/speed.md and their plot claim are those of bench/results."""

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
sys.path.insert(0, str(ROOT / "docs" / "scripts"))
import speed  # noqa: E402

MARK = re.compile(r"(.*): (\S+) ([\d.e+-]+) ms")


def load(name):
    return json.loads((RESULTS / name).read_text())


def test_pages_and_plot_are_those_that_the_script_makes():
    old = [path.name for path, text in speed.wanted().items() if path.read_text() != text]
    assert not old, "docs/scripts/speed.py --write makes them anew"


def marks(text):
    """{(row, library): milliseconds} of a plot."""
    root = ElementTree.fromstring(text)
    found = [MARK.fullmatch(title.text) for title in root.iter("{http://www.w3.org/2000/svg}title")]
    return {(match[1], match[2]): float(match[3]) for match in found if match}


def test_every_mark_of_sizes_is_a_time_of_the_results():
    crosses = load("granulometry_epyc_zen4_2_cores.json")["small"]["peers"]
    balls = load("balls_epyc_zen4_2_cores.json")
    grey = load("grey_granulometry_epyc_zen4_2_cores.json")["elements"]
    times = [value for peer in crosses.values() for key, value in peer.items() if key in ("peer_s", "tamis_job_s")]
    times += [row[key] for row in balls["rows"] if row["volume"] == "foam256" for key in ("command", "distance")]
    times += [row["seconds"] for row in balls["peers_256"]]
    times += [value for found in grey.values() for value in found["seconds"].values()]
    shown = [ms for (row, _), ms in marks(speed.PLOT.read_text()).items() if "²" in row or "³" in row]
    assert len(shown) > 12
    for ms in shown:
        assert any(ms == pytest.approx(1000 * seconds, rel=1e-4) for seconds in times), ms


def test_the_ratios_of_the_results_are_those_of_their_times():
    for times in load("granulometry_epyc_zen4_2_cores.json")["small"]["peers"].values():
        assert times["ratio_job"] == pytest.approx(times["peer_s"] / times["tamis_job_s"], rel=0.01)
        assert times["ratio_process"] == pytest.approx(times["peer_s"] / times["tamis_process_s"], rel=0.01)


def words_of_readme():
    return " ".join(" ".join(speed.lines()).split())


EVERYDAY = {"date": "2026-01-01", "rows": [
    {"size": "64^2", "call": "erode u8 3x3", "own_process": {"ms_of_all": {"tamis": 0.02, "OpenCV": 0.01, "copy": 0.001}}},
    {"size": "2048^2", "call": "erode u8 3x3", "own_process": {"ms_of_all": {"tamis": 0.5, "OpenCV": 1.5, "copy": 0.1}}},
    {"size": "256^3", "call": "threshold u8", "own_process": {"ms_of_all": {"tamis": 2.0, "NumPy": 1.0, "copy": 0.1}}},
]}  # fmt: skip


def test_everyday_calls_are_shown_where_they_were_measured_and_missed_in_words_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(speed, "EVERYDAY", tmp_path / "everyday.json")
    assert "there are no results" in words_of_readme() and speed.everyday() == []
    without = marks(speed.plot())
    monkeypatch.setattr(speed, "RESULTS", tmp_path)
    (tmp_path / "everyday.json").write_text(json.dumps(EVERYDAY))
    for path in RESULTS.glob("*.json"):
        if not path.name.startswith("everyday"):
            (tmp_path / path.name).symlink_to(path)
    added = {key: ms for key, ms in marks(speed.plot()).items() if key not in without}
    assert added == {("erode u8 3x3", "tamis"): 0.5, ("erode u8 3x3", "OpenCV"): 1.5,
                     ("threshold u8", "tamis"): 2.0, ("threshold u8", "NumPy"): 1.0}
    assert "1 of 2 on images from 512^2 on" in words_of_readme() and "of microseconds, 0 of 1" in words_of_readme()
    assert "| erode u8 3x3 | 500 µs | 1.5 ms | 3 |" in speed.tables()
