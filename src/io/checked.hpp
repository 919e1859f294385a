// Sizes, offsets and counts that a stranger's file or an option names, before they multiply anything.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <tamis/error.hpp>

namespace tamis::io {

/// A whole number within 0 .. 2^63-1, or lost: negative, or too large at any step. What is computed with a lost number
/// is lost too, so one question at the end is enough, and a forgotten one finds no number to go on with.
class Checked {
 public:
  constexpr Checked() = default;
  template <std::integral T>
  constexpr Checked(T value) noexcept  // NOLINT(google-explicit-constructor): constants mix with numbers of a file
      : value_(std::in_range<std::int64_t>(value) && !std::cmp_less(value, 0) ? static_cast<std::int64_t>(value)
                                                                              : lost) {}
  /// A number of a file that has to lie within low .. high; lost otherwise.
  template <std::integral T>
  [[nodiscard]] static constexpr Checked within(T value, std::int64_t low, std::int64_t high) noexcept {
    const bool inside = !std::cmp_less(value, low) && !std::cmp_greater(value, high);
    return inside ? Checked(value) : overflow();
  }

  [[nodiscard]] constexpr bool ok() const noexcept { return value_ != lost; }
  [[nodiscard]] constexpr bool is(std::int64_t value) const noexcept { return ok() && value_ == value; }
  [[nodiscard]] constexpr bool at_most(std::int64_t limit) const noexcept { return ok() && value_ <= limit; }
  [[nodiscard]] constexpr std::int64_t value_or(std::int64_t other) const noexcept { return ok() ? value_ : other; }
  /// The number. Throws InputError "PATH: WHAT is negative or larger than any file" where it is lost.
  [[nodiscard]] std::int64_t value(const std::string& path, const std::string& what) const {
    if (ok()) return value_;
    throw InputError(path + ": " + what + " is negative or larger than any file; wanted a number below 2^63");
  }

  friend constexpr Checked operator+(Checked a, Checked b) noexcept {
    std::int64_t sum = 0;
    return !a.ok() || !b.ok() || __builtin_add_overflow(a.value_, b.value_, &sum) ? overflow() : Checked(sum);
  }
  friend constexpr Checked operator-(Checked a, Checked b) noexcept {
    return !a.ok() || !b.ok() || b.value_ > a.value_ ? overflow() : Checked(a.value_ - b.value_);
  }
  friend constexpr Checked operator*(Checked a, Checked b) noexcept {
    std::int64_t product = 0;
    return !a.ok() || !b.ok() || __builtin_mul_overflow(a.value_, b.value_, &product) ? overflow() : Checked(product);
  }
  /// Rounded down; lost for a division by 0.
  friend constexpr Checked operator/(Checked a, Checked b) noexcept {
    return !a.ok() || !b.ok() || b.value_ == 0 ? overflow() : Checked(a.value_ / b.value_);
  }
  friend constexpr Checked operator%(Checked a, Checked b) noexcept {
    return !a.ok() || !b.ok() || b.value_ == 0 ? overflow() : Checked(a.value_ % b.value_);
  }

 private:
  static constexpr std::int64_t lost = -1;
  static constexpr Checked overflow() noexcept { return Checked(lost); }

  std::int64_t value_ = 0;
};

/// Do `bytes` from `offset` on lie within a file (or piece of memory) of this length?
[[nodiscard]] constexpr bool within(Checked offset, Checked bytes, std::int64_t file_length) noexcept {
  return (offset + bytes).at_most(file_length);
}
/// A number of `width` bytes of a text, the highest first or the lowest; lost where the text ends before.
[[nodiscard]] inline Checked number_in(std::string_view text, std::size_t at, std::size_t width, bool little = false) {
  if (!within(at, width, std::ssize(text))) return -1;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value = value << 8U | static_cast<unsigned char>(text[at + (little ? width - 1 - i : i)]);
  }
  return value;
}

}  // namespace tamis::io
