#include "io/confined/process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <tamis/operations/one_line.hpp>

#include "io/confined/decoder.hpp"
#include "io/format.hpp"
#include "io/output/output.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

namespace fs = std::filesystem;

/// The folder of the library or program that this code is part of; empty if nobody knows it.
fs::path own_folder() {
  static const char here = 0;
  Dl_info info{};
  void* map = nullptr;
  if (::dladdr1(&here, &info, &map, RTLD_DL_LINKMAP) == 0) return {};
  // A program has no name here, and may have been called by a word that a shell has looked up.
  const char* const name = static_cast<const link_map*>(map)->l_name;
  std::error_code error;
  return fs::weakly_canonical(*name ? name : "/proc/self/exe", error).parent_path();
}

/// Where the Python packages lie that pip has installed beside a program of theirs, as lib/python3.12/site-packages.
std::vector<fs::path> package_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const char* const library : {"../lib", "../lib64", "../local/lib"}) {
    for (const fs::directory_entry& python : fs::directory_iterator(folder / library, error)) {
      if (!python.path().filename().string().starts_with("python3")) continue;
      for (const char* const packages : {"site-packages", "dist-packages"}) found.push_back(python.path() / packages);
    }
  }
  return found;
}

/// Where a program lies, seen from own_folder(); empty if it is not there.
std::string find_program(const std::string& name) {
  const fs::path folder = own_folder();
  if (name.empty() || folder.empty()) return {};
  std::error_code error;
  // The first is for installations, the second for the build folder and the bundle, the third for a Python package.
  for (const char* const place : {TAMIS_LIBEXEC, "../libexec/tamis", "libexec"}) {
    if (fs::exists(folder / place / name, error)) return (folder / place / name).lexically_normal().string();
  }
  // Only now, as a folder of libraries may be long.
  for (const fs::path& packages : package_folders(folder)) {
    const fs::path file = packages / "tamis/libexec" / name;
    if (fs::exists(file, error)) return file.lexically_normal().string();
  }
  return {};
}

// The version in the name: a program only fits the library that it was built with.
std::string name_of(Decoders decoders) {
  switch (decoders) {
    case Decoders::Pictures:
      return TAMIS_READER_NAME;
    case Decoders::Dicom:
      return TAMIS_DICOM_NAME;  // empty where tamis was built without
  }
  return {};
}

std::string program(Decoders decoders) {
  const std::string name = name_of(decoders);
  std::string file = find_program(name);
  if (!file.empty()) return file;
  if (name.empty()) {
    throw ResourceError(
        "compressed DICOM is decoded by GDCM, and this tamis was built without; wanted libgdcm-dev and another build");
  }
  give_up("{}, which decodes this format, is missing; wanted it where tamis is installed (install it again)", name);
}

/// The variables that the process sees. Those of the user may hold secrets, and settings of the libraries.
std::vector<std::string> environment() {
  std::vector<std::string> variables{
      "LC_ALL=C",
      "TZ=UTC0",                      // otherwise every library that knows the time asks for a file
      "HDF5_USE_FILE_LOCKING=FALSE",  // a file that is only read needs no lock
      "HDF5_PLUGIN_PATH=::",
  };
  for (const char* const name : {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"}) {
    if (const char* const value = std::getenv(name)) variables.push_back(fmt::format("{}={}", name, value));
  }
  return variables;
}

/// The socket as standard input; what the libraries print goes nowhere. A group of its own: Ctrl-C is for tamis, which
/// then ends the process. Not a fork of this process: that may have threads, a JVM, CUDA or MPI, and much memory.
int spawn(const std::string& file, int socket, pid_t* process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // tamis blocks the signals that end it; the process is not to inherit that.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  std::string name = file;
  const std::array<char*, 2> arguments{name.data(), nullptr};
  std::vector<std::string> variables = environment();
  std::vector<char*> pointers;
  pointers.reserve(variables.size() + 1);
  for (std::string& variable : variables) pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  const int error = ::posix_spawn(process, file.c_str(), &actions, &attributes, arguments.data(), pointers.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

std::string one_line(std::string text) {
  constexpr std::size_t longest = 600;
  if (text.size() > longest) text.resize(longest);
  return tamis::one_line(text);
}

DecoderProcess::~DecoderProcess() {
  if (process_ > 0) ::kill(process_, SIGKILL);  // it has nothing to finish
  stop();
}

void DecoderProcess::begin(const std::string& path, std::int64_t file_bytes, std::int64_t bytes) {
  path_ = path;
  refused_.clear();
  if (process_ <= 0) start();
  set_limits(file_bytes, bytes);
}

void DecoderProcess::start() {
  try {
    const std::string file = program(decoders_);
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      give_up("cannot start {}: {}", file, std::strerror(errno));
    }
    Descriptor other(ends[1]);
    socket_ = Descriptor(ends[0]);
    const int error = spawn(file, other.get(), &process_);
    static_cast<void>(other.close());  // so that the process's end is heard
    seconds_ = 0;
    memory_ = SharedMemory();
    opened_ = 0;
    if (error == 0) return await_confinement();
    process_ = -1;
    static_cast<void>(socket_.close());
    give_up("cannot start {}: {}", file, std::strerror(error));
  } catch (const ResourceError& error) {
    give_up("{}: {}", path_, error.what());
  }
}

/// The process's first words: is it confined?
void DecoderProcess::await_confinement() {
  std::string missing;
  get(missing);
  if (missing.empty() || options_.unconfined) return;
  ::kill(process_, SIGKILL);
  stop();
  give_up(
      "this system cannot confine the process that decodes it ({}); wanted that, or `unconfined` for a file that you "
      "trust",
      one_line(missing));
}

void DecoderProcess::set_limits(std::int64_t file_bytes, std::int64_t bytes) {
  constexpr std::int64_t of_libraries = std::int64_t{3} << 30;  // address space; what they touch is 30 to 60 MB
  constexpr std::int64_t slowest = 1'000'000;                   // bytes a second, of the file or of its samples
  constexpr std::int64_t most = std::int64_t{1} << 60;
  seconds_ += 60 + std::min(most, file_bytes + bytes) / slowest;
  // The soft limits: the process cannot change them, and the next question may need higher ones.
  const auto limit = [this](auto resource, std::int64_t value) {
    rlimit now{};
    if (::prlimit(process_, resource, nullptr, &now) != 0) return;
    now.rlim_cur = std::min(now.rlim_max, static_cast<rlim_t>(value));
    static_cast<void>(::prlimit(process_, resource, &now, nullptr));
  };
  limit(RLIMIT_CPU, seconds_);
  limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they reserve terabytes of addresses
  limit(RLIMIT_AS, of_libraries + 2 * std::min(most, file_bytes) + 4 * std::min(most / 8, bytes));
  // GDCM takes whatever memory an element asks for: not more than its codecs could need.
  constexpr std::int64_t at_rest = std::int64_t{128} << 20;
  const std::int64_t wanted = at_rest + 4 * std::min(most / 8, file_bytes) + 16 * std::min(most / 32, bytes);
  if (decoders_ == Decoders::Dicom) limit(RLIMIT_DATA, wanted);
#else
  static_cast<void>(of_libraries);
#endif
}

const std::byte* DecoderProcess::memory(std::int64_t bytes) {
  if (memory_.size() >= bytes) return memory_.data();
  memory_ = SharedMemory(bytes);
  require(wire().put(Question::Memory, bytes) && wire().put_file(memory_.descriptor()));
  return memory_.data();
}

int DecoderProcess::stop() {
  if (process_ <= 0) return 0;
  static_cast<void>(socket_.close());
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
  return status;
}

void DecoderProcess::lost() {
  const int status = stop();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    give_up("{}: {} cannot run; wanted its libraries as they were when tamis was built", path_, name_of(decoders_));
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    refuse("{}: decoding it did not end within {} s of computing; given up", path_, seconds_);
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    give_up("{}: the process that decodes it was killed: is memory short?", path_);
  }
  refuse("{}: decoding it broke off ({}); wanted a file that follows its standard", path_,
         WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no reason given");
}

/// The next word of the process, hearing a stop in between.
Reply DecoderProcess::next_reply() {
  constexpr int patience_ms = 100;
  pollfd line{socket_.get(), POLLIN, 0};
  while (::poll(&line, 1, patience_ms) <= 0) {
    if (!options_.cancel.stop_requested()) continue;
    ::kill(process_, SIGKILL);
    stop();
    throw Cancelled();
  }
  Reply reply{};
  get(reply);
  return reply;
}

std::string DecoderProcess::text() {
  std::string words;
  get(words);
  if (words.empty()) return path_ + ": it cannot be decoded, and the library gives no reason";
  return one_line(std::move(words));
}

void DecoderProcess::wait() {
  Reply reply = next_reply();
  for (;; reply = next_reply()) {
    if (reply == Reply::OpenFile) {
      open_file();
    } else if (output_ && (reply == Reply::WriteOutput || reply == Reply::ReadOutput)) {
      serve_output(reply);
    } else {
      break;
    }
  }
  std::string words;
  switch (reply) {
    case Reply::Done:
      if (refused_.empty()) return;
      break;
    case Reply::Refused:
    case Reply::Failed:
      words = text();
      break;
    case Reply::NoMemory:
      give_up("{}: not enough memory to decode it", path_);
    default:
      ::kill(process_, SIGKILL);
      lost();
  }
  // The library's own reason would be that a file could not be opened, or none: some take what is missing for zeros.
  if (!refused_.empty()) {
    ::kill(process_, SIGKILL);
    stop();
    throw InputError(refused_);
  }
  if (reply == Reply::Failed) throw ResourceError(words);
  throw InputError(words);
}

void DecoderProcess::open_file() {
  std::string path;
  get(path);
  const Descriptor file = open_allowed(path);
  const std::int32_t error = file.valid() ? 0 : errno;
  if (!wire().put(error) || (error == 0 && !wire().put_file(file.get()))) lost();
}

void DecoderProcess::serve_output(Reply request) {
  constexpr std::int64_t piece = 1 << 20;
  std::int64_t at = 0;
  std::int64_t count = 0;
  get(at, count);
  if (at < 0 || count < 0) lost();
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(piece, count)));
  try {
    for (std::int64_t done = 0; done < count; done += piece) {
      const std::int64_t now = std::min(piece, count - done);
      const auto size = static_cast<std::size_t>(now);
      const bool writes = request == Reply::WriteOutput;
      if (writes && !wire().receive(bytes.data(), size)) lost();
      if (writes) output_->write_at(at + done, bytes.data(), now);
      if (!writes) output_->read_at(at + done, bytes.data(), now);
      if (!writes && !wire().send(bytes.data(), size)) lost();
    }
  } catch (const ResourceError&) {  // the process waits for the rest
    if (process_ > 0) ::kill(process_, SIGKILL);
    stop();
    throw;
  }
}

/// None, with errno, where it must not be opened or cannot.
Descriptor DecoderProcess::open_allowed(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) return file;
  struct stat status {};
  const bool regular = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  try {
    if (regular && path != path_) {
      require_followed(path_, path, options_.follow);
      followed_.push_back(path);
    }
    if (regular) return file;
  } catch (const InputError& error) {
    // Libraries look for settings of the system at times, and can do without.
    const auto is_in = [&](const char* folder) { return path.starts_with(folder); };
    if (!is_in("/proc/") && !is_in("/sys/") && !is_in("/dev/")) refused_ = error.what();
  }
  static_cast<void>(file.close());
  errno = EACCES;
  return file;
}

}  // namespace tamis::io
