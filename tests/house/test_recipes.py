"""The recipes of packaging/ say what CMakeLists.txt, pyproject.toml and scripts/install_packages.sh say."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
VERSION = re.search(r"project\(tamis VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
PYTHON = tomllib.loads((ROOT / "pyproject.toml").read_text())
# What Debian's packages are called in Spack.
SPACK = {"libtbb-dev": "tbb", "libhwy-dev": "highway", "libfmt-dev": "fmt", "libtiff-dev": "libtiff", "libhdf5-dev": "hdf5",
         "libpng-dev": "libpng", "libjpeg-dev": "jpeg", "zlib1g-dev": "zlib-api", "libbz2-dev": "bzip2", "libdeflate-dev": "libdeflate",
         "libzstd-dev": "zstd", "libblosc-dev": "c-blosc",
         "libcli11-dev": "cli11", "nlohmann-json3-dev": "nlohmann-json",
         "libopenmpi-dev": "mpi"}  # fmt: skip


def test_every_recipe_has_the_version():
    for name, pattern in (("Dockerfile", r'version="(.*?)"'), ("tamis.def", r"Version (\S+)"),
                          ("conda/recipe.yaml", r'version: "(.*?)"'), ("spack/package.py", r'version\("(.*?)"\)')):  # fmt: skip
        assert re.findall(pattern, (PACKAGING / name).read_text()) == [VERSION], name


def test_conda_has_what_pyproject_wants():
    recipe = (PACKAGING / "conda" / "recipe.yaml").read_text()
    wanted = PYTHON["build-system"]["requires"] + PYTHON["project"]["dependencies"]
    wanted.append(f"python{PYTHON['project']['requires-python']}")
    for requirement in wanted:
        name, bound = re.fullmatch(r"([a-z-]+)(.*)", requirement).groups()
        assert f"    - {name} {bound}\n" in recipe


def test_spack_has_every_library():
    text = (PACKAGING / "spack" / "package.py").read_text()
    ast.parse(text)
    script = (ROOT / "scripts" / "install_packages.sh").read_text()
    for debian, spack in SPACK.items():
        assert debian in script and f'"{spack}"' in text


def test_containers_install_what_make_deb_makes():
    for name in ("Dockerfile", "tamis.def"):
        text = (PACKAGING / name).read_text()
        assert "make deb" in text and "tamis_*.deb" in text
