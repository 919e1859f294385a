#include "io/itk_client.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include <tamis/error.hpp>

#include "io/samples.hpp"

namespace tamis::io {
namespace {

namespace fs = std::filesystem;

#ifdef TAMIS_ITK_PROGRAM

/// Where the program lies, seen from the folder of the library (or test program) that this code is part of; empty if
/// it is not there.
std::string program() {
  static const char here = 0;
  Dl_info info{};
  if (::dladdr(&here, &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(info.dli_fname, error).parent_path();
  // The first is for installations, the second for the build folder.
  for (const char* const place : {TAMIS_ITK_PROGRAM, "../libexec/tamis/" TAMIS_ITK_NAME}) {
    const fs::path file = folder / place;
    if (fs::exists(file, error)) return file.lexically_normal().string();
  }
  return {};
}

constexpr std::string_view missing = "medical formats are read through ITK: " TAMIS_ITK_NAME
                                     " is missing; wanted it where tamis is installed (install it again)";

#else

std::string program() { return {}; }

constexpr std::string_view missing =
    "medical formats are read through ITK, and this tamis was built without; wanted libinsighttoolkit5-dev and another "
    "build";

#endif

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// The socket as standard input; what ITK and its codecs print goes nowhere. A group of its own: Ctrl-C is for tamis,
/// which then closes the socket.
int spawn(const std::string& file, int socket, pid_t* process) {
  SpawnActions actions;
  posix_spawn_file_actions_adddup2(actions.get(), socket, STDIN_FILENO);
  posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(actions.get(), STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // tamis blocks the signals that end it; the process is not to inherit that.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  std::string name = file;
  const std::array<char*, 2> arguments{name.data(), nullptr};
  const int error = ::posix_spawn(process, file.c_str(), actions.get(), &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

bool has_itk() { return !program().empty(); }

ItkClient::~ItkClient() {
  if (process_ > 0) ::kill(process_, SIGKILL);  // it has nothing to finish
  stop();
}

void ItkClient::start(const std::string& path) {
  if (process_ > 0) return;
  const std::string file = program();
  if (file.empty()) throw EnvironmentError(fmt::format("{}: {}", path, missing));
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw EnvironmentError(fmt::format("{}: cannot start {}: {}", path, file, std::strerror(errno)));
  }
  const int error = spawn(file, ends[1], &process_);
  ::close(ends[1]);
  socket_ = ends[0];
  if (error == 0) return;
  process_ = -1;
  ::close(std::exchange(socket_, -1));
  throw EnvironmentError(fmt::format("{}: cannot start {}: {}", path, file, std::strerror(error)));
}

int ItkClient::stop() {
  if (process_ <= 0) return 0;
  ::close(std::exchange(socket_, -1));
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
  return status;
}

void ItkClient::lost(const std::string& path) {
  const int status = stop();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw EnvironmentError(
        fmt::format("{}: {} cannot run; wanted ITK's libraries as they were when tamis was built", path, program()));
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    throw EnvironmentError(fmt::format("{}: the process that decodes it was killed: is memory short?", path));
  }
  throw InputError(fmt::format("{}: ITK broke off while reading it ({}); wanted a file that follows its standard", path,
                               WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no reason given"));
}

bool ItkClient::ask(ItkQuestion question, ItkFormat format, const std::string& path) const {
  const ItkWire wire(socket_);
  return wire.put(question) && wire.put(format) && wire.put(path);
}

void ItkClient::require_done(const std::string& path) {
  const ItkWire wire(socket_);
  ItkAnswer answer{};
  if (!wire.get(answer)) lost(path);
  std::string why;
  switch (answer) {
    case ItkAnswer::Done:
      return;
    case ItkAnswer::Refused:
      if (!wire.get(why)) lost(path);
      throw InputError(fmt::format("{}: ITK cannot read it: {}", path, why));
    case ItkAnswer::NoMemory:
      throw EnvironmentError(fmt::format("{}: not enough memory to decode it", path));
  }
}

ItkHeader ItkClient::header(ItkFormat format, const std::string& path) {
  start(path);
  ItkHeader header;
  if (!ask(ItkQuestion::Header, format, path)) lost(path);
  require_done(path);
  if (!ItkWire(socket_).get(header)) lost(path);
  return header;
}

void ItkClient::samples(ItkFormat format, const std::string& path, Type type, const std::array<std::int64_t, 3>& sizes,
                        std::byte* out) {
  start(path);
  const ItkWire wire(socket_);
  const auto bytes = checked_bytes(path, {type, {sizes[2], sizes[1], sizes[0], 3}, 1, {}});
  if (!ask(ItkQuestion::Samples, format, path) || !wire.put(type) || !wire.put(sizes)) lost(path);
  require_done(path);
  if (!wire.receive(out, static_cast<std::size_t>(bytes))) lost(path);
}

}  // namespace tamis::io
