// Figure 2 of Karas et al. (2015): openings along rows and columns by the four algorithms of the paper and by ours, one
// thread, u8, segments of 5 % of the width. Answers are compared first.
#include <tamis/line.hpp>

#include <cmath>
#include <ctime>
#include <optional>
#include <random>

#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

#include "bench/measure.hpp"
#include "papers/karas/cpu/openings.hpp"
#include "papers/karas/study/measure.hpp"

namespace tamis::karas {
namespace {

/// Nothing: what the library does.
using Version = std::optional<cpu::Algorithm>;
const Version versions[] = {
    {}, cpu::Algorithm::VanHerk, cpu::Algorithm::Morard, cpu::Algorithm::Bartovsky, cpu::Algorithm::Anchor};

std::string name_of(const Version& version) { return version ? std::string(name(*version)) : "auto"; }

Image opening(const Context& context, const Image& image, std::int64_t length, double angle, const Version& version) {
  return version ? cpu::opening(context, image, length, angle, *version)
                 : traced_opening(context, image, length, angle);
}

/// Waves in two directions and grain, as the paper's textures have.
Image texture(std::int64_t edge) {
  Image image(Type::U8, {1, edge, edge, 2});
  std::mt19937 random(1);
  for (std::int64_t y = 0; y < edge; ++y) {
    for (std::int64_t x = 0; x < edge; ++x) {
      const double waves = std::sin(0.11 * static_cast<double>(x + y / 3)) + std::sin(0.07 * static_cast<double>(y));
      image.row<std::uint8_t>(0, y)[x] = static_cast<std::uint8_t>(100 + 40 * waves + random() % 48);
    }
  }
  return image;
}

/// Seconds of the processor: there is one thread, and others may share the machine.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bench::Json measure(const Context& context, std::int64_t edge, double angle, int rounds) {
  const Image image = texture(edge);
  const std::int64_t length = edge / 20;
  const Image wanted = traced_opening(context, image, length, angle);
  std::vector<double> least(std::size(versions), 1e9);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < std::size(versions); ++k) {
      const double start = processor_seconds();
      const Image out = opening(context, image, length, angle, versions[k]);
      least[k] = std::min(least[k], processor_seconds() - start);
      if (!std::equal(out.data(), out.data() + out.bytes(), wanted.data())) {
        throw Error(name_of(versions[k]) + " gives another answer than tamis");
      }
    }
  }
  bench::Json row{{"edge", edge}, {"length", length}};
  for (std::size_t k = 0; k < std::size(versions); ++k) {
    row[name_of(versions[k])] = std::round(static_cast<double>(edge * edge) / least[k] * 1e-6);
  }
  return row;
}

/// The least processor time of so many rounds.
void measure_figure_2(const Arguments& arguments) {
  Context context = bench::on(Device::Cpu);
  context.threads = 1;
  const int rounds = 3 * arguments.repetitions;
  bench::Json all{{"figure", "Karas 2015, figure 2: openings, u8, length 5 % of the width"},
                  {"machine", context.describe()},
                  {"unit", "Mpx/s, least processor time of " + std::to_string(rounds) + " rounds"}};
  for (const auto& [orientation, angle] : {std::pair{"horizontal", 0.0}, {"vertical", 90.0}}) {
    for (int edge = 256; edge <= std::min(4096, arguments.largest); edge *= 2) {
      all[orientation].push_back(measure(context, edge, angle, rounds));
    }
  }
  bench::print({{"figure_2", all}});
}

}  // namespace

void measure(const Arguments& arguments) {
#ifdef TAMIS_CUDA
  if (why_no_gpu().empty() && arguments.only != "figure 2") measure_on_gpu(arguments);
#endif
  if (wants(arguments, "figure 2")) measure_figure_2(arguments);
}

}  // namespace tamis::karas
