#include "gnuplot.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include <algorithm>
#include <string>
#include <vector>

#include <tamis/error.hpp>

extern char** environ;

namespace tamis::cli {
namespace {

/// A nameless file in memory: unlike a pipe it cannot fill up while the other end waits, and nothing stays behind.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = {}) : descriptor_(memfd_create("tamis", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw EnvironmentError(std::string("drawing: ") + std::strerror(errno));
    while (!content.empty()) {
      const ssize_t count = write(descriptor_, content.data(), content.size());
      if (count < 0) break;  // gnuplot will complain of a script cut short
      content.remove_prefix(static_cast<std::size_t>(count));
    }
    lseek(descriptor_, 0, SEEK_SET);
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  [[nodiscard]] std::string content() const {
    std::string text(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t count = pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    return text;
  }

 private:
  int descriptor_;
};

struct Answer {
  int status = 0;  ///< of waitpid, or -errno if gnuplot could not be started
  std::string out;
  std::string err;
};

/// Runs gnuplot with one option, or none where `option` is empty.
Answer call(std::string option, std::string_view script) {
  std::string program = "gnuplot";
  std::array<char*, 3> arguments{program.data(), option.empty() ? nullptr : option.data(), nullptr};
  const MemoryFile in(script);
  const MemoryFile out;
  const MemoryFile err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  // Ours are blocked; Ctrl-C has to end the child.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int fault = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (fault != 0) return {-fault, {}, {}};
  Answer answer;
  while (waitpid(child, &answer.status, 0) < 0 && errno == EINTR) {
  }
  answer.out = out.content();
  answer.err = err.content();
  return answer;
}

/// gnuplot says a line number and quotes the script first; what went wrong is in the last line.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

}  // namespace

void require_gnuplot() {
  if (call("--version", {}).status != 0) {
    throw EnvironmentError("gnuplot does not run; plots and pictures want the package gnuplot-nox");
  }
}

std::string run_gnuplot(const std::string& script) {
  Answer answer = call({}, script);
  if (answer.status != 0 || answer.out.empty()) throw EnvironmentError("gnuplot failed: " + last_line(answer.err));
  return std::move(answer.out);
}

namespace {

/// Bytes of the UTF-8 letter that begins at text[at]; 0 if none does.
std::size_t letter_bytes(const std::string& text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  if (bytes == 0 || at + bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if (static_cast<unsigned char>(text[at + i]) >> 6 != 2) return 0;
  }
  return bytes;
}

/// The letters of a text; a line break would end a command, and what is not UTF-8 would spoil an SVG.
std::vector<std::string> letters_of(const std::string& text) {
  std::vector<std::string> letters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = letter_bytes(text, at);
    const bool control = bytes == 1 && static_cast<unsigned char>(text[at]) < 0x20;
    letters.push_back(bytes == 0 ? "?" : control ? " " : text.substr(at, bytes));
    at += std::max<std::size_t>(bytes, 1);
  }
  return letters;
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const std::string& letter : letters_of(text)) result += letter == "'" ? "''" : letter;
  return result + '\'';
}

std::string elided(const std::string& text, std::size_t letters) {
  const std::vector<std::string> all = letters_of(text);
  if (all.size() <= letters) return text;
  std::string result;
  const std::size_t front = letters / 2;
  const std::size_t back = letters - front - 1;
  for (std::size_t i = 0; i < front; ++i) result += all[i];
  result += "\u2026";
  for (std::size_t i = all.size() - back; i < all.size(); ++i) result += all[i];
  return result;
}

double whole_tics(double extent, double count, double unit) {
  for (double power = 1;; power *= 10) {
    for (const double lead : {1.0, 2.0, 5.0}) {
      if (extent <= lead * power * unit * count) return lead * power * unit;
    }
  }
}

}  // namespace tamis::cli
