#!/usr/bin/env bash
# Runs the first notebook in empty environments that have only the wheel and what docs/notebooks/index.md asks for:
# scripts/notebook_test.sh WHEEL [PYTHON...], python3 if none is named. It runs in Jupyter, as readers would run it, and must
# print what is stored in it. Packages and the images come from PyPI.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: $0 WHEEL [PYTHON...]" >&2; exit 2; }
[ -f "$1" ] || { echo "$0: no such wheel: $1" >&2; exit 2; }
wheel=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- python3
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Elsewhere than in the repository, whose package would be found first.
cp docs/site/notebooks.py docs/notebooks/sizes.ipynb docs/notebooks/requirements.txt "$work"
for python in "$@"; do
  "$python" -m venv --clear "$work/venv"
  install() { "$work/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$@"; }
  install "$wheel[io,plot]" -r "$work/requirements.txt"
  # As the notebook says.
  install --no-deps --ignore-requires-python "$(grep -o 'qim3d==[0-9.]*' docs/notebooks/sizes.ipynb | head -n 1)"
  (cd "$work" && env -i PATH="$work/venv/bin:/usr/bin:/bin" HOME="$work" MPLBACKEND=agg venv/bin/python notebooks.py sizes.ipynb)
  echo "sizes.ipynb prints what is stored, with $("$work/venv/bin/python" --version)"
done
