"""What a report of a fault needs to say of this Python and this machine: ``python -m tamis.doctor [--json]``.

>>> from tamis.doctor import examine
>>> examine()["tamis"]["version"] == tamis.__version__
True
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys

import tamis

__all__ = ["examine"]

# What tamis works with where it is installed, and what people compare it with.
_PACKAGES = [
    "numpy", "scipy", "scikit-image", "opencv-python", "opencv-python-headless", "diplib", "porespy", "dask", "zarr",
    "h5py", "tifffile", "imageio", "nibabel", "pydicom", "matplotlib", "pandas", "torch", "cupy-cuda13x",
    "cupy-cuda12x", "cucim-cu13", "cucim-cu12", "nvidia-npp", "nvidia-npp-cu12",
]  # fmt: skip
_VARIABLES = ["CUDA_VISIBLE_DEVICES", "CUDA_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "OMP_NUM_THREADS"]


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "not known"


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"
    except (OSError, ValueError):
        return "not known"


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _gpu(facts: dict[str, object]) -> str:
    text = f"{facts['name']}, compute capability {facts.get('compute_capability')}"
    return text + ("; usable" if facts["usable"] else f"; not usable: {facts['problem']}")


def examine() -> dict[str, dict[str, str]]:
    """Everything that a report needs, by section: {"tamis": {"version": "0.1.0", ...}, "machine": ...}."""
    cpu, *gpus = tamis.devices()
    return {
        "tamis": {
            "version": tamis.__version__,
            "module": os.path.dirname(tamis.__file__),
            "CUDA": cpu["cuda_build"] or "not built in",
        },
        "machine": {
            "python": sys.version.replace("\n", " "),
            "system": platform.platform(),
            "processor": _processor(),
            "tamis uses": cpu["name"],
            "memory": _memory(),
        },
        "gpus": {gpu["device"]: _gpu(gpu) for gpu in gpus} or {"no GPU": str(cpu["why_no_gpu"])},
        "packages": _versions(),
        "environment": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tamis.doctor", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    found = examine()
    if parser.parse_args(arguments).json:
        print(json.dumps(found, indent=2))
        return 0
    for title, facts in found.items():
        print(title)
        for name, value in facts.items():
            print(f"  {name:<22}{value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
