// Filters of an image of 4000^2 onto itself, beside the same filters into another image, in turns: the middle of nine
// times each, after the answers have been compared. Prints a line of JSON for each.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <tamis/image/view.hpp>

namespace {

using namespace tamis;

constexpr std::int64_t edge = 4000;
constexpr int turns = 9;

double seconds(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double middle(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return 1e3 * times[times.size() / 2];
}

struct Filter {
  const char* name;
  std::function<void(const Context&, const ConstImageView&, const ImageView&)> run;
};

template <Operation operation>
Filter by(const char* name, const char* element) {
  const MorphologyOptions options{.element = element};
  return {name, [=](auto& context, auto& image, auto& out) { morphology(context, operation, image, out, options); }};
}

Filter median_by(const char* name, const char* element) {
  const MedianOptions options{.window = element, .border = Border::nearest()};
  return {name, [=](auto& context, auto& image, auto& out) { median(context, image, out, options); }};
}

const std::vector<Filter>& filters() {
  static const std::vector<Filter> all = {
      by<Operation::Erode>("erode square:3", "square:3"),
      by<Operation::Erode>("erode square:31", "square:31"),
      by<Operation::Open>("open square:15", "square:15"),
      by<Operation::Close>("close disk:5", "disk:5"),
      by<Operation::Gradient>("gradient square:3", "square:3"),
      by<Operation::TopHat>("tophat disk:5", "disk:5"),
      median_by("median square:3", "square:3"),
      median_by("median square:5", "square:5"),
      median_by("median square:15", "square:15"),
      {"smooth 5",
       [](auto& context, auto& image, auto& out) { smooth(context, image, out, {.width = 5, .height = 5}); }},
      {"remove_outliers",
       [](auto& context, auto& image, auto& out) { remove_outliers(context, image, out, {.threshold = 5}); }},
      {"hitmiss", [](auto& context, auto& image, auto& out) { hitmiss(context, image, out, {}); }},
      {"asf", [](auto& context, auto& image, auto& out) { asf(context, image, out, {}); }},
      {"traced opening 21", [](auto& context, auto& image, auto& out) { traced_opening(context, image, out, 21, 30); }},
  };
  return all;
}

/// Blocks with noise.
std::vector<std::byte> samples_of(Type type) {
  std::vector<std::byte> samples(static_cast<std::size_t>(edge * edge * sample_bytes(type)));
  unsigned random = 1;
  for (std::int64_t i = 0; i < edge * edge; ++i) {
    random = random * 1664525U + 1013904223U;
    const auto value = static_cast<unsigned>((i % edge / 7 + i / edge / 5) * 37 % 200) + (random >> 27);
    const auto put = [&](auto sample) {
      std::memcpy(&samples[static_cast<std::size_t>(i) * sizeof sample], &sample, sizeof sample);
    };
    if (type == Type::U16) put(static_cast<std::uint16_t>(value * 200));
    if (type == Type::F32) put(static_cast<float>(value) / 3);
    if (sample_bytes(type) == 1) put(static_cast<std::uint8_t>(type == Type::Bool ? value > 120 : value));
  }
  return samples;
}

}  // namespace

int main() {
  Context context;
  context.threads = 2;
  for (const Type type : {Type::U8, Type::U16, Type::F32, Type::Bool}) {
    const Shape shape{1, edge, edge, 2};
    const std::vector<std::byte> first = samples_of(type);
    std::vector<std::byte> image = first, other = first;
    const ConstImageView from = view_of<const void>(image.data(), type, shape);
    const ImageView apart = view_of<void>(other.data(), type, shape), same = view_of<void>(image.data(), type, shape);
    for (const Filter& filter : filters()) {
      std::vector<double> times[2];
      for (int turn = 0; turn <= turns; ++turn) {
        std::copy(first.begin(), first.end(), image.begin());
        times[0].push_back(seconds([&] { filter.run(context, from, apart); }));
        times[1].push_back(seconds([&] { filter.run(context, from, same); }));
        if (image != other) return std::fprintf(stderr, "%s: the results differ\n", filter.name), 1;
        if (turn == 0) times[0].clear(), times[1].clear();
      }
      const double ms[] = {middle(times[0]), middle(times[1])};
      fmt::print(
          "{{\"type\": \"{}\", \"filter\": \"{}\", \"apart_ms\": {:.3f}, \"in_place_ms\": {:.3f}, \"ratio\": "
          "{:.2f}}}\n",
          name(type), filter.name, ms[0], ms[1], ms[1] / ms[0]);
      std::fflush(stdout);
    }
  }
}
