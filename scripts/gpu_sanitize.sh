#!/usr/bin/env bash
# Runs a command of every family of kernels under compute-sanitizer. Any report is a fault: what kernels read beside
# their data is written before (src/core/gpu/device_image.hpp) or is not there. From the repository or from a bundle:
#   gpu_sanitize.sh [FOLDER] [TOOL ...]
# FOLDER holds bin/tamis (the folder above this script's), TOOL is memcheck, racecheck, initcheck or synccheck (all).
# LOGS=FOLDER keeps the reports, JOBS=N runs so many at once. The last line is the verdict; exit code 1 if there was a
# report, 2 if there is nothing to run it with.
set -euo pipefail

folder=$(cd "${1:-$(dirname "$0")/..}" && pwd)
shift || true
tools=${*:-memcheck racecheck initcheck synccheck}
tamis=$folder/bin/tamis
fuzz=$folder/bin/gpu_fuzz
sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer || true)
refuse() { echo "gpu-sanitize: $1" >&2; exit 2; }
[ -x "$tamis" ] || refuse "no $tamis; wanted a build folder or a bundle"
[ -n "$sanitizer" ] || refuse "no compute-sanitizer; wanted CUDA's in PATH or /usr/local/cuda/bin"
"$tamis" devices --quiet --json /dev/stdout | grep -q '"why_no_gpu": null' || refuse "no GPU that can be used"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
logs=${LOGS:-$work/logs}
mkdir -p "$logs"
logs=$(cd "$logs" && pwd)
cd "$work"

# ---- images: rows that are no whole words, more than a tile of them -------------------------------------------------
export LC_ALL=C
noise() { head -c $((8192 + $1)) "$tamis" | tail -c "$1"; }  # the program's own bytes: the same everywhere it is the same
bits() { # number of samples, shape: NumPy's bool
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|b1', 'fortran_order': False, 'shape': ($2), }"
  noise "$1" | tr '\000-\017' '\000' | tr '\001-\377' '\001'
}
noise $((161 * 223)) >u8_161x223_u8.raw
noise $((2 * 131 * 75)) >u16_131x75_u16.raw
noise $((2 * 131 * 75)) >i16_131x75_i16.raw
noise $((4 * 67 * 45)) | tr '\100-\177' '\377' >nan_67x45_f32.raw
noise $((37 * 29 * 17)) >volume_37x29x17_u8.raw
head -c $((301 * 301)) /dev/zero | tr '\000' '\377' >full_301x301_u8.raw
bits $((161 * 223)) '223, 161' >bits.npy
bits $((70 * 9)) '9, 70' >few_bits.npy
bits $((13 * 31 * 67)) '13, 31, 67' >solid_bits.npy
"$tamis" convert u8_161x223_u8.raw f32_161x223_f32.raw --as f32 --quiet
"$tamis" convert volume_37x29x17_u8.raw solid_37x29x17_f32.raw --as f32 --quiet
"$tamis" erode u8_161x223_u8.raw marker_161x223_u8.raw --element square:9 --device cpu --quiet
"$tamis" phantom foam foam_45x37x61_u8.raw --size 45x37x61 --max-radius 12 --quiet
"$tamis" phantom foam flat_97x83x3_u8.raw --size 97x83x3 --max-radius 20 --quiet

# ---- commands -------------------------------------------------------------------------------------------------------
# IN.type stands for the image of that name, OUT for a name of the command's own.
commands() {
  # thresholds: integers, floats, bands, a region
  for method in otsu li kapur minimum triangle isodata mean; do echo "threshold U8 OUT.npy --method $method"; done
  echo "threshold F32 OUT.npy --method otsu
threshold I16 OUT.npy --band -100:900
threshold VOLUME OUT.npy --method li --roi cylinder"
  # granulometry: sweeps and erosions, planes of 4, 6, 8 and 16 bits, maps, slabs, the paper's scheme
  for element in cross cube square; do
    echo "granulometry FOAM --element $element --map OUT.raw
granulometry FOAM --element $element --border neutral --roi cylinder --map OUT.raw
granulometry FOAM --element $element --algorithm paper --map OUT.raw"
  done
  echo "granulometry FLAT --element square --border neutral --max-size 9
granulometry FULL --threshold 9 --element square --map OUT.raw
granulometry FULL --threshold 9 --element cross --map OUT.raw
granulometry FOAM --device-memory 19M
granulometry U8 --grey --element disk --max-size 3"
  # balls: lists and small ones all at once, disks, conventions, wide squares, slabs; distances; porosimetry
  echo "granulometry FOAM --element ball --map-radius OUT.raw
granulometry FOAM --element ball --border neutral --roi cylinder --convention fiji --map OUT.raw
granulometry HARD --element ball --map OUT.raw
granulometry FLAT --element disk --map OUT.raw
granulometry FOAM --element ball --spacing 1x1x3um --map-diameter OUT.raw
distance FULL OUT.npy --threshold 9
distance FOAM OUT.npy --squared --border neutral
porosimetry FOAM --inlet x- --map OUT.raw
porosimetry FOAM --inlet all --convention porespy"
  # boxes: few rows, many rows, combs, wide windows; every border and type
  echo "erode U8 OUT.npy --element square:3
dilate U16 OUT.npy --element square:5 --border reflect
open I16 OUT.npy --element rect:31x9 --border nearest
close F32 OUT.npy --element rect:3x101 --border constant:7
gradient F32 OUT.npy --element rect:65x1
erode U8 OUT.npy --element rect:129x63
tophat VOLUME OUT.npy --element cube:5
open SOLID OUT.npy --element box:3x5x7 --iterations 2"
  # elements with symmetric rows, elements of any form, bits
  for image in U8 U16 I16 F32 BITS; do echo "open $image OUT.npy --element disk:7"; done
  echo "erode F32 OUT.npy --element octagon:12 --border reflect
dilate VOLUME OUT.npy --element ball:4
dilate HARD OUT.npy --element ball:2
open HARD OUT.npy --element cube:3 --iterations 2
erode BITS OUT.npy --element square:3 --iterations 3
dilate BITS OUT.npy --element cross:9
close BITS OUT.npy --element circle:9 --border reflect
close U8 OUT.npy --element circle:9
open F32 OUT.npy --element shift(hexagon:6,40,2) --border nearest
erode U16 OUT.npy --element line:9@30+circle:3
dilate SOLID OUT.npy --element line:19@30,20
erode FEW OUT.npy --element shift(line:40@20,33,1)
erode NAN OUT.npy --element disk:3 --nan ignore
hitmiss U8 OUT.npy --hit square:3 --miss circle:4
asf U8 OUT.npy --element disk:3"
  # reconstruction
  echo "reconstruct MARKER U8 OUT.npy
reconstruct MARKER U8 OUT.npy --connectivity face
open SOLID OUT.npy --element cube:3 --by-reconstruction
close BITS OUT.npy --element disk:3 --by-reconstruction"
  # lines: moving segments in one part and in several, traced ones in one launch and in a chain, sweeps
  for image in U8 U16 F32 I16; do
    echo "open $image OUT.npy --element line:31@33
close $image OUT.npy --element line:120@71
open $image OUT.npy --element line:31@33 --lines traced
close $image OUT.npy --element line:40@100 --lines traced"
  done
  echo "open BITS OUT.npy --element line:31@33 --lines traced
erode U8 OUT.npy --element line:9000@20 --lines traced --border fit
orientation U8 --length 21 --orientation OUT.npy --angles 40
orientation F32 --length 21 --orientation OUT.npy --angles 12 --dark
orientation U16 --length 21,60 --lines traced --orientation OUT.npy --angles 12"
  # medians: networks, ordinals, histograms, buckets, majorities; the smoother
  for image in U8 U16 F32 I16; do
    for size in 3 5 9 21; do echo "median $image OUT.npy --size $size"; done
    echo "median $image OUT.npy --element disk:6 --percentile 20 --border shrink
smooth $image OUT.npy --size 55"
  done
  echo "median U8 OUT.npy --size 61 --border shrink
median U16 OUT.npy --size 75
median F32 OUT.npy --size 41 --border shrink
median BITS OUT.npy --size 15
median BITS OUT.npy --element disk:5 --border shrink
median VOLUME OUT.npy --size 3x3x3
median SOLID OUT.npy --size 5x5x5 --iterations 2
median NAN OUT.npy --size 7 --nan ignore"
  # whatever else there is, by chance
  if [ -x "$fuzz" ]; then
    for seed in 1 2 3 4; do echo "FUZZ --workers 1 --seconds ${FUZZ_SECONDS:-20} --seed $seed"; done
  fi
}

run_one() { # number, tool, command
  local number=$1 tool=$2 command=$3 program=$tamis log status=0
  log=$logs/$tool.$number.log
  if [[ $command == FUZZ* ]]; then program=$fuzz; else command+=" --device cuda --quiet"; fi
  command=$(sed -e "s/^FUZZ //; s/\bOUT\./out.$tool.$number./; s/\bU8\b/u8_161x223_u8.raw/; s/\bU16\b/u16_131x75_u16.raw/" \
    -e "s/\bI16\b/i16_131x75_i16.raw/; s/\bF32\b/f32_161x223_f32.raw/; s/\bNAN\b/nan_67x45_f32.raw/" \
    -e "s/\bVOLUME\b/volume_37x29x17_u8.raw/; s/\bSOLID\b/solid_37x29x17_f32.raw/; s/\bBITS\b/bits.npy/" \
    -e "s/\bFEW\b/few_bits.npy/; s/\bHARD\b/solid_bits.npy/; s/\bMARKER\b/marker_161x223_u8.raw/; s/\bFOAM\b/foam_45x37x61_u8.raw/" \
    -e "s/\bFLAT\b/flat_97x83x3_u8.raw/; s/\bFULL\b/full_301x301_u8.raw/" <<<"$command")
  # shellcheck disable=SC2086  # a command is words
  set -f -- $command
  timeout 300 "$sanitizer" --tool "$tool" --error-exitcode 99 --print-limit 20 "$program" "$@" >"$log" 2>&1 || status=$?
  rm -f "out.$tool.$number."*
  [ "$status" = 0 ] && return
  { echo "$tool: $(basename "$program") $* (exit code $status)"
    grep -vE '^={9} *$|COMPUTE-SANITIZER$|Host Frame|Saved host backtrace' "$log" | head -12 | sed 's/^/    /'; } >>"$logs/reports"
}

: >"$logs/reports"
mapfile -t all < <(commands)
running=0
for tool in $tools; do
  # The longest first: those by chance are the last of the list.
  for ((i = ${#all[@]} - 1; i >= 0; --i)); do
    run_one "$i" "$tool" "${all[i]}" &
    if ((++running >= ${JOBS:-$(nproc)})); then wait -n || true; running=$((running - 1)); fi
  done
done
wait
cat "$logs/reports"
count=$(grep -cE '^[a-z]+check: ' "$logs/reports" || true)
what="${#all[@]} commands under $tools"
if [ "$count" = 0 ]; then
  echo "gpu-sanitize: $what: all silent"
else
  echo "gpu-sanitize: $what: $count reported something"
  exit 1
fi
