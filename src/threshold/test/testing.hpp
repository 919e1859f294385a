// What the tests of this folder share: sources of every type, mapped or not, and the targets of this machine.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/threshold.hpp>

#include "core/cpu/simd.hpp"
#include "core/visit_type.hpp"

namespace tamis::testing {

/// Samples in memory as a source; as a mapping, rows and slices have gaps between them.
class ArraySource final : public SliceSource {
 public:
  ArraySource(Layout layout, std::vector<std::byte> dense, bool mapped = false)
      : layout_(std::move(layout)), dense_(std::move(dense)), mapped_(mapped) {
    if (!mapped) return;
    const std::int64_t row = row_bytes();
    stride_ = row + 8 * sample_bytes(layout_.type);
    spread_.resize(static_cast<std::size_t>((layout_.shape.z * (layout_.shape.y + 1)) * stride_), std::byte{0x7f});
    for (std::int64_t z = 0; z < layout_.shape.z; ++z) {
      for (std::int64_t y = 0; y < layout_.shape.y; ++y) {
        std::memcpy(spread_.data() + (z * (layout_.shape.y + 1) + y) * stride_,
                    dense_.data() + (z * layout_.shape.y + y) * row, static_cast<std::size_t>(row));
      }
    }
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const std::int64_t slice = row_bytes() * layout_.shape.y;
    std::memcpy(out, dense_.data() + z0 * slice, static_cast<std::size_t>(count * slice));
  }
  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    if (!mapped_) return std::nullopt;
    return MappedSlices{spread_.data(), stride_, stride_ * (layout_.shape.y + 1)};
  }
  template <class T>
  [[nodiscard]] T at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    T sample;
    const std::int64_t i = (z * layout_.shape.y + y) * layout_.shape.x + x;
    std::memcpy(&sample, dense_.data() + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return sample;
  }

 private:
  [[nodiscard]] std::int64_t row_bytes() const {
    return layout_.shape.x * layout_.channels * sample_bytes(layout_.type);
  }
  Layout layout_;
  std::vector<std::byte> dense_;
  bool mapped_;
  std::int64_t stride_ = 0;
  std::vector<std::byte> spread_;
};

/// A source whose sample i is value(i), cast to the type.
inline ArraySource make_source(Type type, const Shape& shape, const std::function<double(std::int64_t)>& value,
                               bool mapped = false) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.count() * sample_bytes(type)));
  visit_type(type, [&](auto zero) {
    for (std::int64_t i = 0; i < shape.count(); ++i) {
      const auto sample = static_cast<decltype(zero)>(value(i));
      std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof sample, &sample, sizeof sample);
    }
  });
  return {{type, shape, 1, {}}, std::move(bytes), mapped};
}

inline std::vector<Simd> usable_simd() {
  std::vector<Simd> usable;
  for (const Simd simd : {Simd::Best, Simd::Avx512, Simd::Avx2, Simd::Portable}) {
    try {
      (void)simd_targets(simd);
      usable.push_back(simd);
    } catch (const ResourceError&) {
    }
  }
  return usable;
}

/// The message of the InputError that the work throws; empty if it throws none.
inline std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

constexpr Type all_types[] = {Type::Bool, Type::U8,  Type::U16, Type::I16, Type::F32, Type::I8,
                              Type::U32,  Type::I32, Type::U64, Type::I64, Type::F64};

/// A spread of samples that includes the ends of the type's range.
inline ArraySource varied(Type type, const Shape& shape, bool mapped) {
  return make_source(
      type, shape,
      [type](std::int64_t i) {
        const auto mixed = static_cast<std::int64_t>((static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15U) >> 40);
        return visit_type(type, [&](auto zero) -> double {
          using T = decltype(zero);
          if (type == Type::Bool) return static_cast<double>(mixed % 2);
          if (!std::is_integral_v<T>) return static_cast<double>(mixed % 1000) / 3 - 100;
          if (mixed % 50 == 0) return static_cast<double>(std::numeric_limits<T>::lowest());
          if (mixed % 50 == 1 && sizeof(T) < 8) return static_cast<double>(std::numeric_limits<T>::max());
          return static_cast<double>(mixed % 120);
        });
      },
      mapped);
}

/// Two populations that are no whole numbers, an outlier of that size, if it is not 0, and many zeros.
inline ArraySource populations(Type type, const Shape& shape, double scale, double outlier) {
  return make_source(type, shape, [=](std::int64_t i) {
    const auto mixed = static_cast<std::int64_t>((static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15U) >> 40);
    if (i == 1234 && outlier != 0) return outlier;
    if (mixed % 11 == 0) return 0.0;
    const double within = static_cast<double>(mixed % 4096 + mixed / 4096 % 4096) / 4096;
    return (mixed % 3 == 0 ? 7 + within : 3 + 2 * within) * scale;
  });
}

constexpr Type wide_types[] = {Type::F32, Type::F64, Type::U32, Type::I32, Type::U64, Type::I64};
constexpr ThresholdMethod automatic_methods[] = {
    ThresholdMethod::Otsu,     ThresholdMethod::Li,      ThresholdMethod::Kapur, ThresholdMethod::Minimum,
    ThresholdMethod::Triangle, ThresholdMethod::Isodata, ThresholdMethod::Mean};

/// The bytes that a caller gets, whose rows have gaps, are the bits of `wanted`; nothing beside them is written.
inline void expect_as_bytes(const Context& context, SliceSource& source, const ThresholdOptions& options,
                            const Region& region, const Binary& wanted) {
  const Shape& shape = source.layout().shape;
  const std::int64_t row = shape.x + 5, slice = row * shape.y + 3;
  constexpr std::byte untouched{7};
  std::vector<std::byte> bytes(static_cast<std::size_t>(slice * shape.z), untouched);
  const Binary got = binarise(context, source, options, region, {bytes.data(), row, slice});
  std::int64_t wrong = 0, set = 0;
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      for (std::int64_t x = 0; x < shape.x; ++x) {
        std::byte& byte = bytes[static_cast<std::size_t>(z * slice + y * row + x)];
        wrong += byte != (wanted.object.bit(z, y, x) ? std::byte{1} : std::byte{0});
        byte = untouched;
      }
    }
  }
  for (const std::byte byte : bytes) set += byte != untouched;
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(set, 0);
  EXPECT_TRUE(got.object.empty());
  EXPECT_EQ(got.volume, wanted.volume);
  EXPECT_EQ(got.threshold, wanted.threshold);
}

}  // namespace tamis::testing
