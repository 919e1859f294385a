// The GPU versions of Karas et al. (2015) and tamis. Lines of JSON, the machine first; papers/karas/study/gpu.py calls this.
//
//   karas_gpu_bench [--repetitions N] [--largest EDGE] [--only "figure 5" | "table 2" | check]
//
// Every version is first compared with tamis on the CPU, on small images; and each case once more before it is timed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/morphology.hpp>

#include "bench/gpu_timer.hpp"
#include "papers/karas/study/gpu_study.hpp"
#include "papers/karas/gpu/run.hpp"

namespace tamis::karas {
namespace {

using namespace gpu;

const std::vector<double> check_angles = {0, 10, 33.5, 44.5, 45, 60, 89, 90, 91, 120, 134.5, 135, 150, 179.5, -10};

MorphologyOptions options_of(const Task& task, double angle) {
  return {.element = StructuringElement::line(static_cast<double>(task.length), angle),
          .border = task.fit ? Border::fit() : Border::neutral(),
          .lines = Lines::Traced};
}

void check_task(Paper& paper, const Image& image, const Task& task) {
  std::vector<Image> wanted;
  for (const double angle : task.angles) {
    wanted.push_back(morphology(bench::on(Device::Cpu), task.dark ? Operation::Close : Operation::Open, image,
                                options_of(task, angle)));
  }
  for (const Version version : all_versions) {
    for (const Configuration& configuration :
         {Configuration{32, 1, 16}, Configuration{96, 3, 1}, Configuration{64, 8, 4}}) {
      paper.prepare(version, task, configuration);
      paper.run();
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Image got = paper.result(i);
        if (std::memcmp(got.data(), wanted[i].data(), static_cast<std::size_t>(got.bytes())) == 0) continue;
        throw Error(std::string(name(version)) + ": length " + std::to_string(task.length) + " at " +
                    std::to_string(task.angles[i]) + " degrees, " + std::to_string(configuration.zones) +
                    " zones, border " + (task.fit ? "fit" : "neutral") + (task.dark ? ", closing" : ", opening") +
                    " of " + to_string(image.shape()) + ": not what tamis computes; nothing was timed");
      }
      if (!is_optimised(version)) break;
    }
  }
}

}  // namespace

void check_versions(const cuda::Stream& stream) {
  int tasks = 0;
  for (const bool textured : {false, true}) {
    for (const Shape& shape : {Shape{1, 211, 300, 2}, Shape{1, 97, 64, 2}}) {
      const Image image = textured ? texture(shape.x, shape.y) : noise(shape.x, shape.y);
      Paper paper(stream, image);
      for (const std::int64_t length : {1, 2, 5, 16, 41, 130, 400}) {
        for (const bool dark : {false, true}) {
          for (const bool fit : {false, true}) {
            check_task(paper, image, {length, check_angles, dark, fit});
            ++tasks;
          }
        }
      }
    }
  }
  bench::print({{"checked", tasks * static_cast<int>(check_angles.size())}});
}

namespace {

void run(const Arguments& arguments) {
  if (const std::string problem = why_no_gpu(); !problem.empty()) {
    throw ResourceError("no GPU to measure: " + problem + "; wanted one that tamis can use");
  }
  const int gpu = Context{}.gpu;
  const cuda::DeviceScope scope(gpu);
  const cuda::Stream stream(gpu);
  bench::print({{"machine", bench::machine()}});
  check_versions(stream);
  if (arguments.only == "check") return;
  measure_table(stream, arguments);
  measure_figures(stream, arguments);
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    const int number = more ? std::atoi(words[i + 1].c_str()) : 0;
    if (words[i] == "--repetitions" && number > 0) {
      arguments.repetitions = number;
      ++i;
    } else if (words[i] == "--largest" && number >= 512) {
      arguments.largest = number;
      ++i;
    } else if (words[i] == "--only" && more) {
      arguments.only = words[++i];
    } else {
      throw InputError(words[i] + "; wanted [--repetitions N, 1 or more] [--largest EDGE, 512 or more] [--only WHAT]");
    }
  }
  return arguments;
}

}  // namespace
}  // namespace tamis::karas

int main(int count, char** words) {
  try {
    tamis::karas::run(tamis::karas::parse({words + 1, words + count}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "karas_gpu_bench: %s\n", error.what());
    return dynamic_cast<const tamis::InputError*>(&error) || dynamic_cast<const tamis::ResourceError*>(&error) ? 2 : 1;
  }
}
