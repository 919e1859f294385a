// Stretches of an axis, and where the border maps what of them lies outside of the image.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tamis/image/border.hpp>

#include "core/border.hpp"

namespace tamis::morphology_detail {

/// Samples low ... high - 1.
struct Span {
  std::int64_t low = 0;
  std::int64_t high = 0;

  [[nodiscard]] bool empty() const { return low >= high; }
  [[nodiscard]] std::int64_t size() const { return empty() ? 0 : high - low; }
  /// The smallest span that holds both.
  [[nodiscard]] Span joined(const Span& other) const {
    if (empty()) return other;
    if (other.empty()) return *this;
    return {std::min(low, other.low), std::max(high, other.high)};
  }
  bool operator==(const Span&) const = default;
};

/// What seen_at() says where a constant (or neutral) value stands for a sample.
inline constexpr std::int64_t nowhere = -1;

/// The smallest span of 0 ... n-1 that holds all samples which stand for samples of `span`.
inline Span mapped(const Span& span, std::int64_t n, Border::Kind border) {
  Span held{std::max<std::int64_t>(span.low, 0), std::min(span.high, n)};
  if (span.empty()) return {};
  if (held.empty()) held = {};
  const auto hold = [&](std::int64_t from, std::int64_t to) {
    if (to - from >= 2 * n) held = {0, n};
    for (std::int64_t i = from; i < to && held.size() < n; ++i) {
      const std::int64_t at = seen_at(i, n, border);
      if (at != nowhere) held = held.joined({at, at + 1});
    }
  };
  if (border == Border::Kind::Neutral || border == Border::Kind::Constant) return held;
  if (border == Border::Kind::Nearest) {
    if (span.low < 0) held = held.joined({0, 1});
    if (span.high > n) held = held.joined({n - 1, n});
    return held;
  }
  hold(span.low, std::min<std::int64_t>(span.high, 0));
  hold(std::max(span.low, n), span.high);
  return held;
}

}  // namespace tamis::morphology_detail
