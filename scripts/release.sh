#!/usr/bin/env bash
# What a release consists of, in build/release: Debian packages, the source, the wheel without the GPU part and, where there is
# nvcc, unless TAMIS_CUDA=OFF, that with it, the changes, a list of what is in the packages (CycloneDX), and checksums. Run by
# `make release`, after `make deb`.
# Times inside are those of the last commit, so that another run on it gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
[ -z "$(git status --porcelain)" ] || echo "note: there are changes that are not committed; they are in the source too" >&2

tools=build/release-tools
scripts/wheel_tools.sh python3 "$tools" scripts/wheel_requirements.txt
rm -f build/wheel/*.whl  # what an earlier commit has left has the same names
TAMIS_CUDA=OFF scripts/build_wheel.sh
[ "${TAMIS_CUDA:-}" = OFF ] || scripts/build_wheel.sh usual  # without nvcc: the first once more, which takes seconds

folder=build/release
log=build/release.log
rm -rf "$folder"
mkdir -p "$folder"
cp build/*.deb build/wheel/*.whl CHANGELOG.md "$folder"
"$tools/bin/python" -m build --sdist --no-isolation --outdir "$folder" . >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
"$tools/bin/python" scripts/sbom.py "$folder"/*.deb "$folder"/*.whl >"$folder/tamis.cdx.json"
(cd "$folder" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
ls -1 "$folder"
