#!/usr/bin/env bash
# Fetches the CUDA compiler and runtime from PyPI into build/venv, and links them as build/cuda, where
# cmake/cuda.cmake looks. Does nothing where a new enough nvcc is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=13  # the first release that cmake/cuda.cmake takes
for nvcc in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc build/cuda/bin/nvcc; do
  [ -x "$nvcc" ] || continue
  release=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
  if [ "${release:-0}" -ge $wanted ]; then
    echo "CUDA compiler: $nvcc"
    exit 0
  fi
done

[ -x build/venv/bin/pip ] || python3 -m venv build/venv
build/venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: -r cmake/cuda_requirements.txt
toolkit=$(build/venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/nvidia/cu13
# What nvcc and CMake look for and wheels leave out: lib64, and a runtime without a version in its name.
ln -sfn lib "$toolkit/lib64"
ln -sf libcudart.so.13 "$toolkit/lib/libcudart.so"
ln -sfnr "$toolkit" build/cuda
echo "CUDA compiler: build/cuda/bin/nvcc, from PyPI"
