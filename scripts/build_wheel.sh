#!/usr/bin/env bash
# The Python package as a wheel in build/wheel, with the shared libraries it needs inside, for any Linux with glibc 2.28 or
# newer (manylinux_2_28). Run by `make wheel`; the argument is TAMIS_CUDA_ARCHITECTURES, empty for none. The GPU part is in it
# where there is nvcc, unless TAMIS_CUDA=OFF, and its name says so (build tag 1cuda, which pip prefers to none).
#
# Made by Python 3.12 or newer it is for all later ones (abi3), by an older one for that alone. PYTHON chooses; by itself it
# is the newest on the path that has its headers.
#
# The system's compiler is used, and links against names of the old glibc (scripts/old_glibc.py) and its own C++ runtime as
# a static library. oneTBB is that of PyPI, built for glibc 2.28. Debian's Highway asks for nothing newer than glibc 2.14.
# auditwheel refuses the wheel if any of that is not so.
set -euo pipefail
cd "$(dirname "$0")/.."

can_build() { "$1" -c 'import os, sysconfig; open(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2>/dev/null; }
python=${PYTHON:-}
for name in python3.{20..12} python3; do
  [ -n "$python" ] || ! can_build "$name" || python=$name
done
python=${python:-python3}
cuda=${TAMIS_CUDA:-OFF}
for nvcc in nvcc /usr/local/cuda/bin/nvcc build/cuda/bin/nvcc; do
  [ -n "${TAMIS_CUDA:-}" ] || ! command -v "$nvcc" >/dev/null || cuda=ON
done
work=$PWD/build/wheel-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-cuda-${cuda,,}
tools=$work/tools
mkdir -p "$work"
scripts/wheel_tools.sh "$python" "$tools" scripts/wheel_requirements.txt

settings=("TAMIS_CUDA=$cuda" "TBB_DIR=$tools/lib/cmake/tbb" "CMAKE_MODULE_LINKER_FLAGS=$(scripts/old_glibc.py "$work/glibc")"
          "CMAKE_CXX_FLAGS=-ffile-prefix-map=$PWD=. -ffile-prefix-map=$work=.")
[ -z "${1:-}" ] || settings+=("TAMIS_CUDA_ARCHITECTURES=$1")
tag=()
[ "$cuda" = OFF ] || tag=(--config-setting=wheel.build-tag=1cuda)

raw=$(mktemp -d)
trap 'rm -rf "$raw"' EXIT
run() { "$@" >"$raw/log" 2>&1 || { tail -n 40 "$raw/log" >&2; exit 1; }; }
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH PATH=$tools/bin:$PATH LD_LIBRARY_PATH=$tools/lib
rm -f "$work"/build/python/tamis/_native*.so  # CMake does not know that it depends on what old_glibc.py makes
# Not isolated: the tools are there, pinned. The build folder stays, so that a second wheel is quick.
run python -m build --wheel --no-isolation --outdir "$raw" "--config-setting=build-dir=$work/build" \
  "${settings[@]/#/--config-setting=cmake.define.}" "${tag[@]}" .
# A module has undefined names by nature, those of Python; what neither it nor the libraries have came after glibc 2.28.
undefined() { nm -D --undefined-only "$1" | awk '$1 == "U" && $2 !~ /@|^_?Py/ { print $2 }'; }
defined() { nm -D --defined-only "$@" | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }'; }
multiarch=$(gcc -print-multiarch)
unknown=$(undefined "$work"/build/python/tamis/_native*.so |
  grep -vxFf <(defined "$tools/lib/libtbb.so" "/usr/lib/$multiarch/libhwy.so") || true)
[ -z "$unknown" ] || { echo "not in glibc 2.28, nor in scripts/old_glibc.py: ${unknown//$'\n'/ }" >&2; exit 1; }
run auditwheel repair --plat "manylinux_2_28_$(uname -m)" --wheel-dir "$raw/whole" "$raw"/*.whl
mkdir -p build/wheel
for wheel in "$raw"/whole/*.whl; do
  mv "$wheel" build/wheel/
  du -h "build/wheel/${wheel##*/}"
done
