#!/usr/bin/env python3
"""Makes what a library is linked against so that it runs with glibc 2.28, on a system whose glibc is newer:
old_glibc.py FOLDER. Needs gcc and objdump; prints the options for the linker.

glibc keeps the old versions of its symbols, but the linker takes the newest. In FOLDER come libraries of the same names
that hold nothing but the names, each in its newest version up to 2.28. What has come later is not in them: with -z defs its
use is an error of the linker, and build_wheel.sh asks which names of a module nobody has. The few that headers and the
static C++ runtime bring along are written here (MISSING)."""

import re
import subprocess
import sys
from pathlib import Path

NEWEST = (2, 28)
SPLIT = ("libpthread.so.0", "libdl.so.2", "librt.so.1")  # until 2.34 these had names that libc.so.6 has now
# One line of objdump -T: flags, section, size, version (in parentheses where it is not the default), name.
SYMBOL = re.compile(r"^[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+)\s+\(?GLIBC_([0-9.]+)\)?\s+(\S+)$", re.MULTILINE)

# The flag says whether a process has one thread only: 0 is always right.
MISSING = r"""
#define INSIDE __attribute__((visibility("hidden")))
#ifdef __x86_64__
#define STAT_VERSION 1
#else
#define STAT_VERSION 0
#endif
int __xstat(int, const char*, void*);
int __lxstat(int, const char*, void*);
int __fxstat(int, int, void*);
int __fxstatat(int, int, const char*, void*, int);
long strtol(const char*, char**, int);
unsigned long strtoul(const char*, char**, int);
long long strtoll(const char*, char**, int);
unsigned long long strtoull(const char*, char**, int);
INSIDE char __libc_single_threaded = 0;
#define STATS(wide) \
  INSIDE int stat##wide(const char* name, void* to) { return __xstat(STAT_VERSION, name, to); } \
  INSIDE int lstat##wide(const char* name, void* to) { return __lxstat(STAT_VERSION, name, to); } \
  INSIDE int fstat##wide(int file, void* to) { return __fxstat(STAT_VERSION, file, to); } \
  INSIDE int fstatat##wide(int at, const char* name, void* to, int flags) { \
    return __fxstatat(STAT_VERSION, at, name, to, flags); \
  }
STATS()
STATS(64)
INSIDE long __isoc23_strtol(const char* text, char** end, int base) { return strtol(text, end, base); }
INSIDE unsigned long __isoc23_strtoul(const char* text, char** end, int base) { return strtoul(text, end, base); }
INSIDE long long __isoc23_strtoll(const char* text, char** end, int base) { return strtoll(text, end, base); }
INSIDE unsigned long long __isoc23_strtoull(const char* text, char** end, int base) { return strtoull(text, end, base); }
"""


def parts(version):
    return tuple(int(part) for part in version.split("."))


def names(library):
    """{name: (version, is it a function, size)}, the newest that is old enough."""
    found = {}
    listed = subprocess.run(["objdump", "-T", library], check=True, capture_output=True, text=True).stdout
    for flags, section, size, version, name in SYMBOL.findall(listed):
        if section in ("*UND*", "*ABS*") or parts(version) > NEWEST:
            continue
        if name not in found or parts(version) > parts(found[name][0]):
            found[name] = version, flags.endswith("F") or "i" in flags, int(size, 16)
    return found


def make(library, folder):
    """A library of the same name with the names alone."""
    found = names(library)
    lines = ['\t.section .note.GNU-stack,"",@progbits\n\t.data']
    for name, (_, is_function, size) in found.items():
        kind = "function" if is_function else "object"
        lines.append(f"\t.globl {name}\n\t.type {name},@{kind}\n{name}:\n\t.skip {max(size, 1)}\n\t.size {name},{max(size, 1)}")
    versions = sorted({version for version, *_ in found.values()}, key=parts)
    script = [f"GLIBC_{version} {{ {'; '.join(name for name in found if found[name][0] == version)}; }};" for version in versions]
    source, map_file = folder / f"{library.name}.s", folder / f"{library.name}.map"
    source.write_text("\n".join(lines) + "\n")
    map_file.write_text("\n".join(script) + "\n")
    subprocess.run(["gcc", "-shared", "-nostdlib", f"-Wl,-soname,{library.name}", f"-Wl,--version-script={map_file}",
                    source, "-o", folder / library.name], check=True)  # fmt: skip


def place(name):
    """Where the compiler finds a library."""
    return Path(subprocess.run(["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip())


def main():
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    libc = place("libc.so.6")
    loader = next(libc.resolve().parent.glob("ld-linux*.so.*"))
    for library in (libc, place("libm.so.6"), loader, *map(place, SPLIT)):
        make(library, folder)
    (folder / "libm.so").unlink(missing_ok=True)
    (folder / "libm.so").symlink_to("libm.so.6")
    rest = place("libc_nonshared.a")
    (folder / "libc.so").write_text(f"GROUP ( {folder}/libc.so.6 {rest} AS_NEEDED ( {folder}/{loader.name} ) )\n")
    (folder / "missing.c").write_text(MISSING)
    subprocess.run(["gcc", "-O2", "-fPIC", "-w", "-c", folder / "missing.c", "-o", folder / "missing.o"], check=True)
    split = " ".join(f"{folder}/{name}" for name in SPLIT)
    print(f"-L{folder} {folder}/missing.o -static-libstdc++ -Wl,--exclude-libs,ALL "
          f"-Wl,--push-state,--no-as-needed {split} -Wl,--pop-state")


if __name__ == "__main__":
    main()
