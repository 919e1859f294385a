#!/usr/bin/env bash
# The foreign libraries of a wheel as static ones, in FOLDER/prefix, with their licences in FOLDER/licenses and what is in them
# in FOLDER/versions: scripts/wheel_libraries.sh FOLDER. What is there already is left alone.
#
# They come from the source packages of this Debian or Ubuntu, which apt verifies by the signed lists of the release. The
# table below pins their versions and tarballs once more; a release that it does not know has those that apt gives.
#
# Built are those of which there is no static library, or one that asks for more than tamis has use for (libtiff's for JBIG,
# whose licence is the GPL, LERC and WebP; HDF5's for curl and OpenSSL), or one without -fPIC, which the Python module needs
# (bzip2, libpng). The others are the system's.
# shellcheck disable=SC2046  # of_system prints several words
set -euo pipefail
folder=$(realpath -m "${1:?usage: $0 FOLDER}")
cd "$(dirname "$0")/.."
# shellcheck source=/dev/null
. /etc/os-release

# Release, source package, checksum of its tarball; patches, those for security, may be newer.
pinned() {
  cat <<'TABLE'
bookworm bzip2 ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269
bookworm fmtlib 84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583
bookworm gdcm 7c456162a2de722cc90e3bdc46900302b1c367540a7131268d7bfd2a819cb5ed
bookworm hdf5 7b38e58ff83b13fd8959a90b13bf896bc318ba096c940ab0847abf3ad41a0b31
bookworm highway 566fc77315878473d9a6bd815f7de78c73734acdcb745c3dde8579560ac5440e
bookworm libpng1.6 a00e9d2f2f664186e4202db9299397f851aea71b36a35e74910b8820e380d441
bookworm libxlsxwriter b379eb35fdd9c653ebe72485b9c992f612c7ea66f732784457997d6e782f619b
bookworm onetbb 7e9111b8bb59c8800bf6d0b06afe7b0891937443d2dae1ee1101c8e2ede6a7ef
bookworm openjpeg2 007e19d772c8b6b22e35379630b06ff3549e49ba719d96453607a36ad7b4de73
bookworm tiff 638f43d7dea33948d5dee7f39572fc0194d9cc3c74195de9dd26a4388a1f880a
TABLE
}

stamp=$(sha256sum scripts/wheel_libraries.sh | cut -d' ' -f1)-$VERSION_CODENAME
[ "$(cat "$folder/made" 2>/dev/null)" != "$stamp" ] || exit 0
scripts/install_packages.sh dpkg-dev libaec-dev liblz4-dev liblzma-dev libsnappy-dev
pinned | grep -q "^$VERSION_CODENAME " || echo "note: no checksums here for $PRETTY_NAME; those of apt are taken" >&2
prefix=$folder/prefix
rm -rf "$folder"
mkdir -p "$folder"/{apt/lists/partial,apt/cache/archives/partial,apt/parts,sources,licenses} "$prefix"/{include,lib/pkgconfig}
trap '[ $? = 0 ] || tail -n 40 "$folder/log" >&3' EXIT
exec 3>&2 >"$folder/log" 2>&1

# ---- sources: the system's own lists, once more for source packages ----
apt() {
  local tool=$1
  shift
  "$tool" -q -o Dir::Etc::sourcelist="$folder/apt/list" -o Dir::Etc::sourceparts="$folder/apt/parts" \
    -o Dir::State::lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User=root "$@"
}
sed -nE "s/^deb( .*[ /]$VERSION_CODENAME(-[a-z]+)? )/deb-src\1/p" /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
  >"$folder/apt/list" 2>/dev/null || true
for file in /etc/apt/sources.list.d/*.sources; do
  [ ! -f "$file" ] || awk -v RS= -v ORS='\n\n' "/Suites:[^\\n]* $VERSION_CODENAME/" "$file" |
    sed 's/^Types:.*/Types: deb-src/' >"$folder/apt/parts/${file##*/}"
done
apt apt-get update

# Unpacks a source package, the newest version that the mirror has: a mirror that is being updated may lack one.
unpack() {
  local package=$1 version sum
  cd "$folder/sources"
  for version in $(apt apt-cache showsrc --only-source "$package" | sed -n 's/^Version: //p' | sort -Vru); do
    apt apt-get source --only-source --download-only "$package=$version" && break
    rm -f "$package"_*
  done
  sum=$(pinned | awk -v release="$VERSION_CODENAME" -v name="$package" '$1 == release && $2 == name { print $3 }')
  [ -z "$sum" ] || echo "$sum  $(echo "$package"_*.orig.tar.*[z2])" | sha256sum --check
  dpkg-source --extract "$package"_*.dsc "$package"
  cp "$package/debian/copyright" "$folder/licenses/$package.txt"
  echo "$package $version" >>"$folder/versions"
}

# ---- building ----
flags="-O2 -fPIC -ffunction-sections -fdata-sections -ffile-prefix-map=$folder=."
build() {  # PACKAGE TARGET SETTINGS...
  local package=$1 target=$2
  shift 2
  unpack "$package"
  mkdir -p "$folder/build/$package"
  cd "$folder/build/$package"  # HDF5 looks there for what it has tried
  cmake "$folder/sources/$package" -G Ninja -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_PREFIX_PATH="$prefix" -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF "$@"
  ninja "$target"
}

unpack bzip2
make -C bzip2 libbz2.a CFLAGS="$flags -D_FILE_OFFSET_BITS=64"
cp bzip2/bzlib.h "$prefix/include"
cp bzip2/libbz2.a "$prefix/lib"
build fmtlib install -DFMT_TEST=OFF -DFMT_DOC=OFF
build highway install -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF
build onetbb install -DTBB_TEST=OFF -DTBBMALLOC_BUILD=OFF -DTBB_STRICT=OFF -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON
build libpng1.6 install -DPNG_SHARED=OFF -DPNG_TESTS=OFF
build libxlsxwriter install -DUSE_SYSTEM_MINIZIP=OFF -DUSE_OPENSSL_MD5=OFF
build tiff install -Djbig=OFF -Dlerc=OFF -Dwebp=OFF -Dcxx=OFF -Dtiff-tools=OFF -Dtiff-tests=OFF -Dtiff-contrib=OFF -Dtiff-docs=OFF
build openjpeg2 install -DBUILD_CODEC=OFF
build hdf5 hdf5-static -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_HL_LIB=OFF -DHDF5_BUILD_CPP_LIB=OFF \
  -DHDF5_BUILD_UTILS=OFF -DHDF5_ENABLE_Z_LIB_SUPPORT=ON -DHDF5_ENABLE_SZIP_SUPPORT=ON
cmake --install . --component libraries
cmake --install . --component headers
build gdcm gdcmMSFF -DGDCM_BUILD_SHARED_LIBS=OFF -DGDCM_BUILD_APPLICATIONS=OFF -DGDCM_BUILD_TESTING=OFF -DGDCM_BUILD_EXAMPLES=OFF \
  -DGDCM_DOCUMENTATION=OFF -DGDCM_USE_SYSTEM_ZLIB=ON -DGDCM_USE_SYSTEM_OPENJPEG=ON
cmake --install . --component Headers
cp bin/*.a "$prefix/lib"

# ---- what tamis links ----
system=/usr/lib/$(gcc -print-multiarch)
of_system() { printf " $system/lib%s.a" "$@"; }
# A library stands for those that it needs too, by a script of the linker.
with() {  # LIBRARY ARCHIVES...
  mkdir -p "$prefix/lib/alone"
  mv "$prefix/lib/lib$1.a" "$prefix/lib/alone"
  echo "GROUP ( $prefix/lib/alone/lib$1.a ${*:2} )" >"$prefix/lib/lib$1.a"
}
package() {  # NAME VERSION LIBRARIES: for pkg-config
  printf '%s\n' "Name: $1" "Description: as a static library" "Version: $2" "Libs: -L$prefix/lib $3" "Cflags: -I$prefix/include" \
    >"$prefix/lib/pkgconfig/$1.pc"
}
cd "$prefix/lib"
with tiff $(of_system jpeg lzma zstd deflate z)
with gdcmMSFF "$prefix"/lib/{libgdcm{IOD,DSED,DICT,Common,jpeg{8,12,16},charls,uuid},libopenjp2}.a $(of_system z)
package hdf5 "$(sed -n 's/^#define H5_VERS_INFO .*version: \([0-9.]*\).*/\1/p' "$prefix/include/H5public.h")" "-lhdf5 -lsz -laec -lz"
package blosc "$(pkg-config --modversion blosc)" "-lblosc -llz4 -lsnappy -lzstd -lz"

# The licences and versions of what comes from the system.
for name in $(dpkg -S $(of_system z deflate jpeg lzma zstd blosc lz4 snappy aec sz) | cut -d: -f1 | sort -u) \
  nlohmann-json3-dev libcli11-dev "libstdc++-$(gcc -dumpversion)-dev"; do
  cp "/usr/share/doc/$name/copyright" "$folder/licenses/$name.txt"
  dpkg-query -W -f='${Package} ${Version}\n' "$name" | head -n 1 >>"$folder/versions"
done
echo "$stamp" >"$folder/made"
