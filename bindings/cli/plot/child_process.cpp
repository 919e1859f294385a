#include "cli/plot/gnuplot.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <tamis/error.hpp>

namespace tamis::cli {
namespace {

constexpr int patience_ms = 50;  // between two looks at whether a stop has been requested

[[noreturn]] void no_pipe() { throw ResourceError(std::string("drawing: ") + std::strerror(errno)); }

/// Both ends are above the standard streams, which a caller may have closed: the child's are put there.
class Pipe {
 public:
  Pipe() {
    std::array<int, 2> low{};
    if (::pipe2(low.data(), O_CLOEXEC) != 0) no_pipe();
    for (std::size_t i = 0; i < 2; ++i) {
      ends_[i] = ::fcntl(low[i], F_DUPFD_CLOEXEC, 3);
      ::close(low[i]);
    }
    if (ends_[0] < 0 || ends_[1] < 0) no_pipe();
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int read_end() const { return ends_[0]; }
  [[nodiscard]] int write_end() const { return ends_[1]; }
  void close_read() { close(0); }
  void close_write() { close(1); }

 private:
  void close(std::size_t end) {
    if (ends_[end] >= 0) ::close(std::exchange(ends_[end], -1));
  }
  std::array<int, 2> ends_{-1, -1};
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// A child that is killed unless somebody has waited for its end.
class Child {
 public:
  /// Signals are as a program expects them, and a terminal's Ctrl-C reaches us alone: we end the child.
  Child(std::vector<std::string> command, std::vector<std::string> environment, const Pipe& in, const Pipe& out,
        const Pipe& err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read_end(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const std::vector<char*> arguments = pointers(command);
    const std::vector<char*> variables = pointers(environment);
    fault_ = posix_spawnp(&id_, arguments[0], &actions, &attributes, arguments.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  ~Child() {
    if (fault_ != 0 || ended_) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] int fault() const { return fault_; }
  [[nodiscard]] int wait(const std::stop_token& cancel) {
    int status = 0;
    while (!ended_) {
      if (cancel.stop_requested()) throw Cancelled();
      ended_ = ::waitpid(id_, &status, WNOHANG) == id_;
      if (!ended_) ::poll(nullptr, 0, 1);
    }
    return status;
  }

 private:
  pid_t id_ = 0;
  int fault_ = 0;
  bool ended_ = false;
};

std::vector<std::string> environment_of(const std::vector<std::string>& kept, std::vector<std::string> set) {
  for (const std::string& name : kept) {
    if (const char* const value = std::getenv(name.c_str())) set.push_back(name + '=' + value);
  }
  return set;
}

void feed(Pipe& pipe, std::string_view& rest) {
  const ssize_t count = ::write(pipe.write_end(), rest.data(), rest.size());
  if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  // A child that reads no further says why on its other pipes.
  const bool over = count < 0 && errno != EAGAIN && errno != EINTR;
  if (over || rest.empty()) pipe.close_write();
}

void drain(Pipe& pipe, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(pipe.read_end(), buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) pipe.close_read();
}

}  // namespace

ChildAnswer run_child(std::vector<std::string> command, std::string_view input, const std::vector<std::string>& kept,
                      std::vector<std::string> set, const std::stop_token& cancel) {
  Pipe in;
  Pipe out;
  Pipe err;
  Child child(std::move(command), environment_of(kept, std::move(set)), in, out, err);
  if (child.fault() != 0) return {-child.fault(), false, {}, {}};
  in.close_read();
  out.close_write();
  err.close_write();
  ::fcntl(in.write_end(), F_SETFL, O_NONBLOCK);
  if (input.empty()) in.close_write();
  ChildAnswer answer;
  while (out.read_end() >= 0 || err.read_end() >= 0) {
    if (cancel.stop_requested()) throw Cancelled();
    // poll() passes over descriptors of -1.
    std::array<pollfd, 3> ends{
        {{in.write_end(), POLLOUT, 0}, {out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}}};
    if (::poll(ends.data(), ends.size(), patience_ms) <= 0) continue;
    if (ends[0].revents != 0) feed(in, input);
    if (ends[1].revents != 0) drain(out, answer.out);
    if (ends[2].revents != 0) drain(err, answer.err);
  }
  answer.read_all = input.empty();
  answer.status = child.wait(cancel);
  return answer;
}

}  // namespace tamis::cli
