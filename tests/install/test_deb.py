"""The Debian packages, as far as that can be seen without installing them; scripts/deb_test.sh installs them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from installed_tree import BUILD

pytestmark = pytest.mark.extra  # packing takes half a minute


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """{name: file}, packed twice: the bytes are the same."""
    if not shutil.which("dpkg-shlibdeps"):
        pytest.skip("no dpkg-dev")
    made = []
    for _ in range(2):
        folder = tmp_path_factory.mktemp("deb")
        subprocess.run(["cpack", "-G", "DEB", "-B", folder], cwd=BUILD, check=True, capture_output=True,
                       env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "1700000000"})  # fmt: skip
        made.append({re.match(r"[a-z-]+", file.name)[0]: file for file in folder.glob("*.deb")})
    for name, file in made[0].items():
        assert file.read_bytes() == made[1][name].read_bytes(), name
    return made[0]


def told(*words):
    return subprocess.run(["dpkg-deb", *map(str, words)], check=True, capture_output=True, text=True).stdout


def test_the_package_has_what_an_installation_has(packages, prefix):
    inside = {line.split(maxsplit=5)[5].split(" -> ")[0].removeprefix("./usr/")
              for line in told("-c", packages["tamis"]).splitlines() if not line.startswith("d")}  # fmt: skip
    installed = {str(file.relative_to(prefix)) for file in Path(prefix).rglob("*") if not file.is_dir()}
    other = {"share/doc/tamis/LICENSE", "share/man/man1/tamis.1", "bin/tamis-mpi"}
    assert installed - other <= inside
    assert inside - installed == {"share/doc/tamis/copyright", "share/doc/tamis/changelog.gz", "share/man/man1/tamis.1.gz"}


def test_what_it_depends_on_is_computed_and_mpi_is_apart(packages):
    depends = told("-f", packages["tamis"], "Depends")
    for library in ("libc6", "libstdc++6", "libtbb12", "libhwy1"):
        assert re.search(rf"\b{re.escape(library)} \(>= ", depends)
    assert "mpi" not in depends
    if "tamis-mpi" in packages:
        assert "tamis (= " in told("-f", packages["tamis-mpi"], "Depends")
