#!/usr/bin/env bash
# Prints for which GPUs to configure build/: native where this machine has a GPU, otherwise the argument (all, or one
# for `make test`). Prints nothing where the folder has a choice already; what `make test` took alone is none.
cd "$(dirname "$0")/.." || exit 1
chosen=$(sed -n 's/^TAMIS_CUDA_ARCHITECTURES:[A-Z]*=//p' build/CMakeCache.txt 2>/dev/null)
if [ -n "$chosen" ] && [ "$chosen" != one ]; then exit 0; fi
if nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then echo native; else echo "$1"; fi
