"""SciPy's own tests of ndimage, which come in its wheel, on the functions of tamis (scipy_on_tamis.py)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LEAST = 1400  # tests that have called tamis and passed; of SciPy 1.17 there are more


@pytest.mark.extra
def test_scipys_own_tests_hold(tmp_path):
    told = tmp_path / "told.json"
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "scipy_on_tamis", "-p", "no:cacheprovider", "--pyargs",
         "scipy.ndimage.tests.test_morphology", "scipy.ndimage.tests.test_filters"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TAMIS_TOLD": str(told)},
        capture_output=True, text=True, check=False)
    counts = json.loads(told.read_text())
    print(f"\n{counts['passed']} of SciPy's tests hold on tamis, {sum(counts['not offered'].values())} ask for what is not "
          f"offered, {counts['no call of tamis']} do not call it")
    for row, count in sorted(counts["not offered"].items(), key=lambda pair: -pair[1]):
        print(f"  {count:5} {row}")
    assert not counts["failed"], run.stdout[-20000:]
    assert counts["passed"] >= LEAST
