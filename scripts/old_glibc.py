#!/usr/bin/env python3
"""Makes what a library or program is linked against so that it runs with glibc 2.28, on a system whose glibc is newer:
old_glibc.py [--program] FOLDER. Needs gcc and objdump; prints the options for the linker.

glibc keeps the old versions of its symbols, but the linker takes the newest. In FOLDER come libraries of the same names
that hold nothing but the names, each in its newest version up to 2.28. What has come later is not in them: with -z defs its
use is an error of the linker, and build_wheel.sh asks which names of a module nobody has. The few that headers and the
static C++ runtime bring along are written here (MISSING)."""

import argparse
import re
import subprocess
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
void abort(void) __attribute__((noreturn));
int getentropy(void*, unsigned long);
INSIDE unsigned arc4random(void) {
  unsigned value;
  if (getentropy(&value, sizeof value)) abort();
  return value;
}
int __isoc99_vsscanf(const char*, const char*, __builtin_va_list);
INSIDE int __isoc23_sscanf(const char* text, const char* format, ...) {
  __builtin_va_list to;
  __builtin_va_start(to, format);
  int found = __isoc99_vsscanf(text, format, to);
  __builtin_va_end(to);
  return found;
}
"""

# A program's start files hand over no function that runs its constructors, as since 2.34 glibc finds them itself; an older
# one leaves them out. A newer one calls the function that it is given, and then looks for none.
START = r"""
typedef void (*Work)(int, char**, char**);
extern Work __init_array_start[] __attribute__((visibility("hidden")));
extern Work __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);
int __real___libc_start_main(int (*)(int, char**, char**), int, char**, Work, void (*)(void), void (*)(void), void*);
static void construct(int count, char** words, char** variables) {
  _init();
  for (Work* work = __init_array_start; work < __init_array_end; ++work) (*work)(count, words, variables);
}
int __wrap___libc_start_main(int (*run)(int, char**, char**), int count, char** words, Work init, void (*fini)(void),
                             void (*loader_fini)(void), void* stack) {
  return __real___libc_start_main(run, count, words, init ? init : construct, fini, loader_fini, stack);
}
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


def compiled(folder, name, source):
    (folder / f"{name}.c").write_text(source)
    subprocess.run(["gcc", "-O2", "-fPIC", "-w", "-c", folder / f"{name}.c", "-o", folder / f"{name}.o"], check=True)
    return folder / f"{name}.o"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", action="store_true", help="the options for a program")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    libc = place("libc.so.6")
    loader = next(libc.resolve().parent.glob("ld-linux*.so.*"))
    for library in (libc, place("libm.so.6"), loader, *map(place, SPLIT)):
        make(library, folder)
    (folder / "libm.so").unlink(missing_ok=True)
    (folder / "libm.so").symlink_to("libm.so.6")
    rest = place("libc_nonshared.a")
    (folder / "libc.so").write_text(f"GROUP ( {folder}/libc.so.6 {rest} AS_NEEDED ( {folder}/{loader.name} ) )\n")
    objects = [compiled(folder, "missing", MISSING)]
    if asked.program:
        # libgcc_s of this system may ask for what is newer; that of another has a glibc as old as itself.
        objects += [compiled(folder, "start", START), "-Wl,--wrap=__libc_start_main", "-Wl,--allow-shlib-undefined"]
    split = " ".join(f"{folder}/{name}" for name in SPLIT)
    print(f"-L{folder} {' '.join(map(str, objects))} -static-libstdc++ -Wl,--exclude-libs,ALL "
          f"-Wl,--push-state,--no-as-needed {split} -Wl,--pop-state")


if __name__ == "__main__":
    main()
