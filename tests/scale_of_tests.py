"""How much of their cases tests go through, by TAMIS_TEST_SCALE: `small` is for `make check`, `full` for `make test-extra`,
and what `make test` does is between them. In C++: src/core/test/scale.hpp."""

import os

WORD = os.environ.get("TAMIS_TEST_SCALE")
SCALE = 1 if WORD is None else 2 if WORD == "full" else 0


def by_scale(small, usual, full):
    return (small, usual, full)[SCALE]


def examples(count):
    """So many of Hypothesis."""
    return by_scale(max(5, count // 8), count, count)
