// How much of their cases tests go through.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string_view>

namespace tamis {

/// TAMIS_TEST_SCALE: `small` for make check, and under sanitizers, where everything is ten times slower; `full` for
/// make test-extra, all that there is; what make test does is between them.
enum class TestScale { Small, Usual, Full };

inline TestScale test_scale() {
  const char* const word = std::getenv("TAMIS_TEST_SCALE");
  if (word == nullptr) return TestScale::Usual;
  return std::string_view(word) == "full" ? TestScale::Full : TestScale::Small;
}

inline bool small_scale() { return test_scale() == TestScale::Small; }

template <class T>
T by_scale(T small, T usual, T full) {
  const TestScale scale = test_scale();
  return scale == TestScale::Small ? small : scale == TestScale::Usual ? usual : full;
}

/// One in so many of the cases of a test, all at full scale: `if (some.skips()) continue;` in the innermost loop. Steps of
/// the golden ratio spread them over all cases and keep no time with any inner loop, which a fixed step may.
class Sampled {
 public:
  explicit Sampled(int small, int usual = 1) : step_(by_scale(small, usual, 1)) {}
  bool skips() { return std::fmod(count_++ * 0.6180339887498949, 1.0) * step_ >= 1; }

 private:
  int step_;
  int count_ = 0;
};

}  // namespace tamis
