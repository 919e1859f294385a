"""An installed tree, and how programs are compiled for it."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TAMIS_BUILD", ROOT / "build"))
# Nothing that could lead a program to the library of the build folder.
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("LD_")}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=CLEAN, **options)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Installed:
    """A tree, and ways to compile for it."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.packages = next(prefix.glob("**/pkgconfig/tamis.pc")).parent
        self.libraries = self.packages.parent

    def flags(self, package):
        return subprocess.run(["pkg-config", "--cflags", "--libs", package], capture_output=True, text=True, check=True,
                              env=dict(CLEAN, PKG_CONFIG_PATH=str(self.packages))).stdout.split()

    def compile(self, source, program, *flags):
        run("g++", "-std=c++20", source, "-o", program, *flags, f"-Wl,-rpath,{self.libraries}")
        return program

    def build(self, source, build):
        run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        return build
