#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that are missing to build, test and run tamis.
# Asks for root (sudo) only where something is missing.
set -euo pipefail

build=(g++ cmake ninja-build pkg-config libtbb-dev libhwy-dev libfmt-dev libcli11-dev nlohmann-json3-dev
       libtiff-dev libhdf5-dev libpng-dev libjpeg-dev zlib1g-dev
       libgtest-dev librapidcheck-dev libbenchmark-dev)
run=(gnuplot-nox python3-venv)

missing=()
for package in "${build[@]}" "${run[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ]; then as_root=(env); elif command -v sudo >/dev/null; then as_root=(sudo); else
  echo "tamis needs these packages, and neither root nor sudo is at hand: ${missing[*]}" >&2
  exit 2
fi
echo "installing: ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
