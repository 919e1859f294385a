/* Preloaded into the program under test: every system call that writes, makes, names or removes a file is counted, and
   the one of number FAULT_AT goes wrong as FAULT_KIND says: a number is the errno that it fails with; "before" and
   "after" end the process by SIGKILL around it, "half" after half of what it was to write; "hang" never returns.
   What was hit is written to the file FAULT_LOG. Processes of other names are let alone. With FAULT_READS set it is the
   calls that look, open to read, and read which are counted instead. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long at = -1;
static const char *kind = "";
static const char *log_path;
static int reads;

__attribute__((constructor)) static void start(void) {
  const char *const wanted = getenv("FAULT_AT");
  if (wanted && strcmp(program_invocation_short_name, "tamis") == 0) at = atol(wanted);
  if (getenv("FAULT_KIND")) kind = getenv("FAULT_KIND");
  log_path = getenv("FAULT_LOG");
  reads = getenv("FAULT_READS") != NULL;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Is this the call? Then what is to be done before it has been done. */
static int hit_if(int counted, const char *name) {
  if (!counted || at < 0 || atomic_fetch_add(&calls, 1) != at) return 0;
  if (log_path) {
    const long file = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    syscall(SYS_write, file, name, strlen(name));
    syscall(SYS_close, file);
  }
  if (strcmp(kind, "before") == 0) die();
  while (strcmp(kind, "hang") == 0) pause();
  return 1;
}

static int hit(const char *name) { return hit_if(!reads, name); }
static int hit_read(const char *name) { return hit_if(reads, name); }

/* The result of a call that was hit. */
static long outcome(long result) {
  const int error = atoi(kind);
  if (error == 0) die();
  errno = error;
  (void)result;
  return -1;
}

/* A fault instead of the call, or the call and then the end. */
#define FAULTY(name, call)                         \
  do {                                             \
    if (!hit(name)) return call;                   \
    return outcome(atoi(kind) == 0 ? (call) : -1); \
  } while (0)

#define FAULTY_READ(name, call)    \
  do {                             \
    if (!hit_read(name)) return call; \
    return (int)outcome(-1);       \
  } while (0)

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int makes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_PATH)) != 0; }

#define OPEN(name)                                    \
  int name(const char *path, int flags, ...) {        \
    va_list rest;                                     \
    va_start(rest, flags);                            \
    const mode_t mode = va_arg(rest, mode_t);         \
    va_end(rest);                                     \
    if (!makes(flags)) FAULTY_READ("open to read", REAL(name)(path, flags, mode)); \
    FAULTY("open", REAL(name)(path, flags, mode));    \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                              \
  int name(int folder, const char *path, int flags, ...) {        \
    va_list rest;                                                 \
    va_start(rest, flags);                                        \
    const mode_t mode = va_arg(rest, mode_t);                     \
    va_end(rest);                                                 \
    if (!makes(flags)) FAULTY_READ("openat to read", REAL(name)(folder, path, flags, mode)); \
    FAULTY("openat", REAL(name)(folder, path, flags, mode));      \
  }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *bytes, size_t count) {
  if (!hit("write")) return REAL(write)(file, bytes, count);
  return outcome(atoi(kind) != 0 ? -1 : REAL(write)(file, bytes, strcmp(kind, "half") == 0 ? count / 2 : count));
}

#define PWRITE(name, offset)                                                \
  ssize_t name(int file, const void *bytes, size_t count, offset where) {   \
    if (!hit("pwrite")) return REAL(name)(file, bytes, count, where);       \
    return outcome(atoi(kind) != 0 ? -1 : REAL(name)(file, bytes, strcmp(kind, "half") == 0 ? count / 2 : count, where)); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

int fsync(int file) { FAULTY("fsync", REAL(fsync)(file)); }
int fdatasync(int file) { FAULTY("fdatasync", REAL(fdatasync)(file)); }
int sync_file_range(int file, off64_t from, off64_t count, unsigned flags) {
  FAULTY("sync_file_range", REAL(sync_file_range)(file, from, count, flags));
}
int ftruncate(int file, off_t length) { FAULTY("ftruncate", REAL(ftruncate)(file, length)); }
int ftruncate64(int file, off64_t length) { FAULTY("ftruncate", REAL(ftruncate64)(file, length)); }
int fchmod(int file, mode_t mode) { FAULTY("fchmod", REAL(fchmod)(file, mode)); }
int flock(int file, int how) { FAULTY("flock", REAL(flock)(file, how)); }
int rename(const char *from, const char *to) { FAULTY("rename", REAL(rename)(from, to)); }
int renameat(int a, const char *from, int b, const char *to) { FAULTY("renameat", REAL(renameat)(a, from, b, to)); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  FAULTY("renameat2", REAL(renameat2)(a, from, b, to, flags));
}
int mkdirat(int folder, const char *path, mode_t mode) { FAULTY("mkdirat", REAL(mkdirat)(folder, path, mode)); }
int link(const char *from, const char *to) { FAULTY("link", REAL(link)(from, to)); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
  FAULTY("linkat", REAL(linkat)(a, from, b, to, flags));
}
int unlink(const char *path) { FAULTY("unlink", REAL(unlink)(path)); }
int unlinkat(int folder, const char *path, int flags) { FAULTY("unlinkat", REAL(unlinkat)(folder, path, flags)); }

/* The descriptor is gone in any case, as Linux has it. */
int close(int file) {
  if (!hit("close")) return REAL(close)(file);
  if (strcmp(kind, "half") != 0) REAL(close)(file);
  return (int)outcome(-1);
}

ssize_t read(int file, void *bytes, size_t count) {
  if (!hit_read("read")) return REAL(read)(file, bytes, count);
  return outcome(-1);
}

#define PREAD(name, offset)                                         \
  ssize_t name(int file, void *bytes, size_t count, offset where) { \
    if (!hit_read("pread")) return REAL(name)(file, bytes, count, where); \
    return outcome(-1);                                             \
  }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

int stat(const char *path, struct stat *about) { FAULTY_READ("stat", REAL(stat)(path, about)); }
int lstat(const char *path, struct stat *about) { FAULTY_READ("lstat", REAL(lstat)(path, about)); }
int fstat(int file, struct stat *about) { FAULTY_READ("fstat", REAL(fstat)(file, about)); }
int fstatat(int folder, const char *path, struct stat *about, int flags) {
  FAULTY_READ("fstatat", REAL(fstatat)(folder, path, about, flags));
}
int faccessat(int folder, const char *path, int how, int flags) {
  FAULTY_READ("faccessat", REAL(faccessat)(folder, path, how, flags));
}

DIR *opendir(const char *path) { return hit_read("opendir") ? (outcome(-1), NULL) : REAL(opendir)(path); }
struct dirent *readdir(DIR *folder) { return hit_read("readdir") ? (outcome(-1), NULL) : REAL(readdir)(folder); }
