#!/usr/bin/env bash
# The Python package for the CPU as a wheel in build/wheel, for any Linux with glibc 2.28 or newer (manylinux_2_28), on
# any Debian: `TAMIS_CUDA=OFF make wheel`. Debian's compiler would link against Debian's own glibc; the zig compiler of
# PyPI has the symbols of all old ones. oneTBB is that of PyPI, built for glibc 2.28, and goes into the wheel; so does
# Debian's Highway, which asks for nothing newer than glibc 2.14. auditwheel refuses the wheel if that is not so.
# PYTHON (python3) chooses the interpreter: from 3.12 on the wheel is for all later ones (abi3), before for it alone.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$PWD/build/cpu-wheel-$("${PYTHON:-python3}" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
cat scripts/wheel_requirements.txt scripts/cpu_wheel_requirements.txt >"${TMPDIR:-/tmp}/tamis-requirements.$$"
trap 'rm -rf "${TMPDIR:-/tmp}/tamis-requirements.$$" "${raw:-}"' EXIT
if ! cmp -s "${TMPDIR:-/tmp}/tamis-requirements.$$" "$tools/requirements.txt"; then
  "${PYTHON:-python3}" -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
    -r "${TMPDIR:-/tmp}/tamis-requirements.$$"
  cp "${TMPDIR:-/tmp}/tamis-requirements.$$" "$tools/requirements.txt"
fi

# The compiler as CMake wants it, one program; and what is taken of Debian's headers, away from those of its C library.
target=$(uname -m)-linux-gnu.2.28
stage=$tools/stage
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
rm -rf "$stage"
mkdir -p "$stage/include" "$stage/lib/cmake" "$stage/lib/pkgconfig"
for driver in cc c++; do
  printf '#!/bin/sh\nexec "%s" %s -target %s "$@"\n' \
    "$("$tools/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')" \
    "$driver" "$target" >"$stage/zig-$driver"
  chmod +x "$stage/zig-$driver"
done
cp -r /usr/include/hwy /usr/include/fmt "$stage/include/"
cp -P /usr/lib/"$multiarch"/libhwy.so* "$stage/lib/"
# CMake's file for fmt looks three folders above itself.
mkdir -p "$stage/lib/$multiarch/cmake"
cp -r /usr/lib/"$multiarch"/cmake/fmt "$stage/lib/$multiarch/cmake/"
cp -P /usr/lib/"$multiarch"/libfmt.* "$stage/lib/$multiarch/"
sed "s|^prefix=.*|prefix=$stage|; s|^libdir=.*|libdir=$stage/lib|" /usr/lib/"$multiarch"/pkgconfig/libhwy.pc \
  >"$stage/lib/pkgconfig/libhwy.pc"

raw=$(mktemp -d)
define() { echo "--config-setting=cmake.define.$1"; }
export ZIG_GLOBAL_CACHE_DIR=$tools/zig-cache PKG_CONFIG_PATH=$stage/lib/pkgconfig PATH=$tools/bin:$PATH
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export CC=$stage/zig-cc CXX=$stage/zig-c++
# nanobind relies on <cstdio> coming with other headers, which libc++ does not grant.
"$tools/bin/python" -m build --wheel --no-isolation --outdir "$raw" "--config-setting=build-dir=$tools/build" \
  "$(define TAMIS_CUDA=OFF)" "$(define "TBB_DIR=$tools/lib/cmake/tbb")" \
  "$(define "fmt_DIR=$stage/lib/$multiarch/cmake/fmt")" "$(define CMAKE_DISABLE_PRECOMPILE_HEADERS=ON)" \
  "$(define "CMAKE_CXX_FLAGS=-include cstdio -ffile-prefix-map=$PWD=. -ffile-prefix-map=$tools=.")" \
  . >"$raw/log" 2>&1 || { tail -n 40 "$raw/log" >&2; exit 1; }
mkdir -p build/wheel
LD_LIBRARY_PATH=$stage/lib:$tools/lib auditwheel repair --plat "manylinux_2_28_$(uname -m)" --wheel-dir build/wheel \
  "$raw"/*.whl >"$raw/log" 2>&1 || { tail -n 40 "$raw/log" >&2; exit 1; }
du -h build/wheel/*.whl
