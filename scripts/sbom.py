#!/usr/bin/env python3
"""What is in Debian packages of tamis and what they depend on, as CycloneDX 1.5: scripts/sbom.py PACKAGE.deb... >tamis.cdx.json

Shared libraries are those that the packages depend on, with the versions that are installed here, where they were built
and linked; what is compiled into them are the headers' packages. Times and numbers that change from run to run are
left out: the same packages give the same bytes."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

# Header libraries, whose code is in the program.
COMPILED_IN = ["libcli11-dev", "nlohmann-json3-dev", "libhwy-dev", "libfmt-dev", "libtbb-dev"]


def asked(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"sbom.py: {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def debian_component(package):
    version, architecture = asked("dpkg-query", "-W", "-f=${Version} ${Architecture}\n", package).splitlines()[0].split()
    distribution = re.search(r"^ID=(\w+)", Path("/etc/os-release").read_text(), re.M)[1]
    reference = f"pkg:deb/{distribution}/{package}@{version}?arch={architecture}"
    return {"type": "library", "name": package, "version": version, "purl": reference, "bom-ref": reference}


def package_component(path):
    name, version = asked("dpkg-deb", "-f", str(path), "Package"), asked("dpkg-deb", "-f", str(path), "Version")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"type": "application", "name": name.strip(), "version": version.strip(), "bom-ref": path.name,
            "licenses": [{"license": {"id": "Apache-2.0"}}], "hashes": [{"alg": "SHA-256", "content": digest}]}


def needed(path):
    """The packages that one depends on, without tamis's own."""
    words = asked("dpkg-deb", "-f", str(path), "Depends").split(",")
    names = [re.match(r"\s*([a-z0-9.+-]+)", word)[1] for word in words if word.strip()]
    return sorted(name for name in names if not name.startswith("tamis"))


def bill(paths):
    dependencies = {path.name: sorted({*needed(path), *COMPILED_IN}) for path in paths}
    libraries = {name: debian_component(name) for names in dependencies.values() for name in names}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "components": [*map(package_component, paths), *(libraries[name] for name in sorted(libraries))],
        "dependencies": [{"ref": name, "dependsOn": [libraries[other]["bom-ref"] for other in others]}
                         for name, others in dependencies.items()],
    }  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(json.dumps(bill([Path(name) for name in sorted(sys.argv[1:])]), indent=1))
