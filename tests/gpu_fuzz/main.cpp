// Random calls on the GPU against the same ones on the CPU, byte by byte, until the time is over. Exit code 1 where any
// of them differed, 2 without a GPU. Every case is made of a seed of its own, which repeats it.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

#include "tests/gpu_fuzz/cases.hpp"

namespace tamis::gpu_fuzz {
namespace {

using Clock = std::chrono::steady_clock;

struct Settings {
  double seconds = 60;
  std::uint64_t cases = ~std::uint64_t{0};
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> only;  ///< one case
  unsigned workers = 0;
  bool verbose = false;
  bool on_cpu = false;  ///< both calls, by different instructions: for machines without a GPU
};

constexpr const char* usage =
    "usage: gpu_fuzz [--seconds S] [--cases N] [--seed N] [--case SEED] [--workers N] [--verbose] [--cpu]\n";

struct Family {
  Trial (*make)(Random&);
  int weight;
};
constexpr Family families[] = {{granulometry_case, 6}, {grey_granulometry_case, 1},
                               {morphology_case, 8},   {element_pair_case, 2},
                               {reconstruct_case, 3},  {traced_case, 3},
                               {orientation_case, 2},  {median_case, 5},
                               {smooth_case, 2},       {threshold_case, 3},
                               {ball_case, 4},         {distance_case, 3},
                               {porosimetry_case, 1}};

Trial make_trial(Random& random) {
  int all = 0;
  for (const Family& family : families) all += family.weight;
  auto at = static_cast<int>(random.below(all));
  for (const Family& family : families) {
    if (at < family.weight) return family.make(random);
    at -= family.weight;
  }
  return families[0].make(random);
}

Answer answer_of(const std::function<Answer(const Context&)>& call, const Context& context) {
  Answer answer;
  try {
    answer = call(context);
  } catch (const InputError& error) {
    answer.fail(std::string("input: ") + error.what());
  } catch (const ResourceError& error) {
    answer.fail(std::string("environment: ") + error.what());
  } catch (const std::exception& error) {
    answer.fail(std::string("other: ") + error.what());
  }
  return answer;
}

/// What all workers share.
class Run {
 public:
  explicit Run(const Settings& settings)
      : settings_(settings),
        end_(Clock::now() +
             Clock::duration(std::chrono::nanoseconds(static_cast<std::int64_t>(settings.seconds * 1e9)))) {}

  void work() {
    for (;;) {
      const std::uint64_t index = next_++;
      if (index >= settings_.cases || Clock::now() >= end_ || mismatches_ >= most_mismatches) return;
      try_case(settings_.only ? *settings_.only : mixed(settings_.seed ^ mixed(index)));
    }
  }

  int report(double seconds) {
    std::uint64_t cases = 0;
    for (const auto& [operation, tried] : tried_) {
      std::printf("%-20s %9llu cases, %llu of them errors on both sides, %llu without memory on the GPU\n",
                  operation.c_str(), tried.cases, tried.errors, tried.refused);
      cases += tried.cases;
    }
    std::printf("gpu-fuzz: %llu cases of seed %llu in %.0f s, %d mismatches\n", static_cast<unsigned long long>(cases),
                static_cast<unsigned long long>(settings_.seed), seconds, mismatches_.load());
    return mismatches_ > 0 ? 1 : 0;
  }

 private:
  struct Tried {
    unsigned long long cases = 0, errors = 0, refused = 0;
  };
  static constexpr int most_mismatches = 50;

  void try_case(std::uint64_t seed) {
    Random random(seed);
    const auto number = static_cast<unsigned long long>(seed);
    Trial trial;
    Answer made;
    // What a case is made of is computed on the CPU, and must not fail.
    try {
      trial = make_trial(random);
    } catch (const std::exception& error) {
      return tell(number, "cannot be made: " + std::string(error.what()), "");
    }
    if (settings_.verbose) std::fprintf(stderr, "case %llu: %s\n", number, trial.what.c_str());
    Context cpu;
    cpu.device = Device::Cpu;
    cpu.threads = static_cast<int>(random.between(1, 2));
    cpu.simd = random.one_in(16) ? Simd::Avx2 : Simd::Best;
    Context gpu;
    gpu.device = settings_.on_cpu ? Device::Cpu : Device::Cuda;
    gpu.device_memory_bytes = trial.device_memory_bytes;
    if (settings_.on_cpu) gpu.simd = random.one_in(8) ? Simd::Portable : Simd::Avx2;
    const Answer wanted = answer_of(trial.cpu, cpu);
    const Answer got = answer_of(settings_.on_cpu && trial.needs_gpu ? trial.cpu : trial.gpu, gpu);
    const bool refused = trial.device_memory_bytes > 0 && got.error().starts_with("environment: GPU memory");
    const std::string difference = refused ? "" : wanted.difference(got);
    if (!difference.empty()) tell(number, trial.what, difference);
    const std::scoped_lock lock(mutex_);
    Tried& tried = tried_[trial.operation];
    ++tried.cases;
    tried.errors += !refused && !wanted.error().empty() ? 1 : 0;
    tried.refused += refused ? 1 : 0;
  }

  void tell(unsigned long long seed, const std::string& what, const std::string& difference) {
    ++mismatches_;
    const std::scoped_lock lock(mutex_);
    std::printf("MISMATCH --case %llu: %s: %s\n", seed, what.c_str(), difference.c_str());
    std::fflush(stdout);
  }

  const Settings& settings_;
  Clock::time_point end_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<int> mismatches_{0};
  std::mutex mutex_;
  std::map<std::string, Tried> tried_;
};

bool read_arguments(int count, char** texts, Settings& settings) {
  for (int i = 1; i < count; ++i) {
    const std::string_view option = texts[i];
    if (option == "--verbose" || option == "--cpu") {
      (option == "--cpu" ? settings.on_cpu : settings.verbose) = true;
      continue;
    }
    if (i + 1 == count) return false;
    const char* const text = texts[++i];
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text, &end, 10);
    if (option == "--seconds") {
      settings.seconds = std::strtod(text, &end);
    } else if (option == "--cases") {
      settings.cases = number;
    } else if (option == "--seed") {
      settings.seed = number;
    } else if (option == "--case") {
      settings.only = number;
      settings.cases = 1;
    } else if (option == "--workers") {
      settings.workers = static_cast<unsigned>(number);
    } else {
      return false;
    }
    if (end == text || *end != '\0') return false;
  }
  return true;
}

int run(int count, char** texts) {
  Settings settings;
  if (!read_arguments(count, texts, settings)) {
    std::fputs(usage, stderr);
    return 2;
  }
  if (const std::string problem = why_no_gpu(); !settings.on_cpu && !problem.empty()) {
    std::fprintf(stderr, "gpu-fuzz: %s; wanted a GPU\n", problem.c_str());
    return 2;
  }
  constexpr unsigned most_workers = 16;
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  const unsigned workers = settings.workers > 0 ? settings.workers : std::min(cores, most_workers);
  const Clock::time_point start = Clock::now();
  Run all(settings);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < workers; ++i) threads.emplace_back([&] { all.work(); });
  for (std::thread& thread : threads) thread.join();
  return all.report(std::chrono::duration<double>(Clock::now() - start).count());
}

}  // namespace
}  // namespace tamis::gpu_fuzz

int main(int count, char** texts) { return tamis::gpu_fuzz::run(count, texts); }
