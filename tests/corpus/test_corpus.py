"""Every tenth answer of the corpus, and all of them in `make test-extra`, on each instruction set of this processor."""
import json
import os

import pytest

import corpus

PROGRAM = os.environ.get("TAMIS_PROGRAM", "tamis")


@pytest.fixture(scope="module", autouse=True)
def inputs():
    yield
    corpus.INPUTS.remove()


@pytest.mark.whole
@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.extra)])
def test_no_answer_has_changed(every):
    wanted = json.loads(corpus.HASHES.read_text())
    for simd in corpus.instruction_sets(PROGRAM):
        assert corpus.differences(wanted, corpus.hashes(PROGRAM, simd, every)) == [], simd


def test_every_committed_answer_is_still_asked_for():
    lines = corpus.commands.all_commands() + [f"tamis.{name}" for name, _ in corpus.calls.all_calls()]
    assert set(json.loads(corpus.HASHES.read_text())) == set(lines)
