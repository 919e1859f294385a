#!/usr/bin/env bash
# The demo: sizes of the air pores in a real scan of cement. Run by `make demo`; everything it makes is in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build/demo
scan=$folder/cement_128x128x128.tif
member=qim3d/examples/cement_128x128x128.tif
scan_sha256=2f7b87cc9d0262b180ec48d31edae3aa90307795e46b8ba63aa6afd84894a674
wheel_sha256=8fb1fab56af679e4bec14b41c9599bf84a6d9710c93b75a916f8a3dc54df789b

is_the_scan() { echo "$scan_sha256  $1" | sha256sum --check --status 2>/dev/null; }

# In a shell of its own, so that its trap ends with it.
obtain() (
  download=$(mktemp -d)
  trap 'rm -rf "$download" "$scan.part"' EXIT
  echo "qim3d==1.5.3 --hash=sha256:$wheel_sha256" >"$download/requirements.txt"
  build/venv/bin/pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --ignore-requires-python --require-hashes --dest "$download" --requirement "$download/requirements.txt"
  build/venv/bin/python -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel: sys.stdout.buffer.write(wheel.read(sys.argv[2]))' \
    "$download"/qim3d-*.whl "$member" >"$scan.part"
  is_the_scan "$scan.part" || { echo "the scan in qim3d 1.5.3 is not the expected one (SHA-256)" >&2; exit 1; }
  mv "$scan.part" "$scan"
)

mkdir -p "$folder"
if ! is_the_scan "$scan"; then obtain; fi
cat <<END
Data: cement with air pores, X-ray CT, 128x128x128 voxels: $member
of the PyPI package qim3d 1.5.3, MIT licence, (c) 2023 the QIM centre, https://qim.dk.
The pores are the dark spheres; Otsu's threshold puts its line around them, so: --phase dark --threshold otsu
What is a sphere is measured by balls: --element ball

END

command=(build/bin/tamis granulometry "$scan" --phase dark --threshold otsu --element ball
         --csv "$folder/cement.csv" --json "$folder/cement.json" --plot "$folder/cement.svg"
         --map "$folder/cement_sizes.tif" --map-diameter "$folder/cement_diameters.tif"
         --picture "$folder/cement.png")
echo "\$ ${command[*]}"
"${command[@]}"

echo
echo "Files in $folder:"
cd "$folder"
describe() { printf '  %-24s %9d bytes  %s\n' "$1" "$(stat --format=%s "$1")" "$2"; }
describe cement.csv "the table of sizes"
describe cement.json "the same, with parameters and times"
describe cement.svg "curve and pattern spectrum"
describe cement_sizes.tif "the size map, for ImageJ, ParaView, Python"
describe cement_diameters.tif "at every voxel the diameter of the largest ball, as Fiji and BoneJ"
describe cement.png "the middle slice beside its size map: the first picture of the README"
