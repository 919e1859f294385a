// Medians on a GPU. Lines of JSON, the machine first.
//
//   median_gpu_bench [--repetitions N] [--seconds S] [--only "rates u8 square"]
//
// --only: parts and cases whose name begins so: rates TYPE WINDOW, frames TYPE WINDOW. A case with a wrong answer is
// not timed; the program says so, goes on, and fails at its end.
#include "bench/median/gpu_bench.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include <tamis/error.hpp>

namespace tamis::median_bench {

using bench::print;

bool Run::begins(const std::string& name) {
  if (!name.starts_with(arguments_.only)) return false;
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
  if (gone.count() < arguments_.seconds) return true;
  print({{"left_out", name + ": no time left"}});
  return false;
}

void Run::failed(const std::string& name, const std::string& problem) {
  well_ = false;
  print({{"left_out", name + ": " + problem}});
}

void require_same(const Image& got, const Image& expected) {
  if (got.shape() == expected.shape() && got.type() == expected.type() &&
      std::memcmp(got.data(), expected.data(), static_cast<std::size_t>(expected.bytes())) == 0) {
    return;
  }
  throw Error("the GPU's answer is not the CPU's, not timed");
}

namespace {

bool run(const Arguments& arguments) {
  bench::require_gpu();
  const int gpu = Context{}.gpu;
  const cuda::DeviceScope scope(gpu);
  const cuda::Stream stream(gpu);
  print({{"machine", bench::machine()}});
  Run run(arguments);
  measure_rates(stream, run);
  measure_frames(stream, run);
  return run.all_well();
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const bool more = i + 1 < words.size();
    const double number = more ? std::atof(words[i + 1].c_str()) : 0;
    if (words[i] == "--repetitions" && number >= 1) {
      arguments.repetitions = static_cast<int>(number);
    } else if (words[i] == "--seconds" && number > 0) {
      arguments.seconds = number;
    } else if (words[i] == "--only" && more) {
      arguments.only = words[i + 1];
    } else {
      throw InputError(words[i] + "; wanted [--repetitions N, 1 or more] [--seconds S] [--only \"rates u8 square\"]");
    }
  }
  return arguments;
}

}  // namespace
}  // namespace tamis::median_bench

int main(int count, char** words) {
  try {
    return tamis::median_bench::run(tamis::median_bench::parse({words + 1, words + count})) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "median_gpu_bench: %s\n", error.what());
    return dynamic_cast<const tamis::InputError*>(&error) || dynamic_cast<const tamis::ResourceError*>(&error) ? 2 : 1;
  }
}
