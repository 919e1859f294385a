"""The notebooks run, print what they have stored, and show pictures and tables."""

import json
import os
import subprocess
import sys
from pathlib import Path

import notebooks
import pytest

ROOT = Path(__file__).resolve().parents[2]
PATHS = sorted(notebooks.FOLDER.glob("*.ipynb"))
RUN = """
import json, sys, pathlib
sys.path.insert(0, sys.argv[1])
import notebooks
print(json.dumps(notebooks.prints_of(notebooks.load(pathlib.Path(sys.argv[2])))))
"""


def environment(packages):
    found = [str(packages), *filter(None, [os.environ.get("PYTHONPATH")])]
    return dict(os.environ, MPLBACKEND="agg", PYTHONPATH=os.pathsep.join(found))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_has_stored(path, packages, tmp_path):
    done = subprocess.run([sys.executable, "-c", RUN, ROOT / "docs/site", path], cwd=tmp_path, capture_output=True,
                          text=True, env=environment(packages))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [notebooks.printed(cell) for cell in notebooks.code_cells(notebooks.load(path))]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_jupyter(path, packages, tmp_path, monkeypatch):
    for module in ("nbclient", "ipykernel"):
        pytest.importorskip(module, reason="wants docs/notebooks/requirements.txt, which make test goes without")
    monkeypatch.setenv("PYTHONPATH", environment(packages)["PYTHONPATH"])
    stored, made = notebooks.load(path), notebooks.run_in_jupyter(notebooks.load(path), tmp_path)
    for old, new in zip(notebooks.code_cells(stored), notebooks.code_cells(made), strict=True):
        assert notebooks.printed(new) == notebooks.printed(old)
        assert [sorted(output.get("data", [])) for output in new["outputs"]] == [
            sorted(output.get("data", [])) for output in old["outputs"]]


def test_there_are_four_and_they_are_small_and_show_pictures():
    assert len(PATHS) == 4
    for path in PATHS:
        assert path.stat().st_size < 300_000
        kinds = [kind for cell in notebooks.code_cells(notebooks.load(path)) for output in cell["outputs"]
                 for kind in output.get("data", [])]
        assert kinds.count("image/png") >= 3 and ("text/html" in kinds or "image/svg+xml" in kinds), path.name


def test_a_page_of_a_notebook_shows_what_it_stores():
    text, files = notebooks.page(notebooks.load(PATHS[0]), PATHS[0].stem)
    assert text.startswith("# ") and "{download}`" in text and "<svg" in text
    assert files and all(content.startswith(b"\x89PNG") and f"]({name})" in text for name, content in files.items())
