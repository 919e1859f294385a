#include "io/confined/program.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "io/confined/wire.hpp"

#if defined(__x86_64__)
#define TAMIS_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define TAMIS_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

namespace tamis::io {

#ifdef TAMIS_AUDIT_ARCH

namespace {

// A signal handler has no other way to know these.
int broker = -1;                  // the socket
std::array<char, 4096> folder{};  // the one that relative names start from

/// Asks tamis for a file. Returns a descriptor or a negative error number, as a system call does. Called from the
/// signal handler: nothing here allocates, and the sockets' calls are safe there.
long ask_for_file(const char* path) {
  const Wire wire(broker);
  std::int32_t error = 0;
  int file = -1;
  if (!wire.put(Reply::OpenFile) || !wire.put_text(path, std::strlen(path)) || !wire.get(error)) ::_exit(1);
  if (error != 0) return -error;
  if (!wire.get_file(file)) ::_exit(1);
  return file;
}

/// The status of a file that has only a name, by opening it for a moment.
long status_of(const char* path, struct stat* status) {
  const long file = ask_for_file(path);
  if (file < 0) return file;
  long result = 0;
  if (status && ::syscall(SYS_fstat, file, status) != 0) result = -errno;
  ::close(static_cast<int>(file));
  return result;
}

bool for_reading(long flags) { return (flags & (O_ACCMODE | O_CREAT | O_TRUNC | O_DIRECTORY | O_PATH)) == O_RDONLY; }

/// Does a name start from the working folder or the root? The kernel takes the lower half of a register for the folder.
bool from_here(long folder_descriptor, const char* path) {
  return static_cast<int>(folder_descriptor) == AT_FDCWD || *path == '/';
}

// Arguments of system calls are numbers, whatever they stand for.
// NOLINTBEGIN(performance-no-int-to-ptr)
long status_at(const long* arguments) {
  const auto* const path = reinterpret_cast<const char*>(arguments[1]);
  auto* const status = reinterpret_cast<struct stat*>(arguments[2]);
  if ((arguments[3] & AT_EMPTY_PATH) && *path == 0) {  // glibc's fstat()
    return ::syscall(SYS_fstat, arguments[0], status) == 0 ? 0 : -errno;
  }
  return from_here(arguments[0], path) ? status_of(path, status) : -EACCES;
}

/// What a caught system call returns.
long answer(int call, const long* arguments) {
  const auto text = [&](int i) { return reinterpret_cast<const char*>(arguments[i]); };
  switch (call) {
    case SYS_openat:
      if (!from_here(arguments[0], text(1))) return -EACCES;
      return for_reading(arguments[2]) ? ask_for_file(text(1)) : -EACCES;
    case SYS_newfstatat:
      return status_at(arguments);
    case SYS_getcwd: {
      const std::size_t length = std::strlen(folder.data()) + 1;
      if (static_cast<std::size_t>(arguments[1]) < length) return -ERANGE;
      std::memcpy(reinterpret_cast<char*>(arguments[0]), folder.data(), length);
      return static_cast<long>(length);
    }
    case SYS_faccessat:
      return arguments[2] & W_OK ? -EACCES : status_of(text(1), nullptr);
#ifdef SYS_open
    case SYS_open:
      return for_reading(arguments[1]) ? ask_for_file(text(0)) : -EACCES;
    case SYS_stat:
    case SYS_lstat:
      return status_of(text(0), reinterpret_cast<struct stat*>(arguments[1]));
    case SYS_access:
      return arguments[1] & W_OK ? -EACCES : status_of(text(0), nullptr);
#endif
    default:
      return -EPERM;
  }
}
// NOLINTEND(performance-no-int-to-ptr)

void on_trap(int, siginfo_t* info, void* context) {
  const int saved = errno;
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const std::array<long, 4> arguments{
      static_cast<long>(machine.gregs[REG_RDI]), static_cast<long>(machine.gregs[REG_RSI]),
      static_cast<long>(machine.gregs[REG_RDX]), static_cast<long>(machine.gregs[REG_R10])};
  machine.gregs[REG_RAX] = answer(info->si_syscall, arguments.data());
#else
  const std::array<long, 4> arguments{static_cast<long>(machine.regs[0]), static_cast<long>(machine.regs[1]),
                                      static_cast<long>(machine.regs[2]), static_cast<long>(machine.regs[3])};
  machine.regs[0] = static_cast<unsigned long>(answer(info->si_syscall, arguments.data()));
#endif
  errno = saved;
}

/// The filter of system calls, as a program for the kernel. Rules are tried in order; what none names is refused.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    unless_equal(TAMIS_AUDIT_ARCH, SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
  }
  void allow(int call) { on(call, SECCOMP_RET_ALLOW); }
  void trap(int call) { on(call, SECCOMP_RET_TRAP); }
  /// Only where argument `index` is below `bound`; system calls of descriptors and commands.
  void allow_below(int call, int index, std::uint32_t bound) { allow_if(call, index, BPF_JGE, bound, false); }
  /// Only where argument `index` equals `value`.
  void allow_equal(int call, int index, std::uint32_t value) { allow_if(call, index, BPF_JEQ, value, true); }
  /// Only where no bit of `mask` is set in argument `index`.
  void allow_without(int call, int index, std::uint32_t mask) { allow_if(call, index, BPF_JSET, mask, false); }
  /// Only where the pointer in argument `index` is null.
  void allow_null(int call, int index) {
    rules_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 6));
    load(low_half(index));
    rules_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3));
    load(low_half(index) + 4);
    rules_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1));
    verdict(SECCOMP_RET_ALLOW);
    verdict(SECCOMP_RET_ERRNO | EPERM);
  }
  [[nodiscard]] bool install() {
    verdict(SECCOMP_RET_ERRNO | EPERM);
    const sock_fprog program{static_cast<unsigned short>(rules_.size()), rules_.data()};
    // TSYNC: threads that a library may have started are confined as well.
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
  }

 private:
  static constexpr std::size_t low_half(int index) {
    return offsetof(seccomp_data, args) + static_cast<std::size_t>(index) * 8;  // both machines are little endian
  }
  void load(std::size_t offset) {
    rules_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void verdict(std::uint32_t action) { rules_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  void unless_equal(std::uint32_t value, std::uint32_t action) {
    rules_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    verdict(action);
  }
  /// Only where a comparison of argument `index` comes out so.
  void allow_if(int call, int index, unsigned short comparison, std::uint32_t with, bool holds) {
    rules_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4));
    load(low_half(index));
    rules_.push_back(sock_filter{static_cast<unsigned short>(BPF_JMP | comparison | BPF_K),
                                 static_cast<unsigned char>(holds ? 0 : 1), static_cast<unsigned char>(holds ? 1 : 0),
                                 with});
    verdict(SECCOMP_RET_ALLOW);
    verdict(SECCOMP_RET_ERRNO | EPERM);
  }
  void on(int call, std::uint32_t action) {
    rules_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    verdict(action);
  }
  std::vector<sock_filter> rules_;
};

bool install_filter(int socket) {
  Filter filter;
  for (const int call :
       {SYS_read,         SYS_pread64,      SYS_readv,           SYS_lseek,         SYS_close,
        SYS_fstat,        SYS_munmap,       SYS_mremap,          SYS_brk,           SYS_madvise,
        SYS_futex,        SYS_exit,         SYS_exit_group,      SYS_rt_sigreturn,  SYS_rt_sigprocmask,
        SYS_rt_sigaction, SYS_sigaltstack,  SYS_getpid,          SYS_gettid,        SYS_getuid,
        SYS_geteuid,      SYS_getgid,       SYS_getegid,         SYS_clock_gettime, SYS_clock_nanosleep,
        SYS_nanosleep,    SYS_gettimeofday, SYS_getrusage,       SYS_sched_yield,   SYS_sched_getaffinity,
        SYS_getrandom,    SYS_uname,        SYS_restart_syscall, SYS_flock,         SYS_fadvise64,
        SYS_ppoll}) {
    filter.allow(call);
  }
  // Text that libraries print goes to /dev/null, which is standard output and error here.
  filter.allow_below(SYS_write, 0, STDERR_FILENO + 1);
  filter.allow_below(SYS_writev, 0, STDERR_FILENO + 1);
  for (const int call : {SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg}) {
    filter.allow_equal(call, 0, static_cast<std::uint32_t>(socket));
  }
  filter.allow_without(SYS_mmap, 2, PROT_EXEC);
  filter.allow_without(SYS_mprotect, 2, PROT_EXEC);
  filter.allow_below(SYS_fcntl, 1, F_SETFL);  // F_DUPFD, F_GETFD, F_SETFD, F_GETFL
  filter.allow_null(SYS_prlimit64, 2);
  filter.allow_equal(SYS_tgkill, 0, static_cast<std::uint32_t>(::getpid()));  // abort()
  for (const int call : {SYS_openat, SYS_newfstatat, SYS_faccessat, SYS_getcwd}) filter.trap(call);
#ifdef SYS_open
  for (const int call : {SYS_open, SYS_stat, SYS_lstat, SYS_access}) filter.trap(call);
#endif
  return filter.install();
}

/// Landlock refuses every file once more, where the kernel has it; without it the filter stands alone.
void install_landlock() {
  constexpr long create_ruleset = 444;
  constexpr long restrict_self = 446;
  const std::uint64_t every_access = (std::uint64_t{1} << 13) - 1;  // what its first version knows
  const long ruleset = ::syscall(create_ruleset, &every_access, sizeof every_access, 0);
  if (ruleset < 0) return;
  static_cast<void>(::syscall(restrict_self, ruleset, 0));
  ::close(static_cast<int>(ruleset));
}

/// Whom the process decodes for, as a descriptor; none before Linux 5.3.
int tamis_process = -1;
std::atomic<bool> watching = false;

/// Ends this process with tamis, in the middle of whatever it decodes. The socket ends then, unless a fork of tamis
/// holds its other end as well.
void* watch_tamis(void*) {
  std::array<pollfd, 2> ends{{{broker, 0, 0}, {tamis_process, POLLIN, 0}}};
  watching = true;
  watching.notify_one();
  while (::ppoll(ends.data(), ends.size(), nullptr, nullptr) < 0 && errno == EINTR) continue;
  ::_exit(0);
}

/// Not PR_SET_PDEATHSIG, which takes the end of the thread that started this process for the end of tamis.
bool start_watch() {
#if defined(__SANITIZE_THREAD__)
  constexpr bool may_have_threads = false;  // not in a fork, as tests have it
#else
  constexpr bool may_have_threads = true;
#endif
  if (!may_have_threads) return true;
  ucred tamis{};
  socklen_t length = sizeof tamis;
  if (::getsockopt(broker, SOL_SOCKET, SO_PEERCRED, &tamis, &length) != 0) return false;
  tamis_process = static_cast<int>(::syscall(SYS_pidfd_open, tamis.pid, 0));
  if (::getppid() != tamis.pid) ::_exit(0);  // it has ended since
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, std::size_t{1} << 18);
  pthread_t thread{};
  const int error = ::pthread_create(&thread, &attributes, watch_tamis, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (error == 0) watching.wait(false);  // the filter refuses what a thread does when it starts
  errno = error;
  return error == 0;
}

}  // namespace

std::string lock_down(int socket) {
  broker = socket;
  if (!::getcwd(folder.data(), folder.size())) folder[0] = 0;
  struct sigaction action {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  if (::sigaction(SIGSYS, &action, nullptr) != 0) return std::string("signals: ") + std::strerror(errno);
  const std::uint32_t action_we_need = SECCOMP_RET_TRAP;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action_we_need) != 0) {
    return std::string("seccomp: ") + std::strerror(errno);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return std::string("no_new_privs: ") + std::strerror(errno);
  install_landlock();  // before the filter, which refuses its calls
  if (!start_watch()) return std::string("threads: ") + std::strerror(errno);
  if (!install_filter(socket)) return std::string("seccomp: ") + std::strerror(errno);
  return {};
}

#else

std::string lock_down(int) { return "seccomp: not known for this kind of processor"; }

#endif

}  // namespace tamis::io
