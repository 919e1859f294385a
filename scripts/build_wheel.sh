#!/usr/bin/env bash
# The Python package as a wheel in build/wheel, with the program `tamis` and all libraries inside, for any Linux with glibc
# 2.28 or newer (manylinux_2_28). Run by `make wheel`; the argument is TAMIS_CUDA_ARCHITECTURES, empty for none. The GPU part is in it
# where there is nvcc, unless TAMIS_CUDA=OFF, and its name says so (build tag 1cuda, which pip prefers to none).
#
# Made by Python 3.12 or newer it is for all later ones (abi3), by an older one for that alone. PYTHON chooses; by itself it
# is the newest on the path that has its headers.
#
# The system's compiler is used, and links against names of the old glibc (scripts/old_glibc.py). Its own C++ runtime and all
# foreign libraries (scripts/wheel_libraries.sh, kept in build/wheel-libraries) are static, so that module, program and what
# decodes for them stand alone. auditwheel refuses the wheel if any of that is not so.
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

libraries=$PWD/build/wheel-libraries
scripts/wheel_libraries.sh "$libraries"
mkdir -p "$work/licenses"
cp "$libraries"/licenses/* "$work/licenses"
cp "$tools"/lib/python3*/site-packages/nanobind-*.dist-info/licenses/LICENSE "$work/licenses/nanobind.txt"

linked="-Wl,--gc-sections"
settings=("TAMIS_CUDA=$cuda" "TAMIS_GDCM=ON" "CMAKE_SKIP_INSTALL_RPATH=ON" "TAMIS_LICENSES=$work/licenses"
          "CMAKE_PREFIX_PATH=$libraries/prefix" "CMAKE_PROJECT_INCLUDE=$PWD/cmake/static.cmake"
          "CMAKE_MODULE_LINKER_FLAGS=$linked $(scripts/old_glibc.py "$work/glibc")"
          "CMAKE_EXE_LINKER_FLAGS=$linked $(scripts/old_glibc.py --program "$work/glibc")"
          "CMAKE_CXX_FLAGS=-ffunction-sections -fdata-sections -ffile-prefix-map=$PWD=. -ffile-prefix-map=$work=.")
[ -z "${1:-}" ] || settings+=("TAMIS_CUDA_ARCHITECTURES=$1")
tag=()
[ "$cuda" = OFF ] || tag=(--config-setting=wheel.build-tag=1cuda)

raw=$(mktemp -d)
trap 'rm -rf "$raw"' EXIT
run() { "$@" >"$raw/log" 2>&1 || { tail -n 40 "$raw/log" >&2; exit 1; }; }
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH PATH=$tools/bin:$PATH PKG_CONFIG_PATH=$libraries/prefix/lib/pkgconfig
# CMake does not know that they depend on what old_glibc.py makes.
rm -f "$work"/build/python/tamis/_native*.so "$work"/build/libexec/tamis/* "$work/build/bin/tamis"
# Not isolated: the tools are there, pinned. The build folder stays, so that a second wheel is quick.
run python -m build --wheel --no-isolation --outdir "$raw" "--config-setting=build-dir=$work/build" \
  "${settings[@]/#/--config-setting=cmake.define.}" "${tag[@]}" .
# A module has undefined names by nature, those of Python; what else has no version came after glibc 2.28.
unknown=$(nm -D --undefined-only "$work"/build/python/tamis/_native*.so | awk '$1 == "U" && $2 !~ /@|^_?Py/ { print $2 }')
[ -z "$unknown" ] || { echo "not in glibc 2.28, nor in scripts/old_glibc.py: ${unknown//$'\n'/ }" >&2; exit 1; }
run auditwheel repair --plat "manylinux_2_28_$(uname -m)" --wheel-dir "$raw/whole" "$raw"/*.whl
mkdir -p build/wheel
for wheel in "$raw"/whole/*.whl; do
  mv "$wheel" build/wheel/
  du -h "build/wheel/${wheel##*/}"
done
