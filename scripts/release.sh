#!/usr/bin/env bash
# What a release consists of, in build/release: Debian packages, the source, the wheel without the GPU part and those that
# `make wheel` has left, the changes, a list of what is in the packages (CycloneDX), and checksums. Run by `make release`,
# after `make deb`.
# Times inside are those of the last commit, so that another run on it gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
[ -z "$(git status --porcelain)" ] || echo "note: there are changes that are not committed; they are in the source too" >&2

tools=build/release-tools
scripts/wheel_tools.sh python3 "$tools" scripts/wheel_requirements.txt
TAMIS_CUDA=OFF scripts/build_wheel.sh

folder=build/release
log=build/release.log
rm -rf "$folder"
mkdir -p "$folder"
cp build/*.deb build/wheel/*.whl CHANGELOG.md "$folder"
"$tools/bin/python" -m build --sdist --no-isolation --outdir "$folder" . >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
"$tools/bin/python" scripts/sbom.py "$folder"/*.deb >"$folder/tamis.cdx.json"
(cd "$folder" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
ls -1 "$folder"
