"""What tests of the documentation share: the modules that build the site, the packages whose images pages use."""

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """A folder with qim3d and skimage, as docs/howto/index.md fetches them."""
    folder = tmp_path_factory.mktemp("packages")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
               "--ignore-requires-python", "--dest", folder, "qim3d==1.5.3"]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("qim3d, whose images pages use, could not be fetched")
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder, [name for name in wheel.namelist() if name.startswith("qim3d/examples/")])
    (folder / "qim3d" / "__init__.py").touch()
    (folder / "skimage").symlink_to(Path(importlib.util.find_spec("skimage").origin).parent)
    return folder
