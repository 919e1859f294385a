#!/usr/bin/env bash
# The Python package as a wheel in build/wheel, with the shared libraries it needs inside: for any machine with a glibc
# and a Python as new as this one's. Run by `make wheel`; the argument is TAMIS_CUDA_ARCHITECTURES, empty for none.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=build/wheel-venv
folder=build/wheel
if ! cmp -s scripts/wheel_requirements.txt "$tools/requirements.txt"; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r scripts/wheel_requirements.txt
  cp scripts/wheel_requirements.txt "$tools/requirements.txt"
fi

raw=$(mktemp -d)
trap 'rm -rf "$raw"' EXIT
settings=()
[ -z "${1:-}" ] || settings+=("--config-setting=cmake.define.TAMIS_CUDA_ARCHITECTURES=$1")
# Not isolated: the tools are there, pinned. The build folder stays, so that a second wheel is quick.
"$tools/bin/python" -m build --wheel --no-isolation --outdir "$raw" \
  "--config-setting=build-dir=build/wheel-build" "${settings[@]}" . >"$raw/log" 2>&1 ||
  { tail -n 40 "$raw/log" >&2; exit 1; }
rm -rf "$folder"
PATH="$PWD/$tools/bin:$PATH" "$tools/bin/auditwheel" repair --wheel-dir "$folder" "$raw"/*.whl >"$raw/log" 2>&1 ||
  { tail -n 40 "$raw/log" >&2; exit 1; }
du -h "$folder"/*.whl
