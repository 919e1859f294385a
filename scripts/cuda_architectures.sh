#!/usr/bin/env bash
# Prints for which GPUs to configure build/: native where this machine has a GPU, otherwise the argument (usual, or one
# for `make demo` and `make test`). Prints nothing where the folder has a choice already; what those took is none.
cd "$(dirname "$0")/.." || exit 1
chosen=$(sed -n 's/^TAMIS_CUDA_ARCHITECTURES:[A-Z]*=//p' build/CMakeCache.txt 2>/dev/null)
if [ -n "$chosen" ] && [ "$chosen" != one ]; then exit 0; fi
if nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then echo native; else echo "$1"; fi
