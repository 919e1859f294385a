"""A screen that nobody sees, on which napari opens real windows."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "napari"))


@pytest.fixture(scope="session", autouse=True)
def display():
    if shutil.which("Xvfb") is None:
        yield  # the tests are skipped
        return
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x1000x24"], pass_fds=[write],
                              stderr=subprocess.DEVNULL)  # fmt: skip
    os.close(write)
    with os.fdopen(read) as told:
        os.environ["DISPLAY"] = f":{told.readline().strip()}"
    yield
    server.terminate()
    server.wait()
