#!/usr/bin/env bash
# build/imagej/tamis_.jar: build.sh BUILD. (ImageJ looks only into jars with an underscore in their name.) Wants
# what `make imagej` installs and builds.
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
out=$build/imagej
jars=/usr/share/java
rm -rf "$out/classes" && mkdir -p "$out/classes"
javac --release 8 -Xlint:all,-options,-processing -Werror -encoding UTF-8 -cp "$jars/ij.jar:$jars/jna.jar" \
  -d "$out/classes" "$here"/src/tamis/imagej/*.java
"$here/menu.py" "$build/bin/tamis" >"$out/classes/plugins.config"

# The library and what it needs, each after those that it needs. What every Linux has stays there.
natives=$out/classes/native/linux-$(java -XshowSettings:properties -version 2>&1 | sed -n 's/ *os\.arch = //p')
mkdir -p "$natives"
needed=$(LD_LIBRARY_PATH=$out ldd "$out/libtamis.so.0.1" | sed -n 's/.* => \(\/.*\) (.*/\1/p' |
  grep -vE '/(libc|libm|libgcc_s|libstdc\+\+|libpthread|libdl|librt)\.so' || true)
: >"$natives/libraries"
foreign=$(printf '%s\n' "$needed" | grep -v libtamis)
own=$(printf '%s\n' "$needed" | grep libtamis)
for file in $foreign $own "$out/libtamis.so.0.1"; do
  name=$(basename "$file")
  cp -L "$file" "$natives/$name" && chmod u+w "$natives/$name"
  strip --strip-unneeded "$natives/$name"
  echo "$name" >>"$natives/libraries"
done
jar cf "$out/tamis_.jar" -C "$out/classes" .
