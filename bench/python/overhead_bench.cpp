// What the operations cost in C++ on an array of 64x64, for bench/python/overhead.py: nanoseconds as JSON.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <tamis/tamis.hpp>

namespace {

/// Median over repetitions of the mean of a few calls, in nanoseconds.
template <class Call>
double nanoseconds(Call call) {
  constexpr int repetitions = 300;
  constexpr int calls = 20;
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k) call();
    times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / calls);
  }
  std::nth_element(times.begin(), times.begin() + repetitions / 2, times.end());
  return times[repetitions / 2];
}

/// The image of overhead.py: a pattern with many sizes, the same in both languages.
tamis::Image pattern() {
  tamis::Image image(tamis::Type::U8, {1, 64, 64, 2});
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x)
      image.row<std::uint8_t>(0, y)[x] = static_cast<std::uint8_t>((x * x + 3 * y * y) % 251);
  }
  return image;
}

}  // namespace

int main() {
  const tamis::Context context;
  const tamis::Image grey = pattern();
  tamis::ThresholdOptions above;
  above.method = tamis::ThresholdMethod::Value;
  above.value = 100;
  const auto binary = [&] { return tamis::binarise(context, *tamis::source_of(grey), above); };
  std::int64_t total = 0;  // so that nothing is left out
  const double threshold = nanoseconds([&] { total += binary().volume; });
  const double granulometry = nanoseconds([&] { total += tamis::granulometry(context, binary().object).rows(); });
  const tamis::MorphologyOptions square{tamis::StructuringElement::square(3), {}};
  const tamis::MorphologyOptions disk{tamis::StructuringElement::disk(5), {}};
  const auto corner = [](const tamis::Image& image) { return *image.row<std::uint8_t>(0, 0); };
  const double erode = nanoseconds([&] { total += corner(tamis::erode(context, grey, square)); });
  const double open = nanoseconds([&] { total += corner(tamis::open(context, grey, disk)); });
  std::printf("{\"threshold_ns\": %.1f, \"granulometry_ns\": %.1f, \"erode_ns\": %.1f, \"open_ns\": %.1f, ", threshold,
              granulometry, erode, open);
  std::printf("\"checksum\": %lld}\n", static_cast<long long>(total));
}
