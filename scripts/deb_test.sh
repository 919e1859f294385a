#!/usr/bin/env bash
# Installs build/*.deb in a fresh Debian 12 in a folder, uses them and removes them: scripts/deb_test.sh [FOLDER].
# The program measures a volume, a C++ program is built against the library by CMake and by pkg-config, and after the
# removal nothing is left. Needs root and debootstrap. Packages made on another release do not install there.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
[ "$(id -u)" = 0 ] || { echo "deb_test.sh needs root, for debootstrap and chroot" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "deb_test.sh needs debootstrap: apt-get install debootstrap" >&2; exit 2; }
ls "$repository"/build/tamis_*.deb >/dev/null 2>&1 || { echo "no build/*.deb; make deb" >&2; exit 2; }

if [ $# -gt 0 ]; then root=$(mkdir -p "$1" && cd "$1" && pwd); else root=$(mktemp -d); fi
[ -z "$(ls -A "$root")" ] || { echo "$root is not empty" >&2; exit 2; }
leave() {
  ! mountpoint -q "$root/proc" || umount "$root/proc"
  [ "$1" = keep ] || rm -rf --one-file-system "$root"
}
if [ $# -gt 0 ]; then trap 'leave keep' EXIT; else trap 'leave remove' EXIT; fi

sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
  'Origin: Debian' | grep ' bookworm' || true)
mirror=$(awk '$3 == "bookworm" { print $2; exit }' <<<"$sources")
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 ||
  { tail -n 20 "$root.log" >&2; exit 1; }
rm -f "$root.log"
[ -z "$sources" ] || echo "$sources" >"$root/etc/apt/sources.list"
cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
mount -t proc proc "$root/proc"
mkdir "$root/root/test"
cp "$repository"/build/tamis*.deb "$repository/tests/install/main.cpp" "$root/root/test/"

inside() {
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    bash -euo pipefail -c "cd /root/test && $1"
}
files() { (cd "$root" && find etc usr var/lib/dpkg/info -xdev \( -type f -o -type l -o -type d \) | LC_ALL=C sort); }

inside 'update-ca-certificates && apt-get -q update && apt-get -q install -y --no-install-recommends g++ cmake make pkg-config' \
  >"$root/root/log" 2>&1 || { tail -n 20 "$root/root/log" >&2; exit 1; }
# What tamis depends on comes first, so that what is there before and after it differs by tamis alone.
inside 'for deb in tamis*.deb; do dpkg-deb -f $deb Depends; done | tr "," "\n" | sed "s/(.*//; s/|.*//" |
  grep -v "^ *tamis" | xargs apt-get -q install -y --no-install-recommends' >"$root/root/log" 2>&1 ||
  { tail -n 20 "$root/root/log" >&2; exit 1; }
files >"$root/root/before"
echo "== installed"
inside 'apt-get -q install -y --no-install-recommends ./tamis*.deb' >"$root/root/log" 2>&1 ||
  { tail -n 20 "$root/root/log" >&2; exit 1; }
inside 'tamis --version && tamis phantom foam --size 48 foam.tif && tamis granulometry foam.tif --csv sizes.csv && head -3 sizes.csv'
inside 'tamis doctor | grep -A4 "^decoders"; test -f /usr/share/man/man1/tamis.1.gz; ! ldd /usr/bin/tamis-mpi | grep "not found"'
echo "== a C++ program, by CMake and by pkg-config"
inside 'printf "cmake_minimum_required(VERSION 3.25)\nproject(user CXX)\nfind_package(tamis REQUIRED)\nadd_executable(user main.cpp)\ntarget_link_libraries(user tamis::tamis)\n" >CMakeLists.txt
  cmake -S . -B b >/dev/null
  cmake --build b >/dev/null
  ./b/user foam.tif
  g++ -std=c++20 main.cpp $(pkg-config --cflags --libs tamis) -o user2
  ./user2 foam.tif'
echo "== removed"
inside 'apt-get -q purge -y tamis tamis-mpi' >"$root/root/log" 2>&1 || { tail -n 20 "$root/root/log" >&2; exit 1; }
files >"$root/root/after"
diff "$root/root/before" "$root/root/after"
echo "== nothing is left"
