// The kernels of Perrot (2013) and tamis. Lines of JSON, the machine first; papers/perrot/study/run.py calls this.
//
//   perrot_bench [--calls N] [--seconds S] [--largest EDGE] [--only kernels | smoother | cpu | check]
//
// Every version is first compared with tamis on the CPU, on small images; and each case with tamis on the GPU before it
// is timed. Without a GPU: the CPU's part.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "papers/perrot/study/study.hpp"

namespace tamis::perrot {
namespace {

void run_on_gpu(const Arguments& arguments) {
  const int gpu = Context{}.gpu;
  const cuda::DeviceScope scope(gpu);
  const cuda::Stream stream(gpu);
  check_versions(stream);
  measure_kernels(stream, arguments);
  measure_smoother(stream, arguments);
}

void run(const Arguments& arguments) {
  const std::string problem = why_no_gpu();
  if (!problem.empty() && arguments.only != "cpu") {
    throw ResourceError("no GPU to measure: " + problem + "; wanted one that tamis can use, or --only cpu");
  }
  bench::print(
      {{"machine", problem.empty() ? bench::machine() : bench::Json{{"cpu", Context{}.describe(Device::Cpu)}}}});
  if (arguments.only != "cpu") run_on_gpu(arguments);
  measure_cpu(arguments);
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    const double number = more ? std::atof(words[i + 1].c_str()) : 0;
    if (words[i] == "--calls" && number >= 2) {
      arguments.most_calls = static_cast<int>(number);
    } else if (words[i] == "--seconds" && number > 0) {
      arguments.seconds = number;
    } else if (words[i] == "--largest" && number >= 512) {
      arguments.largest = static_cast<int>(number);
    } else if (words[i] == "--only" && more) {
      arguments.only = words[i + 1];
    } else {
      throw InputError(words[i] +
                       "; wanted [--calls N, 2 or more] [--seconds S] [--largest EDGE, 512 or more] [--only PART]");
    }
    ++i;
  }
  return arguments;
}

}  // namespace
}  // namespace tamis::perrot

int main(int count, char** words) {
  try {
    tamis::perrot::run(tamis::perrot::parse({words + 1, words + count}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "perrot_bench: %s\n", error.what());
    return dynamic_cast<const tamis::InputError*>(&error) || dynamic_cast<const tamis::ResourceError*>(&error) ? 2 : 1;
  }
}
