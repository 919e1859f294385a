// Figure 2 of Karas et al. (2015): openings along rows and columns by the four algorithms of the paper and by ours, one
// thread, u8, segments of 5 % of the width. Prints JSON. Answers are compared first.
#include <tamis/line.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "papers/karas/cpu/openings.hpp"

namespace {

using namespace tamis;

/// Nothing: what the library does.
using Version = std::optional<karas::cpu::Algorithm>;
const Version versions[] = {{},
                            karas::cpu::Algorithm::VanHerk,
                            karas::cpu::Algorithm::Morard,
                            karas::cpu::Algorithm::Bartovsky,
                            karas::cpu::Algorithm::Anchor};

std::string name_of(const Version& version) { return version ? std::string(name(*version)) : "auto"; }

Image opening(const Context& context, const Image& image, std::int64_t length, double angle, const Version& version) {
  return version ? karas::cpu::opening(context, image, length, angle, *version)
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

nlohmann::ordered_json measure(const Context& context, std::int64_t edge, double angle, int rounds) {
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
        std::fprintf(stderr, "%s gives another answer\n", name_of(versions[k]).c_str());
        std::exit(1);
      }
    }
  }
  nlohmann::ordered_json row{{"edge", edge}, {"length", length}};
  for (std::size_t k = 0; k < std::size(versions); ++k) {
    row[name_of(versions[k])] = std::round(static_cast<double>(edge * edge) / least[k] * 1e-6);
  }
  return row;
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 15;
  Context context;
  context.device = Device::Cpu;
  context.threads = 1;
  nlohmann::ordered_json all{{"figure", "Karas 2015, figure 2: openings, u8, length 5 % of the width"},
                             {"machine", context.describe()},
                             {"unit", "Mpx/s, least processor time of " + std::to_string(rounds) + " rounds"}};
  for (const auto& [orientation, angle] : {std::pair{"horizontal", 0.0}, {"vertical", 90.0}}) {
    for (const std::int64_t edge : {256, 512, 1024, 2048, 4096}) {
      all[orientation].push_back(measure(context, edge, angle, rounds));
    }
  }
  std::printf("%s\n", all.dump(1).c_str());
}
