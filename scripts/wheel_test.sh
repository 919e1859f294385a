#!/usr/bin/env bash
# Tries a wheel in empty environments: scripts/wheel_test.sh WHEEL [PYTHON...], python3 if none is named. Each gets NumPy of
# PyPI and the wheel; tests/install/wheel.py says what is tried.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: $0 WHEEL [PYTHON...]" >&2; exit 2; }
[ -f "$1" ] || { echo "$0: no such wheel: $1" >&2; exit 2; }
wheel=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- python3
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/install/wheel.py "$work"
try() { (cd "$work" && env -i PATH=/usr/bin:/bin HOME="$work" venv/bin/python "$@"); }
for python in "$@"; do
  "$python" -m venv --clear "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: numpy "$wheel"
  try wheel.py
  try -m tamis.doctor >/dev/null
  try -m tamis.bench --quick 2>/dev/null | tail -n 3
done
