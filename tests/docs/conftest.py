"""What tests of the documentation share: the modules that build the site, the packages whose images pages use."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """A folder with qim3d and skimage, fetched by the commands of docs/howto/index.md as they stand."""
    folder = tmp_path_factory.mktemp("packages")
    (commands,) = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs/howto/index.md").read_text(), re.DOTALL | re.MULTILINE)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euc", commands], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"qim3d and scikit-image, whose images pages use, could not be fetched: {done.stderr[-300:]}")
    return folder
