// The process that decodes foreign formats can compute, use what it is sent, ask for files, and nothing else.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "io/confined/program.hpp"
#include "io/confined/wire.hpp"
#include "io/test/testing.hpp"

namespace tamis::io {
namespace {

/// What a confined process exits with after `act`; files that it asks for are opened if they end in ".allowed".
int exit_code_of(const std::function<int()>& act) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    if (!lock_down(ends[1]).empty()) ::_exit(99);
    ::_exit(act());
  }
  ::close(ends[1]);
  const Wire wire(ends[0]);
  Reply reply{};
  std::string path;
  while (wire.get(reply) && reply == Reply::OpenFile && wire.get(path)) {
    const int file = path.ends_with(".allowed") ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
    const std::int32_t error = file < 0 ? EACCES : 0;
    if (!wire.put(error) || (error == 0 && !wire.put_file(file))) break;
    if (file >= 0) ::close(file);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ends[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

bool refused(long result) { return result == -1 && (errno == EPERM || errno == EACCES); }

TEST(Confined, files_come_only_from_the_other_end) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer starts a thread of its own in a fork, which the filter refuses";
#endif
  const Scratch scratch;
  put_file(scratch / "a.allowed", "hello");
  put_file(scratch / "secret", "secret");
  const std::string allowed = scratch / "a.allowed";
  const std::string secret = scratch / "secret";
  EXPECT_EQ(exit_code_of([&] {
              const int file = ::open(allowed.c_str(), O_RDONLY);
              char text[5] = {};
              struct stat status {};
              const bool read = file >= 0 && ::read(file, text, 5) == 5 && std::memcmp(text, "hello", 5) == 0;
              const bool known = ::fstat(file, &status) == 0 && status.st_size == 5 &&
                                 ::stat(allowed.c_str(), &status) == 0 && ::access(allowed.c_str(), R_OK) == 0;
              return read && known ? 0 : 1;
            }),
            0);
  EXPECT_EQ(exit_code_of([&] { return refused(::open(secret.c_str(), O_RDONLY)) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([&] { return refused(::open("/etc/passwd", O_RDONLY)) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([&] { return refused(::open(allowed.c_str(), O_RDWR)) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of(
                [&] { return refused(::open((scratch / "new.allowed").c_str(), O_CREAT | O_WRONLY, 0600)) ? 0 : 1; }),
            0);
  EXPECT_EQ(scratch.names().size(), 2U);
}

TEST(Confined, files_cannot_be_changed) {
  const Scratch scratch;
  put_file(scratch / "a.allowed", "hello");
  const std::string path = scratch / "a.allowed";
  EXPECT_EQ(exit_code_of([&] { return refused(::unlink(path.c_str())) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([&] { return refused(::rename(path.c_str(), (path + "2").c_str())) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([&] { return refused(::chmod(path.c_str(), 0777)) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([&] { return refused(::truncate(path.c_str(), 0)) ? 0 : 1; }), 0);
  EXPECT_EQ(bytes_of_file(path), "hello");
}

TEST(Confined, no_network_no_processes_no_new_code) {
  EXPECT_EQ(exit_code_of([] { return refused(::socket(AF_INET, SOCK_STREAM, 0)) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([] { return refused(::socket(AF_UNIX, SOCK_STREAM, 0)) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([] { return refused(::fork()) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([] { return refused(::execl("/bin/true", "true", nullptr)) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([] { return refused(::kill(::getppid(), SIGTERM)) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([] { return refused(::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr)) ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of([] {
              void* const code =
                  ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return code == MAP_FAILED && errno == EPERM ? 0 : 1;
            }),
            0);
  EXPECT_EQ(exit_code_of([] {
              void* const data = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return data != MAP_FAILED && refused(::mprotect(data, 4096, PROT_READ | PROT_EXEC)) ? 0 : 1;
            }),
            0);
}

TEST(Confined, limits_stay_where_they_were_put) {
  EXPECT_EQ(exit_code_of([] {
              rlimit limit{};
              const bool readable = ::getrlimit(RLIMIT_AS, &limit) == 0;
              return readable && refused(::setrlimit(RLIMIT_AS, &limit)) ? 0 : 1;
            }),
            0);
}

/// A program that stands for tamis, one that decodes for it and never ends by itself, and a fork of the first.
struct Family {
  pid_t tamis = -1;
  pid_t decoder = -1;
  pid_t fork = -1;  // which holds the line to the decoder too
  int life = -1;    // ends with the decoder
};

Family family_at_work() {
  std::array<int, 2> life{};
  EXPECT_EQ(::pipe2(life.data(), O_CLOEXEC), 0);
  Family all;
  all.tamis = ::fork();
  if (all.tamis == 0) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) ::_exit(1);
    all.decoder = ::fork();
    if (all.decoder == 0) {
      ::close(ends[0]);
      if (!lock_down(ends[1]).empty() || !Wire(ends[1]).put(Reply::Done)) ::_exit(99);
      for (volatile int i = 0;;) i = i + 1;
    }
    Reply reply{};
    if (!Wire(ends[0]).get(reply)) ::_exit(1);
    all.fork = ::fork();
    if (all.fork == 0) {
      ::close(life[1]);
      for (;;) ::pause();
    }
    if (::write(life[1], &all, sizeof all) != sizeof all) ::_exit(1);
    ::close(life[1]);
    for (;;) ::pause();
  }
  ::close(life[1]);
  const pid_t tamis = all.tamis;
  EXPECT_EQ(::read(life[0], &all, sizeof all), static_cast<ssize_t>(sizeof all));
  all.tamis = tamis;
  all.life = life[0];
  return all;
}

TEST(Confined, work_ends_within_a_second_of_the_program_that_wanted_it) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer wants no thread in a fork";
#endif
  for (const bool with_fork : {false, true}) {
    const Family all = family_at_work();
    if (!with_fork) ::kill(all.fork, SIGKILL);
    pollfd life{all.life, POLLIN, 0};
    EXPECT_EQ(::poll(&life, 1, 100), 0) << "it ended before";
    ::kill(all.tamis, SIGKILL);
    ::waitpid(all.tamis, nullptr, 0);
    EXPECT_EQ(::poll(&life, 1, 1000), 1) << "it lives on";
    for (const pid_t process : {all.decoder, all.fork}) ::kill(process, SIGKILL);
    ::close(all.life);
  }
}

TEST(Confined, a_decoder_outlives_the_thread_that_opened_its_file) {
  const Scratch scratch;
  const Image image = telling_image(Type::U8, {1, 30, 40, 2});
  write(image, scratch / "a.h5");
  std::unique_ptr<FileSource> source;
  std::thread([&] { source = open_file(scratch / "a.h5"); }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::vector<std::uint8_t> bytes = delivered(*source);
  EXPECT_EQ(std::memcmp(bytes.data(), image.data(), bytes.size()), 0);
}

TEST(Confined, an_end_by_abort_is_one) {
  EXPECT_EQ(exit_code_of([]() -> int { std::abort(); }), 1000 + SIGABRT);
}

}  // namespace
}  // namespace tamis::io
