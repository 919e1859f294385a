// Granulometry on the GPU: times of one volume against the floors, the CPU and the paper's kernel, and the data of the
// paper's figures. Answers are compared before anything is timed. papers/boulos/study/gpu.py calls this program.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "papers/boulos/study/gpu_bench.hpp"
#include "core/device.hpp"

namespace {

constexpr const char* usage =
    "usage: granulometry_gpu_bench one FILE|foam:N [repetitions]\n"
    "       granulometry_gpu_bench jobs FILE|foam:N [repetitions]\n"
    "       granulometry_gpu_bench sweep cube|x|y|z|openings\n";

constexpr int gpu = 0;

int positive(const std::string& text) {
  const int value = std::atoi(text.c_str());
  if (value < 1) throw tamis::InputError("repetitions " + text + "; wanted 1 or more");
  return value;
}

int run(const std::vector<std::string>& words) {
  const bool of_volume = words.size() == 2 || words.size() == 3;
  const bool one = of_volume && words[0] == "one";
  const bool jobs = of_volume && words[0] == "jobs";
  const bool sweep = words.size() == 2 && words[0] == "sweep";
  if (!one && !jobs && !sweep) {
    std::cerr << usage;
    return 2;
  }
  if (const std::string problem = tamis::ask_gpu(gpu).problem; !problem.empty()) {
    throw tamis::ResourceError("no GPU to measure: " + problem + "; wanted one that tamis can use");
  }
  const tamis::cuda::DeviceScope scope(gpu);
  const int repetitions = words.size() == 3 ? positive(words[2]) : 20;
  if (one) {
    tamis::gpu_bench::bench_one(gpu, words[1], repetitions);
  } else if (jobs) {
    tamis::gpu_bench::bench_jobs(gpu, words[1], repetitions);
  } else {
    tamis::gpu_bench::bench_sweep(gpu, words[1]);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run({arguments + 1, arguments + count});
  } catch (const tamis::InputError& error) {
    std::cerr << "granulometry_gpu_bench: " << error.what() << '\n';
    return 2;
  } catch (const tamis::ResourceError& error) {
    std::cerr << "granulometry_gpu_bench: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "granulometry_gpu_bench: " << error.what() << '\n';
    return 1;
  }
}
