"""Faults while files are written, in short; `make crash-test` has all of them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "crash"))

import crash


def test_a_fault_at_any_call_leaves_the_old_files_or_the_new_ones(tamis_program, tmp_path):
    tally = crash.run(tamis_program, True, tmp_path)
    assert sum(count for key, count in tally.items() if isinstance(key, tuple)) > 50
