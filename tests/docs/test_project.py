"""What forges and readers look for beside the code is there and true."""

import re
from pathlib import Path

import tamis
import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_the_citation_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == tamis.__version__
    assert citation["license"] == "Apache-2.0" and "Apache License" in (ROOT / "LICENSE").read_text()
    for key in ("cff-version", "message", "title", "authors"):
        assert citation[key]


def test_the_changes_begin_with_this_version():
    assert re.findall(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == tamis.__version__


def test_what_contributors_are_told_to_type_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    told = set(re.findall(r"`make ([a-z-]+)`", (ROOT / "CONTRIBUTING.md").read_text()))
    assert told and told <= targets


def test_issue_templates_say_what_they_are_for():
    templates = list((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"))
    assert len(templates) >= 3
    for path in templates:
        header = yaml.safe_load(path.read_text().split("---")[1])
        assert header["name"] and header["about"], path.name
