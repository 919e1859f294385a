// What a program may do around the library: arenas of oneTBB, fork, signals, many threads at once. Prints a word for each,
// or says what was wrong; test_threads.py runs it.
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <tamis/tamis.hpp>

namespace {

tamis::Image noise(std::int64_t edge) {
  tamis::Image image(tamis::Type::U16, {.z = 1, .y = edge, .x = edge, .rank = 2});
  unsigned number = 1;
  for (std::int64_t y = 0; y < edge; ++y) {
    for (std::int64_t x = 0; x < edge; ++x) {
      number = number * 1664525 + 1013904223;
      image.row<std::uint16_t>(0, y)[x] = static_cast<std::uint16_t>(number >> 16);
    }
  }
  return image;
}

tamis::Image filtered(const tamis::Context& context, const tamis::Image& image) {
  return tamis::open(context, tamis::median(context, image, {.window = "square:5"}), {.element = "disk:3"});
}

bool same(const tamis::Image& a, const tamis::Image& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0;
}

/// Of this process, the waiting ones with them.
std::ptrdiff_t threads() {
  const std::filesystem::directory_iterator first("/proc/self/task");
  return std::distance(begin(first), end(first));
}

void require(bool good, const std::string& what) {
  if (good) return;
  std::cerr << what << '\n';
  std::exit(1);
}

/// A context without a number of threads takes those of the arena; a context with one takes so many.
void arenas(const tamis::Image& image, const tamis::Image& wanted) {
  tbb::task_arena alone(1);
  alone.execute([&] { require(same(filtered({}, image), wanted), "another answer in an arena"); });
  require(threads() == 1, "an arena of one thread was given more");
  tamis::Context two;
  two.threads = 2;
  alone.execute([&] { require(same(filtered(two, image), wanted), "another answer by two threads"); });
  const bool cores = std::thread::hardware_concurrency() > 1;
  require(!cores || threads() > 1, "two threads were asked for, and none came");
}

/// Nothing of the caller's runs on a thread that waits in a call, or this would wait for itself.
void locks(const tamis::Image& image, const tamis::Image& wanted) {
  std::mutex one_at_a_time;
  std::atomic<bool> good{true};
  tbb::parallel_for(0, 40, [&](int) {
    const std::lock_guard lock(one_at_a_time);
    if (!same(filtered({}, image), wanted)) good = false;
  });
  require(good, "another answer under a lock");
}

void many_threads(const tamis::Image& image, const tamis::Image& wanted) {
  const tamis::Context shared;
  std::atomic<bool> good{true};
  std::vector<std::jthread> callers;
  for (int i = 0; i < 16; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        if (!same(filtered(shared, image), wanted)) good = false;
      }
    });
  }
  callers.clear();
  require(good, "another answer among many threads");
}

/// A child has one thread, whatever its parent had.
void forks(const tamis::Image& image, const tamis::Image& wanted) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    tamis::Context one;
    one.threads = 1;
    _exit(same(filtered(one, image), wanted) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child of fork() ended with " + std::to_string(status));
}

std::atomic<int> rung{0};

/// Interrupts system calls of reading and writing a thousand times a second.
void signals(const tamis::Image& image, const std::string& folder) {
  struct sigaction action {};
  action.sa_handler = [](int) { ++rung; };
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (const char* name : {"image.tif", "image.png", "image.npy", "image.h5", "image.zarr", "image.raw.gz"}) {
    const std::string path = folder + "/" + name;
    tamis::write(image, path);
    tamis::ReadOptions options;
    if (std::string(name) == "image.raw.gz") {
      options.shape = image.shape();
      options.dtype = image.type();
    }
    require(same(tamis::read(path, options), image), path + ": other samples");
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  require(rung > 10, "no signal came");
}

}  // namespace

int main(int /*count*/, char** arguments) {
  const tamis::Image image = noise(700);
  tamis::Context one;
  one.threads = 1;
  const tamis::Image wanted = filtered(one, image);
  require(threads() == 1, "one thread was asked for, and more came");
  arenas(image, wanted);
  std::cout << "arenas " << std::flush;
  locks(image, wanted);
  std::cout << "locks " << std::flush;
  many_threads(image, wanted);
  std::cout << "threads " << std::flush;
  forks(image, wanted);
  std::cout << "forks " << std::flush;
  signals(image, arguments[1]);
  std::cout << "signals";
}
