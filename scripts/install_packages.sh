#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that are missing to build, test and run tamis.
# Asks for root (sudo) only where something is missing. Further packages may be named.
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config libtbb-dev libhwy-dev libfmt-dev libcli11-dev nlohmann-json3-dev
          libtiff-dev libhdf5-dev libpng-dev libjpeg-dev zlib1g-dev libbz2-dev libdeflate-dev libzstd-dev libblosc-dev libgdcm-dev
          libxlsxwriter-dev
          libopenmpi-dev openmpi-bin libgtest-dev librapidcheck-dev
          gnuplot-nox python3-venv python3-dev "$@")

if ! command -v dpkg-query apt-get >/dev/null; then
  echo "not Debian or Ubuntu, so nothing is installed; tamis needs what these packages hold: ${packages[*]}" >&2
  exit 0
fi

find_missing() {
  local installed package
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package} \n' "${packages[@]}" 2>/dev/null || true)
  missing=()
  for package in "${packages[@]}"; do
    [[ $installed == *"installed $package "* && $installed != *"not-installed $package "* ]] || missing+=("$package")
  done
}

find_missing
[ ${#missing[@]} -gt 0 ] || exit 0
# A second make of this folder waits here, then finds nothing missing.
exec 9<"$0"
flock 9
find_missing
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ]; then as_root=(); elif command -v sudo >/dev/null; then as_root=(sudo); else
  echo "tamis needs these packages, and neither root nor sudo is at hand: ${missing[*]}" >&2
  exit 2
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {  # Another apt may be at work, as on a machine that has just booted: wait for it.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 "$@" >>"$log" 2>&1 </dev/null
}

echo "installing: ${missing[*]}"
# Lists that are only partly fresh may do; if not, the log says why.
apt update || true
if ! apt install -y --no-install-recommends "${missing[@]}"; then
  cat "$log" >&2
  echo "apt-get could not install: ${missing[*]} (on Ubuntu they need the component universe)" >&2
  exit 1
fi
