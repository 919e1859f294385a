#!/usr/bin/env bash
# Makes an environment of Python with pinned packages, unless it is there: wheel_tools.sh PYTHON FOLDER REQUIREMENTS...
set -euo pipefail
python=$1
folder=$2
shift 2
if ! cat "$@" | cmp -s - "$folder/requirements.txt"; then
  "$python" -m venv --clear "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "${@/#/--requirement=}"
  cat "$@" >"$folder/requirements.txt"
fi
