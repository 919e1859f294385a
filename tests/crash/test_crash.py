"""Faults while files are written, in short; `make crash-test` has all of them."""

import pytest

import crash


@pytest.mark.whole
def test_a_fault_at_any_call_leaves_the_old_files_or_the_new_ones(tamis_program, tmp_path):
    tally = crash.run(tamis_program, True, tmp_path)
    assert sum(count for key, count in tally.items() if isinstance(key, tuple)) > 50


@pytest.mark.extra
def test_a_fault_at_any_call_for_any_format_leaves_the_old_files_or_the_new_ones(tamis_program, tmp_path):
    crash.run(tamis_program, False, tmp_path)
