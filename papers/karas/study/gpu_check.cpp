// Whether the paper's versions give the answers of tamis, and the order of what is measured.
#include <cstring>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/morphology.hpp>

#include "bench/gpu_timer.hpp"
#include "papers/karas/study/gpu_study.hpp"

namespace tamis::karas {
namespace {

using namespace gpu;

const std::vector<double> check_angles = {0, 10, 33.5, 44.5, 45, 60, 89, 90, 91, 120, 134.5, 135, 150, 179.5, -10};

void check_task(Paper& paper, const Image& image, const Task& task) {
  const std::vector<Image> wanted = answers(image, task);
  for (const Version version : all_versions) {
    for (const Configuration& configuration :
         {Configuration{32, 1, 16}, Configuration{96, 3, 1}, Configuration{64, 8, 4}}) {
      paper.prepare(version, task, configuration);
      paper.run();
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        require_same(paper.result(i), wanted[i],
                     std::string(name(version)) + ": length " + std::to_string(task.length) + " at " +
                         std::to_string(task.angles[i]) + " degrees, " + std::to_string(configuration.zones) +
                         " zones, border " + (task.fit ? "fit" : "neutral") + (task.dark ? ", closing" : ", opening"));
      }
      if (!is_optimised(version)) break;
    }
  }
}

/// Throws if some version, configuration, border, length or angle gives another answer than tamis on the CPU.
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

}  // namespace

std::vector<Image> answers(const Image& image, const Task& task) {
  std::vector<Image> all;
  for (const double angle : task.angles) {
    const MorphologyOptions options{.element = StructuringElement::line(static_cast<double>(task.length), angle),
                                    .border = task.fit ? Border::fit() : Border::neutral(),
                                    .lines = Lines::Traced};
    all.push_back(morphology(bench::on(Device::Cpu), task.dark ? Operation::Close : Operation::Open, image, options));
  }
  return all;
}

void require_same(const Image& got, const Image& wanted, const std::string& what) {
  if (std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(got.bytes())) == 0) return;
  throw Error(what + " of " + to_string(wanted.shape()) + ": not what tamis computes on the CPU; nothing was timed");
}

void measure_on_gpu(const Arguments& arguments) {
  const int gpu = Context{}.gpu;
  const cuda::DeviceScope scope(gpu);
  const cuda::Stream stream(gpu);
  check_versions(stream);
  if (arguments.only == "check") return;
  if (wants(arguments, "table 2")) measure_table(stream, arguments);
  measure_figures(stream, arguments);
}

}  // namespace tamis::karas
