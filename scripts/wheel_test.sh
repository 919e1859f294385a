#!/usr/bin/env bash
# Tries a wheel in empty environments: scripts/wheel_test.sh [--files FOLDER] WHEEL [PYTHON...], python3 if none is named. Each
# gets NumPy of PyPI and the wheel; tests/install/wheel.py says what is tried, wheel_files.py makes the folder.
set -euo pipefail
files=()
if [ "${1:-}" = --files ]; then
  files=(--files "$(realpath "$2")")
  shift 2
fi
[ $# -gt 0 ] || { echo "usage: $0 [--files FOLDER] WHEEL [PYTHON...]" >&2; exit 2; }
[ -f "$1" ] || { echo "$0: no such wheel: $1" >&2; exit 2; }
wheel=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- python3
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/install/wheel.py "$work"
try() { (cd "$work" && env -i PATH="$work/venv/bin:/usr/bin:/bin" HOME="$work" venv/bin/python "$@"); }
for python in "$@"; do
  "$python" -m venv --clear "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: numpy "$wheel"
  try wheel.py "${files[@]}"
  try -m tamis.doctor >/dev/null
  try -m tamis.bench --quick 2>/dev/null | tail -n 3
done
