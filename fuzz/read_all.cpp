#include "fuzz/read_all.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <tamis/error.hpp>

#include "fuzz/harness.hpp"

namespace tamis::fuzz {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{4} << 20;

/// Bytes of a slice and of the image. A layout that overflows has not been checked against its file.
struct Extent {
  std::int64_t slice = 0;
  std::int64_t all = 0;
};

Extent extent_of(const Layout& layout) {
  const Shape& s = layout.shape;
  expect(s.x > 0 && s.y > 0 && s.z > 0 && layout.channels > 0, "an empty image");
  expect(s.rank == 3 || (s.rank == 2 && s.z == 1), "a rank that is neither 2 nor 3");
  Extent extent{sample_bytes(layout.type), 0};
  bool overflow = __builtin_mul_overflow(extent.slice, std::int64_t{layout.channels}, &extent.slice);
  overflow |= __builtin_mul_overflow(extent.slice, s.x, &extent.slice);
  overflow |= __builtin_mul_overflow(extent.slice, s.y, &extent.slice);
  overflow |= __builtin_mul_overflow(extent.slice, s.z, &extent.all);
  expect(!overflow, "an image of more than 2^63 bytes");
  return extent;
}

void check_spacing(const Spacing& spacing) {
  for (const double edge : {spacing.x, spacing.y, spacing.z}) {
    expect(std::isfinite(edge) && edge > 0, "an edge of a voxel that is not positive and finite");
  }
}

void check_mapped(const SliceSource& source, const Extent& extent, const std::vector<std::byte>& samples) {
  const std::optional<MappedSlices> mapped = source.mapped();
  if (!mapped) return;
  const Shape& s = source.layout().shape;
  const std::int64_t row = extent.slice / s.y;
  for (std::int64_t z = 0; z < s.z; ++z) {
    for (std::int64_t y = 0; y < s.y; ++y) {
      const std::byte* const there = mapped->data + z * mapped->slice_stride + y * mapped->row_stride;
      const bool same =
          std::memcmp(there, samples.data() + z * extent.slice + y * row, static_cast<std::size_t>(row)) == 0;
      expect(same, "mapped samples that differ from those that are read");
    }
  }
}

void check_bools(const std::vector<std::byte>& samples) {
  expect(std::all_of(samples.begin(), samples.end(), [](std::byte b) { return b <= std::byte{1}; }),
         "a bool that is neither 0 nor 1");
}

/// Returns the samples.
std::vector<std::byte> read_twice(SliceSource& source, const Extent& extent) {
  const std::int64_t slices = source.layout().shape.z;
  std::vector<std::byte> whole(static_cast<std::size_t>(extent.all), std::byte{0x55});
  source.read(0, slices, whole.data());
  std::vector<std::byte> slice(static_cast<std::size_t>(extent.slice));
  // Backwards where that is cheap: formats that are read in order then start again for each slice.
  constexpr std::int64_t few = 4;
  for (std::int64_t i = 0; i < slices; ++i) {
    const std::int64_t z = slices <= few ? slices - 1 - i : i;
    std::fill(slice.begin(), slice.end(), std::byte{0xaa});
    source.read(z, 1, slice.data());
    expect(std::memcmp(slice.data(), whole.data() + z * extent.slice, slice.size()) == 0,
           "a slice that differs from what is read at once");
  }
  return whole;
}

void read_samples(SliceSource& source, const Extent& extent) {
  if (extent.all > most_bytes) return;
  const std::vector<std::byte> samples = read_twice(source, extent);
  if (source.layout().type == Type::Bool) check_bools(samples);
  check_mapped(source, extent, samples);
}

}  // namespace

void read_all(const std::string& path, ReadOptions options) {
  options.upright = true;
  options.unconfined = true;
  const std::unique_ptr<FileSource> source = open_file(path, options);
  const Layout& layout = source->layout();
  const Extent extent = extent_of(layout);
  check_spacing(layout.spacing);
  const std::string description = source->description();
  expect(!description.empty(), "a file without a description");
  read_samples(*source, extent);
  if (layout.channels == 1) return;
  ReadOptions one = options;
  for (const std::string& channel : {std::to_string(layout.channels - 1), std::string("luma")}) {
    if (channel == "luma" && layout.channels < 3) continue;
    one.channel = channel;
    const std::unique_ptr<FileSource> grey = open_file(path, one);
    expect(grey->layout().channels == 1, "a channel that is not grey");
    read_samples(*grey, extent_of(grey->layout()));
  }
}

void read_source(FileSource& source) {
  const Extent extent = extent_of(source.layout());
  if (extent.all <= most_bytes) static_cast<void>(read_twice(source, extent));
}

}  // namespace tamis::fuzz
