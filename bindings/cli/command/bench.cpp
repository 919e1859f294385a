// tamis bench: the libraries that tamis is measured beside are packages of Python, so the benchmark is in tamis's own
// package, and this only starts it.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <tamis/error.hpp>

#include "cli/command/commands.hpp"

namespace tamis::cli {
namespace {

struct BenchFlags {
  bool quick = false;
  std::string json;
  std::string plot;
};

/// Ends with one line where there is no package. Its own errors stay its own.
constexpr const char* start = R"py(import sys
try:
    from tamis.bench.__main__ import main
except ImportError as error:
    sys.exit(print(f"tamis bench: {error}; wanted the Python package of tamis in the python3 of this shell "
                   "(pip install tamis, or in its source: make wheel)", file=sys.stderr) or 2)
sys.exit(main())
)py";

void run(const BenchFlags& flags) {
  std::vector<std::string> words{"python3", "-c", start};
  if (flags.quick) words.emplace_back("--quick");
  if (!flags.json.empty()) words.insert(words.end(), {"--json", flags.json});
  if (!flags.plot.empty()) words.insert(words.end(), {"--plot", flags.plot});
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  // This program's threads and blocked signals are not for the one that follows.
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::execvp(pointers.front(), pointers.data());
  throw ResourceError(
      fmt::format("cannot start python3: {}; wanted it, and the Python package of tamis", std::strerror(errno)));
}

}  // namespace

void add_bench(const Command& program) {
  const auto flags = std::make_shared<BenchFlags>();
  const Command command = program.add_command("bench", "how fast it is here, beside the Python libraries you have");
  command.add_flag({"--quick", "", "smaller images and fewer repetitions: some seconds", "Running"}, flags->quick);
  const auto keep = [&](const char* name, std::string& target, const char* text) {
    command.add_option({name, "FILE", text, "Output"}, [&target](const std::string& file) { target = file; });
  };
  keep("--json", flags->json, "the times, what was left out and why, and the machine");
  keep("--plot", flags->plot, "a picture; wants matplotlib; the ending chooses svg, png or pdf");
  command.show_examples(
      "tamis bench --quick\n"
      "tamis bench --json bench.json --plot bench.svg");
  command.run([flags] { run(*flags); });
}

}  // namespace tamis::cli
