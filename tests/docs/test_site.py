"""The site: built without a warning, every link in it leads somewhere, and nothing is fetched from elsewhere."""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import tamis

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.whole


class Page(HTMLParser):
    """What a page refers to, what in it can be referred to, and what a browser would fetch."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places, self.fetched = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.places |= {told.get("id"), told.get("name")}
        if tag == "a" and told.get("href"):
            self.links.append(told["href"])
        if tag == "link" and told.get("href") and told.get("rel") not in ("canonical",):
            self.fetched.append(told["href"])
        if told.get("src"):
            self.fetched.append(told["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory, tamis_program):
    pytest.importorskip("sphinx")
    if shutil.which("doxygen") is None:
        pytest.skip("doxygen is missing: scripts/install_packages.sh doxygen")
    out = tmp_path_factory.mktemp("site") / "html"
    done = subprocess.run([sys.executable, ROOT / "docs/site/build.py", out, "--program", tamis_program],
                          capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    return {path.relative_to(out): Page(path.read_text()) for path in out.rglob("*.html")
            if "_static" not in path.parts}, out


def test_every_link_leads_to_a_page_and_a_place(site):
    pages, out = site
    lost = []
    for name, page in pages.items():
        for link in page.links:
            target = urlsplit(link)
            if target.scheme:
                continue
            there = Path(os.path.normpath(name.parent / unquote(target.path))) if target.path else name
            if not (out / there).is_file():
                lost.append(f"{name}: {link}")
            elif target.fragment and there in pages and unquote(target.fragment) not in pages[there].places:
                lost.append(f"{name}: {link}")
    assert len(pages) > 100
    assert not lost


def test_nothing_is_fetched_from_elsewhere(site):
    pages, out = site
    for name, page in pages.items():
        for source in page.fetched:
            assert not urlsplit(source).netloc, f"{name}: {source}"
            if not source.startswith(("data:", "#")):
                assert (out / name.parent / urlsplit(unquote(source)).path).exists(), f"{name}: {source}"
    for style in out.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import\s+['\"]?https?:", style.read_text()), style.name


def test_everything_that_can_be_called_has_its_place(site, tamis):
    pages, _ = site
    commands = re.findall(r"^  ([a-z-]+)  ", tamis("--help").stdout.partition("Options\n")[0], re.MULTILINE)
    assert "erode" in commands
    for command in commands:
        assert any(str(name).startswith(f"reference/command/{command}") for name in pages), command


def test_every_name_of_the_python_package_has_its_place(site):
    places = set().union(*(page.places for page in site[0].values()))
    missing = [name for name in tamis.__all__ if f"tamis.{name}" not in places]
    assert missing == ["__version__"]


def test_formulas_are_drawn_without_a_script(site):
    _, out = site
    assert "<math" in (out / "morphology.html").read_text()
    assert not list(out.rglob("*athjax*"))


def test_pages_know_light_and_dark(site):
    _, out = site
    assert "theme-switch" in (out / "index.html").read_text()


def test_blocks_of_pages_say_their_language_and_options_stay_whole(site):
    pages, out = site
    written = [path for path in pages if path.parts[0] != "reference"]  # docstrings have sessions of Python
    assert not [str(path) for path in written if "highlight-default" in (out / path).read_text()]
    assert '<span class="na">--threshold</span>' in (out / "tour.html").read_text()
