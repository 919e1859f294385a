#!/usr/bin/env python3
"""What is in Debian packages and wheels of tamis and what they depend on, as CycloneDX 1.5: scripts/sbom.py FILE... >tamis.cdx.json

Shared libraries are those that Debian packages depend on, with the versions that are installed here, where they were built and
linked; what is compiled into them are the headers' packages, in wheels what scripts/wheel_libraries.sh has brought and
nanobind, and the runtime of CUDA where the GPU part is in them. Times and numbers that change from run to run are left out:
the same packages give the same bytes."""

import argparse
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "scripts/wheel_requirements.txt"
# Header libraries, whose code is in the program.
COMPILED_IN = ["libcli11-dev", "nlohmann-json3-dev", "libhwy-dev", "libfmt-dev", "libtbb-dev"]
WHEEL_LIBRARIES = ROOT / "build/wheel-libraries/versions"
OF_CUDA = b"CUDA driver version is insufficient for CUDA runtime version"  # what says that its runtime is linked in


def asked(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"sbom.py: {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def debian_component(package):
    version, architecture = asked("dpkg-query", "-W", "-f=${Version} ${Architecture}\n", package).splitlines()[0].split()
    return distribution_component(package, version, architecture)


def distribution_component(package, version, architecture):
    distribution = re.search(r"^ID=(\w+)", Path("/etc/os-release").read_text(), re.M)[1]
    reference = f"pkg:deb/{distribution}/{package}@{version}?arch={architecture}"
    return {"type": "library", "name": package, "version": version, "purl": reference, "bom-ref": reference}


def our_file(path):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"bom-ref": path.name, "licenses": [{"license": {"id": "Apache-2.0"}}],
            "hashes": [{"alg": "SHA-256", "content": digest}]}  # fmt: skip


def package_component(path):
    name, version = asked("dpkg-deb", "-f", str(path), "Package"), asked("dpkg-deb", "-f", str(path), "Version")
    return {"type": "application", "name": name.strip(), "version": version.strip()} | our_file(path)


def needed(path):
    """The packages that one depends on, without tamis's own."""
    words = asked("dpkg-deb", "-f", str(path), "Depends").split(",")
    names = [re.match(r"\s*([a-z0-9.+-]+)", word)[1] for word in words if word.strip()]
    return sorted(name for name in names if not name.startswith("tamis"))


def cuda_component():
    """Its runtime, which has the release of the compiler that the build finds."""
    nvcc = next(filter(None, map(shutil.which, ("nvcc", "/usr/local/cuda/bin/nvcc", ROOT / "build/cuda/bin/nvcc"))), "nvcc")
    version = re.search(r"\bV([0-9.]+)", asked(nvcc, "--version"))[1]
    reference = f"pkg:generic/cuda-runtime@{version}"
    return {"type": "library", "name": "cuda-runtime", "version": version, "purl": reference, "bom-ref": reference}


def cuda_in(contents):
    """That component where one of the files has the runtime inside, otherwise nothing."""
    return [cuda_component()] if any(OF_CUDA in content for content in contents) else []


def in_package(path):
    packed = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as tree:
        contents = [tree.extractfile(member).read() for member in tree if member.isfile()]
    return [debian_component(name) for name in sorted({*needed(path), *COMPILED_IN})] + cuda_in(contents)


# ---- wheels ---------------------------------------------------------------------------------------------------------


def wheel_component(path):
    version = path.name.split("-")[1]
    return {"type": "library", "name": "tamis", "version": version} | our_file(path)


def nanobind_component():
    """With the version that wheels are made with."""
    version = re.search(r"^nanobind==(\S+)", REQUIREMENTS.read_text(), re.M)[1]
    reference = f"pkg:pypi/nanobind@{version}"
    return {"type": "library", "name": "nanobind", "version": version, "purl": reference, "bom-ref": reference}


def in_wheel(path):
    """What lies in a wheel beside tamis: what is compiled in; auditwheel has nothing to add."""
    with zipfile.ZipFile(path) as wheel:
        added = [name for name in wheel.namelist() if ".libs/" in name]
        contents = [wheel.read(name) for name in wheel.namelist()]
    if added:
        sys.exit(f"sbom.py: {path.name} has {', '.join(added)}, of which nothing is known here")
    architecture = asked("dpkg", "--print-architecture").strip()
    found = [distribution_component(*line.split(), architecture) for line in WHEEL_LIBRARIES.read_text().splitlines()]
    return [*found, nanobind_component(), *cuda_in(contents)]


# ---- the whole ------------------------------------------------------------------------------------------------------


def bill(paths):
    packages, wheels = ([path for path in paths if path.suffix == suffix] for suffix in (".deb", ".whl"))
    parts = {path.name: in_package(path) for path in packages}
    parts |= {path.name: in_wheel(path) for path in wheels}
    libraries = {part["bom-ref"]: part for found in parts.values() for part in found}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "components": [*map(package_component, packages), *map(wheel_component, wheels),
                       *(libraries[reference] for reference in sorted(libraries))],
        "dependencies": [{"ref": name, "dependsOn": sorted(part["bom-ref"] for part in found)} for name, found in parts.items()],
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path, nargs="+", metavar="FILE")
    paths = sorted(parser.parse_args().packages)
    for path in paths:
        if not path.is_file() or path.suffix not in (".deb", ".whl"):
            parser.error(f"{path} is no .deb and no .whl that exists")
    print(json.dumps(bill(paths), indent=1))


if __name__ == "__main__":
    main()
