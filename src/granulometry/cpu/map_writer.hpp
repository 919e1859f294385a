// The size map on its way from lanes to the caller, and what is known of a field of lanes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <tamis/context.hpp>

#include "core/cpu/parallel.hpp"
#include "granulometry/cpu/field.hpp"
#include "granulometry/plan.hpp"

namespace tamis::granulometry_detail::cpu {

/// Copies rows of lanes to dense slices of samples and passes them on, in pieces of bounded size.
template <class Lane>
class MapWriter {
 public:
  MapWriter(const Context& context, const Request& request, const MapOutput& output)
      : context_(context), object_(*request.object), output_(output) {}

  /// Before the first slice: the largest value of all of them. The map's type follows it; lanes may be wider.
  void start(std::int64_t largest) {
    type_ = map_type(largest);
    output_.start(type_);
  }

  /// Slices [begin, end) of the field hold the image's rows from `first_row` on. Object lanes that are 0 never erode.
  void write(Field<Lane>& field, std::int64_t begin, std::int64_t end, std::int64_t first_row, Lane never_value) {
    if (type_ == Type::U8) return write_as<std::uint8_t>(field, begin, end, first_row, never_value);
    if (type_ == Type::U16) return write_as<std::uint16_t>(field, begin, end, first_row, never_value);
    write_as<std::uint32_t>(field, begin, end, first_row, never_value);
  }

  static constexpr std::int64_t target_bytes = std::int64_t{4} << 20;  ///< of dense slices at a time

 private:
  static constexpr std::int64_t block = 64;
  static constexpr auto lane = static_cast<std::int64_t>(sizeof(Lane));

  template <class Sample>
  void write_as(Field<Lane>& field, std::int64_t begin, std::int64_t end, std::int64_t first_row, Lane never_value) {
    const Shape& shape = object_.shape();
    const std::int64_t rows = (end - begin) * field.y();
    const std::int64_t slices = std::clamp<std::int64_t>(target_bytes / (shape.y * shape.x * lane), 1, rows / shape.y);
    dense_.resize(static_cast<std::size_t>(slices * shape.y * shape.x) * sizeof(Sample));
    auto* const dense = reinterpret_cast<Sample*>(dense_.data());
    for (std::int64_t done = 0; done < rows;) {
      const std::int64_t count = std::min(slices * shape.y, rows - done);
      parallel_for(context_, (count + block - 1) / block, [&](std::int64_t b) {
        for (std::int64_t row = b * block; row < std::min(count, (b + 1) * block); ++row) {
          const std::int64_t from = begin * field.y() + done + row;
          copy_row(field.row(from / field.y(), from % field.y()), first_row + done + row, never_value,
                   dense + row * shape.x);
        }
      });
      output_.sink(dense_.data(), (first_row + done) / shape.y, count / shape.y);
      done += count;
    }
  }

  template <class Sample>
  void copy_row(const Lane* from, std::int64_t image_row, Lane never_value, Sample* to) const {
    const std::int64_t x_end = object_.shape().x;
    std::transform(from, from + x_end, to, [](Lane value) { return static_cast<Sample>(value); });
    if (never_value == 0) return;
    const auto* const bits = object_.row<std::uint64_t>(0, 0) + image_row * (object_.row_bytes() / 8);
    for (std::int64_t x = 0; x < x_end; ++x) {
      if (to[x] == 0 && ((bits[x / 64] >> (x % 64)) & 1U)) to[x] = static_cast<Sample>(never_value);
    }
  }

  const Context& context_;
  const Image& object_;
  const MapOutput& output_;
  Type type_ = Type::U8;
  std::vector<std::byte> dense_;
};

/// Lanes at unreached<Lane> never erode: they leave the field, for they reach no other lane either. Returns how many.
template <class Lane>
std::int64_t remove_unreached(Field<Lane>& field) {
  std::int64_t count = 0;
  for (std::int64_t z = 0; z < field.z(); ++z) {
    for (std::int64_t b = 0; b < field.blocks(); ++b) {
      Lane* const peaks = field.peaks(z, b);
      for (std::int64_t l = 0; l < field.lines(); ++l) {
        if (peaks[l] != unreached<Lane>) continue;
        peaks[l] = 0;
        for (std::int64_t y = b * field.block_rows(); y < std::min(field.y(), (b + 1) * field.block_rows()); ++y) {
          Lane* const line = field.row(z, y) + l * Field<Lane>::line;
          count += std::count(line, line + Field<Lane>::line, unreached<Lane>);
          std::replace(line, line + Field<Lane>::line, unreached<Lane>, Lane{0});
          peaks[l] = std::max(peaks[l], *std::max_element(line, line + Field<Lane>::line));
        }
      }
    }
  }
  return count;
}

template <class Lane>
Lane largest_peak(Field<Lane>& field, std::int64_t begin, std::int64_t end) {
  Lane top = 0;
  for (std::int64_t z = begin; z < end; ++z) {
    for (std::int64_t b = 0; b < field.blocks(); ++b) {
      top = std::max(top, *std::max_element(field.peaks(z, b), field.peaks(z, b) + field.lines()));
    }
  }
  return top;
}

}  // namespace tamis::granulometry_detail::cpu
