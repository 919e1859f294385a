"""Links between pages lead somewhere, where the pages are read as plain Markdown."""

import re
import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")


def markdown():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True,
                            text=True)
    if listed.returncode:
        return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def without_code(text):
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text):
    """Of the headings, as forges and the site make them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_of_a_page_leads_to_a_file_and_a_heading():
    lost, seen = [], 0
    for page in markdown():
        for target in LINK.findall(without_code(page.read_text())):
            if re.match(r"[a-z]+:", target):
                continue
            seen += 1
            name, _, anchor = unquote(target).partition("#")
            there = page.parent / name if name else page
            if not there.exists() or (anchor and anchor not in anchors(there.read_text())):
                lost.append(f"{page.relative_to(ROOT)}: {target}")
    assert seen > 50
    assert not lost


def test_a_lost_anchor_would_be_seen():
    assert anchors("# Ball, disk\n## `line`s\n```\n# no\n```\n") == {"ball-disk", "lines"}


@pytest.mark.parametrize("page", [*sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "papers").rglob("*.md"))],
                         ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_of_a_page_are_not_longer_than_its_tables_need(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert not [line for line in text.splitlines() if len(line) > 240 and not line.startswith("|")]
