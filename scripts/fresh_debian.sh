#!/usr/bin/env bash
# Follows the README on a fresh Debian 12 in a folder: scripts/fresh_debian.sh [--tour] [FOLDER]. Needs root and debootstrap.
# The commands are those of the README's first code block after the line <!-- fresh ... -->; with --tour those of docs/tour.md, in one
# shell, and then what it types into Python. They run on the last commit.
set -euo pipefail
follow=README
if [ "${1:-}" = --tour ]; then
  follow=tour
  shift
fi
case "${1:-}" in -*) echo "fresh_debian.sh: $1: wanted --tour or a folder" >&2; exit 2 ;; esac
repository=$(cd "$(dirname "$0")/.." && pwd)
[ "$(id -u)" = 0 ] || { echo "fresh_debian.sh needs root, for debootstrap and chroot" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh_debian.sh needs debootstrap: apt-get install debootstrap" >&2; exit 2; }

if [ $# -gt 0 ]; then root=$(mkdir -p "$1" && cd "$1" && pwd); else root=$(mktemp -d); fi
[ -z "$(ls -A "$root")" ] || { echo "$root is not empty" >&2; exit 2; }

leave() {
  for mount in dev/shm dev/pts proc; do
    ! mountpoint -q "$root/$mount" || umount "$root/$mount"
  done
  # One file system: a mount that would not go is not emptied.
  [ $# -eq 0 ] || rm -rf --one-file-system "$root"
}
if [ $# -gt 0 ]; then trap leave EXIT; else trap 'leave remove' EXIT; fi

# The machine may reach Debian and PyPI only by a mirror or a proxy: the fresh system gets what this one has.
# shellcheck disable=SC2016  # The fields are apt's own.
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
  grep ' bookworm' || true)
mirror=$(awk '$3 == "bookworm" { print $2; exit }' <<<"$sources")
environment=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8)
while IFS= read -r setting; do
  environment+=("$setting")
done < <(env | grep -iE '^((https?|no|all)_proxy|pip_(index_url|extra_index_url|cert|default_timeout)|ssl_cert_file)=' || true)

seconds() { date +%s; }
start=$(seconds)
log=$(mktemp)
debootstrap --variant=minbase --include=git,make,ca-certificates bookworm "$root" ${mirror:+"$mirror"} >"$log" 2>&1 ||
  { tail -n 20 "$log" >&2; exit 1; }
rm -f "$log"
echo "== fresh Debian: $(($(seconds) - start)) s"

[ -z "$sources" ] || echo "$sources" >"$root/etc/apt/sources.list"
cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
for settings in /etc/pip.conf /root/.config/pip/pip.conf /root/.pip/pip.conf; do
  [ ! -f "$settings" ] || install -D "$settings" "$root$settings"
done
cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
chroot "$root" env -i "${environment[@]}" update-ca-certificates >/dev/null
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"

git clone --quiet "$repository" "$root/root/tamis"
echo "== commit $(git -C "$root/root/tamis" log -1 --format='%h %s')"

readme_commands() {
  [ ! -f "$repository/README.md" ] ||
    git -C "$repository" show HEAD:README.md | sed -n '/^<!-- fresh/,$p' |
      awk '/^```/ { if (inside) exit; inside = 1; next } inside' | sed 's/^\$ //' | grep -vE '^(git clone|cd) |^ *(#|$)' || true
}
code_of_tour() {  # of a language: sh, python
  git -C "$repository" show HEAD:docs/tour.md | awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside'
}

if [ "$follow" = tour ]; then
  code_of_tour python >"$root/root/tour.py"
  start=$(seconds)
  chroot "$root" env -i "${environment[@]}" bash -euxo pipefail \
    -c "cd ~/tamis && $(code_of_tour sh) && build/venv/bin/python ~/tour.py" </dev/null
  echo "== $(($(seconds) - start)) s: the tour works on a fresh Debian 12"
  exit
fi

mapfile -t commands < <(readme_commands)
[ ${#commands[@]} -gt 0 ] || commands=("make demo" "make test")

for command in "${commands[@]}"; do
  echo "== \$ $command"
  start=$(seconds)
  chroot "$root" env -i "${environment[@]}" bash -c "cd ~/tamis && $command" </dev/null
  echo "== $(($(seconds) - start)) s: $command"
done
echo "== the README works on a fresh Debian 12"
