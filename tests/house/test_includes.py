"""A file that formats text reaches <fmt/...> by what it includes. In the ordinary build precompiled headers hide that it does
not; under sanitizers, which have none, it could not be compiled."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / name for name in ("src", "bindings", "include", "fuzz", ".")]
INCLUDE = re.compile(r'^#include [<"]([^">]+)[">]', re.MULTILINE)


def found(name, beside):
    places = (folder / name for folder in (beside, *FOLDERS))
    return next((place.resolve() for place in places if place.is_file()), None)


@cache
def reaches_fmt(file):
    names = INCLUDE.findall(file.read_text())
    if any(name.startswith("fmt/") for name in names):
        return True
    headers = (found(name, file.parent) for name in names)
    return any(reaches_fmt(header) for header in headers if header)


def test_what_formats_text_includes_what_does_it():
    files = [file for folder in ("src", "bindings", "fuzz") for file in (ROOT / folder).rglob("*")
             if file.suffix in (".cpp", ".hpp", ".cu", ".cuh") and "fmt::" in file.read_text()]
    assert len(files) > 50
    assert [str(file.relative_to(ROOT)) for file in files if not reaches_fmt(file.resolve())] == []
