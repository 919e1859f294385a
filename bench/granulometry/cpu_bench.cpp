// Times the whole job, raw file to curve, against the time in which every thread copies 1 GiB of its own, in turn, so
// that a machine whose speed drifts drifts for both. Usage: granulometry_bench FILE.raw [repetitions]
#include <tamis/tamis.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/cpu/parallel.hpp"
#include "core/memory.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Every thread has two buffers of its own and copies one to the other, all at once.
class Copies {
 public:
  explicit Copies(const tamis::Context& context) : context_(context) {
    for (int i = 0; i < tamis::thread_count(context); ++i) {
      from_.emplace_back(bytes);
      to_.emplace_back(bytes);
      std::memset(from_.back().data(), 1, bytes);
      std::memset(to_.back().data(), 1, bytes);
    }
  }
  double seconds() {
    return seconds_of([&] {
      tamis::parallel_for(context_, static_cast<std::int64_t>(from_.size()), [&](std::int64_t i) {
        const auto slot = static_cast<std::size_t>(i);
        std::memcpy(to_[slot].data(), from_[slot].data(), bytes);
      });
    });
  }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 30;
  const tamis::Context& context_;
  std::vector<tamis::Buffer<char>> from_, to_;
};

/// The process's largest memory so far, in MiB, by the kernel's count.
double peak_mebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

struct Run {
  tamis::Sizes sizes;
  std::map<std::string, double> stages;
  double seconds = 0;
};

Run whole_job(tamis::Context context, const std::string& path) {
  Run run;
  context.on_stage = [&](std::string_view stage, double seconds) { run.stages[std::string(stage)] += seconds; };
  run.seconds = seconds_of([&] {
    const std::unique_ptr<tamis::FileSource> source = tamis::open_file(path);
    const tamis::Binary binary = tamis::binarise(context, *source, {});
    run.sizes = tamis::granulometry(context, binary.object);
  });
  return run;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr << "usage: granulometry_bench FILE.raw [repetitions]\n";
    return 2;
  }
  const std::string path = arguments[1];
  const int repetitions = count > 2 ? std::atoi(arguments[2]) : 5;
  const tamis::Context context;
  const Run first = whole_job(context, path);
  const double memory = peak_mebibytes();
  Copies copies(context);
  std::vector<double> ratios, ours, copying;
  std::map<std::string, std::vector<double>> stages;
  for (int i = 0; i < repetitions; ++i) {
    copying.push_back(copies.seconds());
    const Run run = whole_job(context, path);
    if (run.sizes.volume != first.sizes.volume) {
      std::cerr << "granulometry_bench: two runs differ\n";
      return 1;
    }
    ours.push_back(run.seconds);
    ratios.push_back(run.seconds / copying.back());
    for (const auto& [name, seconds] : run.stages) stages[name].push_back(seconds);
  }
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  fmt::print("{{\"machine\": \"{}\", \"file\": \"{}\", \"rows\": {}, \"peak_mib_with_mapped_file\": {:.0f}, ",
             context.describe(), path.substr(path.rfind('/') + 1), first.sizes.rows(), memory);
  fmt::print("\"curve_s\": {:.3f}, \"copy_s\": {:.4f}, \"ratio\": {:.1f}, \"ratio_min\": {:.1f}, \"ratio_max\": {:.1f}",
             median(ours), median(copying), median(ratios), *least, *most);
  for (const auto& [name, seconds] : stages) fmt::print(", \"{}_s\": {:.3f}", name, median(seconds));
  fmt::print("}}\n");
  return 0;
}
