"""The tables of papers/<author>/README.md are those of bench/results."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "scripts"))
import papers  # noqa: E402


@pytest.mark.parametrize("study", papers.STUDIES)
def test_a_page_of_a_paper_has_the_tables_that_the_script_makes(study):
    path = papers.PAGES / study / "README.md"
    assert papers.page(study, path.read_text()) == path.read_text(), "docs/scripts/papers.py --write makes them anew"


@pytest.mark.parametrize("study", papers.STUDIES)
def test_a_page_of_a_paper_shows_all_that_was_measured(study):
    shown = [name for _, name in papers.TABLE.findall((papers.PAGES / study / "README.md").read_text())]
    assert sorted(shown) == sorted(papers.STUDIES[study]())
