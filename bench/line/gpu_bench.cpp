// Openings along lines on a GPU. Lines of JSON, the machine first.
//
//   line_gpu_bench [--repetitions N] [--only "openings u8 traced"]
//
// --only: parts and cases whose name begins so: openings TYPE LINES LENGTH, sweeps CASE, frames.
#include "bench/line/gpu_bench.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include <tamis/error.hpp>

namespace tamis::line_bench {

void require_same(const Image& got, const Image& expected, const std::string& what) {
  if (got.shape() == expected.shape() && got.type() == expected.type() &&
      std::memcmp(got.data(), expected.data(), static_cast<std::size_t>(expected.bytes())) == 0) {
    return;
  }
  throw Error(what + ": the GPU's answer is not the CPU's; nothing was timed");
}

namespace {

void run(const Arguments& arguments) {
  bench::require_gpu();
  const int gpu = Context{}.gpu;
  const cuda::DeviceScope scope(gpu);
  const cuda::Stream stream(gpu);
  print({{"machine", machine()}});
  measure_sweeps(stream, arguments);
  measure_frames(arguments);
  measure_openings(stream, arguments);
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    if (words[i] == "--repetitions" && more && std::atoi(words[i + 1].c_str()) > 0) {
      arguments.repetitions = std::atoi(words[++i].c_str());
    } else if (words[i] == "--only" && more) {
      arguments.only = words[++i];
    } else {
      throw InputError(words[i] + "; wanted [--repetitions N, 1 or more] [--only \"openings u8 traced\"]");
    }
  }
  return arguments;
}

}  // namespace
}  // namespace tamis::line_bench

int main(int count, char** words) {
  try {
    tamis::line_bench::run(tamis::line_bench::parse({words + 1, words + count}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "line_gpu_bench: %s\n", error.what());
    return dynamic_cast<const tamis::InputError*>(&error) || dynamic_cast<const tamis::ResourceError*>(&error) ? 2 : 1;
  }
}
