"""The installed tree that every test of this folder looks at."""

import shutil
from pathlib import Path

import pytest

from installed_tree import BUILD, Installed, run


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """Moved after the installation."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    return Installed(Path(shutil.move(folder / "first", folder / "moved")))


@pytest.fixture(scope="session")
def prefix(installed):
    return installed.prefix
