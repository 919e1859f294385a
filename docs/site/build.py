#!/usr/bin/env python3
"""Builds the site: docs/site/build.py OUT [--program TAMIS]; `make docs` calls it.

The pages of docs/ are plain Markdown that a forge shows too. They are copied into a folder of their own, beside what is
made here: the reference, and those files of the repository that pages refer to. Links among them are rewritten, so that
one text serves both places. Needs the Python package on PYTHONPATH, and doxygen for the pages about C++."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import notebooks
import reference

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(__file__).resolve().parent
ELSEWHERE = "repository"  # where files that do not lie in docs/ go

FENCE = re.compile(r"^(```.*?^```|<!--.*?-->)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")

CONTENTS = {  # None: what the page links to, in its order
    "index": ["tour", "install", "guide", "howto/index", "notebooks/index", "coming_from/index", "speed", "papers/index", "reference/index",
              "project"],
    "guide": ["granulometry", "thickness", "porosimetry", "thresholds", "morphology", "elements", "gallery", "median", "lines",
              "deskew", "files", "large", "gpu", "dask", "scale", "python", "httomo", "cpp", "c", "imagej", "napari", "bench", "doctor"],
    "howto/index": None,
    "notebooks/index": None,
    "coming_from/index": None,
    "papers/index": None,
}
PAPERS = [ROOT / "papers/README.md", *sorted((ROOT / "papers").glob("*/README.md"))]
PROJECT = ["CHANGELOG.md", "CONTRIBUTING.md", "HACKING.md", "SECURITY.md", "docs/abi.md", "README.md"]


def place(path):
    """Where a file of the repository lies in the site; notebooks are pages, and those of the papers lie beside these."""
    path = path.with_suffix(".md") if path.suffix == ".ipynb" else path
    if ROOT / path in PAPERS:
        return path.with_name("index.md")
    return path.relative_to("docs") if path.parts[0] == "docs" else Path(ELSEWHERE) / path


class Stage:
    """The folder that Sphinx reads."""

    def __init__(self, folder):
        self.folder = folder
        self.placed = set()

    def write(self, name, text):
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def put(self, path):
        """A file or folder of the repository, and whatever it refers to; the place that a link to it names."""
        original = ROOT / path
        if original.is_dir():
            return self.put_folder(path)
        if not original.is_file():
            return None
        if path not in self.placed:
            self.placed.add(path)
            target = self.folder / place(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".md":
                target.write_text(self.linked(path, original.read_text()))
            elif path.suffix == ".ipynb":
                self.put_notebook(path, target)
            else:
                shutil.copy(original, target)
        return place(path)

    def put_notebook(self, path, target):
        """A page of what the notebook says and shows, its pictures, and the notebook itself, to download."""
        text, pictures = notebooks.page(notebooks.load(ROOT / path), path.stem)
        for name, content in pictures.items():
            (target.parent / name).write_bytes(content)
        shutil.copy(ROOT / path, target.parent)
        target.write_text(self.linked(path, text))

    def put_folder(self, path):
        if (ROOT / path / "README.md").exists():
            return self.put(path / "README.md")
        if (ROOT / path / "index.md").exists():
            return self.put(path / "index.md")
        target = place(path) / "index.md"
        if path not in self.placed:
            self.placed.add(path)
            files = sorted(file for file in (ROOT / path).iterdir() if file.is_file())
            text = [f"---\norphan: true\n---\n\n# {path}\n"]
            for file in files:
                self.put(file.relative_to(ROOT))
                language = {".cpp": "cpp", ".txt": "cmake"}.get(file.suffix, "text")
                text.append(f"## {file.name}\n\n```{{literalinclude}} {file.name}\n:language: {language}\n```\n")
            self.write(target, "\n".join(text))
        return target

    def linked(self, path, text):
        """The text of a page with its links as they are in the site."""

        def relink(match):
            target, _, anchor = match[1].partition("#")
            if not target or re.match(r"[a-z]+:", target):
                return match[0]
            wanted = Path(os.path.normpath(path.parent / target))
            if (found := self.put(wanted)) is None:
                return match[0]  # Sphinx says that it leads nowhere
            there = os.path.relpath(found, place(path).parent)
            return f"]({there}{'#' + anchor if anchor else ''})"

        pieces = FENCE.split(text)
        return "".join(piece if FENCE.match(piece) else LINK.sub(relink, piece) for piece in pieces)


def toctree(entries):
    return f"\n```{{toctree}}\n:hidden:\n:maxdepth: 2\n\n" + "\n".join(entries) + "\n```\n"


def gather(stage, program):
    for path in [*sorted((ROOT / "docs").rglob("*.md")), *PAPERS]:
        stage.put(path.relative_to(ROOT))
    pages = [Path(name) for name in PROJECT if stage.put(Path(name))]
    titles = [f"- [{(ROOT / page).read_text().splitlines()[0].lstrip('# ')}]({place(page)})" for page in pages]
    stage.write("project.md", "# Project\n\n" + "\n".join(titles) + "\n" + toctree([str(place(page)) for page in pages]))
    for name, text in reference.pages(program, ROOT):
        stage.write(name, text)
    for name, entries in CONTENTS.items():
        page = stage.folder / f"{name}.md"
        if entries is None:
            linked = re.findall(r"\]\((\w[\w/-]*)\.md\)", page.read_text())
            entries = list(dict.fromkeys(linked))
        entries = [entry for entry in entries if (page.parent / f"{entry}.md").exists()]
        page.write_text(page.read_text() + toctree(entries))


def mark_orphans(stage):
    """Files of the repository that pages refer to stand in no table of contents."""
    for path in stage.placed:
        if path.suffix == ".md" and str(path) not in PROJECT and place(path).parts[0] == ELSEWHERE:
            page = stage.folder / place(path)
            page.write_text(f"---\norphan: true\n---\n\n{page.read_text()}")


def doxygen(folder):
    """What the public headers say, as XML for breathe."""
    if shutil.which("doxygen") is None:
        sys.exit("doxygen is missing, from which the pages about C++ come: scripts/install_packages.sh doxygen")
    include = ROOT / "include/tamis"
    for header in include.rglob("*.hpp"):  # without what only compilers read; @ begins no command
        text = re.sub(r"//.*", lambda comment: comment[0].replace("@", "\\@"), header.read_text())
        # Side by side, under names that are unlike each other: breathe finds files by the last part of their path.
        copied = folder / "include/tamis" / str(header.relative_to(include)).replace("/", "_")
        copied.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r" = \{\.\w+ = [^{}]*\}", "", text)  # an initialiser that Sphinx cannot read
        copied.write_text(text.replace("TAMIS_PUBLIC ", "").replace("[[nodiscard]] ", ""))
    settings = {"INPUT": folder / "include/tamis", "OUTPUT_DIRECTORY": folder, "GENERATE_HTML": "NO",
                "GENERATE_LATEX": "NO", "GENERATE_XML": "YES", "XML_PROGRAMLISTING": "NO", "QUIET": "YES",
                "WARN_IF_UNDOCUMENTED": "NO", "WARN_AS_ERROR": "YES", "STRIP_FROM_PATH": folder / "include"}
    told = subprocess.run(["doxygen", "-"], input="\n".join(f"{name} = {value}" for name, value in settings.items()),
                          text=True, capture_output=True)
    if told.returncode or told.stderr:
        sys.exit(f"doxygen: {told.stderr}")
    return folder / "xml"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder for the pages, made anew")
    parser.add_argument("--program", type=Path, default=ROOT / "build/bin/tamis", help="the program (%(default)s)")
    parser.add_argument("--keep", type=Path, help="keep what Sphinx reads in this folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        source = arguments.keep or Path(temporary) / "source"
        shutil.rmtree(source, ignore_errors=True)
        stage = Stage(source)
        gather(stage, arguments.program.resolve())
        mark_orphans(stage)
        import tamis

        environment = dict(os.environ, TAMIS_DOCS_VERSION=tamis.__version__,
                           TAMIS_DOCS_XML=str(doxygen(Path(temporary))))
        shutil.rmtree(arguments.out, ignore_errors=True)
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", SITE,
                   "-d", Path(temporary) / "doctrees", source, arguments.out]
        sys.exit(subprocess.run(command, env=environment).returncode)


if __name__ == "__main__":
    main()
