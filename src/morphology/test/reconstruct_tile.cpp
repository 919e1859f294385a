// The tiles of the GPU, lane by lane on the CPU, against the reconstruction on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/memory.hpp"
#include "morphology/gpu/reconstruct/tile.hpp"
#include "morphology/test/reconstruct_testing.hpp"

namespace tamis {
namespace {

using namespace morphology_detail;
using namespace reconstruct_testing;

/// What DeviceWarp is on a GPU.
struct LaneByLane {
  template <class T>
  using Value = std::array<T, 32>;
  template <class T, class Make>
  static Value<T> lanes(Make make) {
    Value<T> value;
    for (int lane = 0; lane < 32; ++lane) value[static_cast<std::size_t>(lane)] = make(lane);
    return value;
  }
  template <class T>
  static T of(const Value<T>& value, int lane) {
    return value[static_cast<std::size_t>(lane)];
  }

  static void sync() {}
  template <class T>
  static Value<T> load(const T* from) {
    return lanes<T>([&](int lane) { return from[lane]; });
  }
  template <class T>
  static void store(T* to, const Value<T>& value) {
    std::copy(value.begin(), value.end(), to);
  }
  template <class T>
  static Value<T> load_global(const T* from) {
    return load(from);
  }
  template <class T>
  static T cell_global(const T* from) {
    return *from;
  }
  template <class T>
  static void store_global(T* to, const Value<T>& value) {
    store(to, value);
  }
  template <class T>
  static Value<T> only_if(bool yes, const Value<T>& value) {
    return yes ? value : Value<T>{};
  }
  template <class T>
  static Value<T> min(const Value<T>& a, const Value<T>& b) {
    return lanes<T>([&](int lane) { return std::min(of(a, lane), of(b, lane)); });
  }
  template <class T>
  static Value<T> max(const Value<T>& a, const Value<T>& b) {
    return lanes<T>([&](int lane) { return std::max(of(a, lane), of(b, lane)); });
  }
  template <class T>
  static Value<T> before(const Value<T>& value, int distance) {
    return lanes<T>([&](int lane) { return lane < distance ? T{0} : of(value, lane - distance); });
  }
  template <class T>
  static Value<T> after(const Value<T>& value, int distance) {
    return lanes<T>([&](int lane) { return lane + distance > 31 ? T{0} : of(value, lane + distance); });
  }
  template <class T>
  static Value<T> at_ends(Value<T> value, T first, T last) {
    value.front() = std::max(value.front(), first);
    value.back() = std::max(value.back(), last);
    return value;
  }
  template <class T>
  static std::uint32_t differ(const Value<T>& a, const Value<T>& b) {
    std::uint32_t bits = 0;
    for (int lane = 0; lane < 32; ++lane) bits |= std::uint32_t{of(a, lane) != of(b, lane)} << lane;
    return bits;
  }
  template <class Visit>
  static void each(int count, Visit visit) {
    for (int k = 0; k < count; ++k) visit(k);
  }
  template <class Visit>
  static void once(Visit visit) {
    visit();
  }
  template <class Ask>
  static bool any(int count, Ask ask) {
    for (int k = 0; k < count; ++k) {
      if (ask(k)) return true;
    }
    return false;
  }
};

/// What tiles of a round see of each other: all that was before it, or what earlier tiles have made of it.
enum class Sees { Old, New };

template <class Form>
class Rounds {
 public:
  using Cell = typename Form::Cell;

  Rounds(const Pair& pair, bool turned) : shape_(pair.mask.shape()) {
    grid_.pitch = (shape_.x + 63) / 64 * 64;
    grid_.ny = shape_.y;
    grid_.nz = shape_.z;
    grid_.tiles_x = static_cast<int>((shape_.x + Form::nx - 1) / Form::nx);
    grid_.tiles_y = static_cast<int>((shape_.y + Form::ny - 1) / Form::ny);
    grid_.tiles_z = static_cast<int>((shape_.z + Form::nz - 1) / Form::nz);
    j_ = cells(pair.marker, turned);
    i_ = cells(pair.mask, turned);
  }

  Image run(Sees sees, bool turned) {
    const int tiles = grid_.tiles_x * grid_.tiles_y * grid_.tiles_z;
    std::vector<int> now(static_cast<std::size_t>(tiles));
    for (int tile = 0; tile < tiles; ++tile) now[static_cast<std::size_t>(tile)] = tile;
    for (bool fresh = true; !now.empty(); fresh = false) {
      std::vector<int> next;
      const std::vector<Cell> before = j_;
      std::vector<Cell> seen = before;
      for (const int tile : now) {
        grid_.j = sees == Sees::Old ? seen.data() : j_.data();
        grid_.i = i_.data();
        wake(tile, gpu::TileRun<LaneByLane, Form>(memory_, grid_, tile).run(fresh), next);
        for (std::size_t at = 0; at < seen.size() && sees == Sees::Old; ++at) {
          if (seen[at] != before[at]) j_[at] = seen[at];
          seen[at] = before[at];
        }
      }
      now = std::move(next);
    }
    return image(turned);
  }

 private:
  void wake(int tile, std::uint32_t directions, std::vector<int>& list) const {
    for (int number = 0; number < 27; ++number) {
      if ((directions >> number & 1U) == 0) continue;
      const gpu::TileDirection d(number);
      const int other = tile + (d.dz * grid_.tiles_y + d.dy) * grid_.tiles_x + d.dx;
      if (std::find(list.begin(), list.end(), other) == list.end()) list.push_back(other);
    }
  }
  std::vector<Cell> cells(const Image& image, bool turned) const {
    std::vector<Cell> all(static_cast<std::size_t>(grid_.pitch * shape_.y * shape_.z));
    for_samples([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      Cell& cell = all[static_cast<std::size_t>(grid_.row(z, y) + x)];
      if (image.type() == Type::Bool) {
        cell = cell_of<bool>(image.bit(z, y, x), turned);
      } else if (image.type() == Type::I16) {
        cell = static_cast<Cell>(cell_of(image.row<std::int16_t>(z, y)[x], turned));
      } else if (image.type() == Type::F32) {
        cell = static_cast<Cell>(cell_of(image.row<float>(z, y)[x], turned));
      } else {
        cell = cell_of(image.row<Cell>(z, y)[x], turned);
      }
    });
    type_ = image.type();
    return all;
  }
  Image image(bool turned) const {
    Image out(type_, shape_);
    for_samples([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const Cell cell = j_[static_cast<std::size_t>(grid_.row(z, y) + x)];
      if (type_ == Type::Bool) {
        set(out, z, y, x, sample_of<bool>(static_cast<std::uint8_t>(cell), turned) ? 1 : 0);
      } else if (type_ == Type::I16) {
        out.row<std::int16_t>(z, y)[x] = sample_of<std::int16_t>(static_cast<std::uint16_t>(cell), turned);
      } else if (type_ == Type::F32) {
        out.row<float>(z, y)[x] = sample_of<float>(cell, turned);
      } else {
        out.row<Cell>(z, y)[x] = sample_of<Cell>(cell, turned);
      }
    });
    return out;
  }
  template <class Visit>
  void for_samples(Visit visit) const {
    for (std::int64_t z = 0; z < shape_.z; ++z)
      for (std::int64_t y = 0; y < shape_.y; ++y)
        for (std::int64_t x = 0; x < shape_.x; ++x) visit(z, y, x);
  }

  Shape shape_;
  mutable Type type_ = Type::U8;
  gpu::CellGrid<Cell> grid_;
  gpu::TileMemory<Form> memory_;
  std::vector<Cell> j_, i_;
};

template <class Cell, int rank, bool full>
Image emulated(const Pair& pair, bool turned, Sees sees) {
  return Rounds<gpu::TileForm<Cell, rank, full>>(pair, turned).run(sees, turned);
}
template <class Cell>
Image emulated(const Pair& pair, const ReconstructOptions& options, Sees sees) {
  const bool turned = options.by == ReconstructOptions::By::Erosion;
  const bool full = options.connectivity == Connectivity::Full;
  if (pair.mask.shape().rank == 3) {
    return full ? emulated<Cell, 3, true>(pair, turned, sees) : emulated<Cell, 3, false>(pair, turned, sees);
  }
  return full ? emulated<Cell, 2, true>(pair, turned, sees) : emulated<Cell, 2, false>(pair, turned, sees);
}
Image emulated(const Pair& pair, const ReconstructOptions& options, Sees sees) {
  switch (sample_bytes(pair.mask.type())) {
    case 1:
      return emulated<std::uint8_t>(pair, options, sees);
    case 2:
      return emulated<std::uint16_t>(pair, options, sees);
    default:
      return emulated<std::uint32_t>(pair, options, sees);
  }
}

void expect_the_same(const Shape& shape) {
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const auto by : {ReconstructOptions::By::Dilation, ReconstructOptions::By::Erosion}) {
      for (const Connectivity connectivity : {Connectivity::Face, Connectivity::Full}) {
        const ReconstructOptions options{by, connectivity};
        for (const Pair& pair : pairs(type, shape, by == ReconstructOptions::By::Dilation, seed++)) {
          const Image wanted = reconstruct({}, pair.marker, pair.mask, options);
          for (const Sees sees : {Sees::Old, Sees::New}) {
            const Image got = emulated(pair, options, sees);
            ASSERT_EQ(std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0)
                << name(type) << " " << to_string(shape);
          }
        }
      }
    }
  }
}

TEST(ReconstructTiles, give_the_same_as_bands_on_images) {
  for (const Shape& shape :
       {Shape{1, 1, 1, 2}, Shape{1, 1, 97, 2}, Shape{1, 67, 1, 2}, Shape{1, 32, 64, 2}, Shape{1, 71, 103, 2}}) {
    expect_the_same(shape);
  }
}

TEST(ReconstructTiles, give_the_same_as_bands_on_stacks_of_images) {
  for (const Shape& shape : {Shape{3, 37, 70, 2}, Shape{5, 1, 3, 2}}) expect_the_same(shape);
}

TEST(ReconstructTiles, give_the_same_as_bands_on_volumes) {
  for (const Shape& shape : {Shape{1, 1, 1, 3}, Shape{1, 17, 67, 3}, Shape{19, 1, 40, 3}, Shape{11, 19, 67, 3}}) {
    expect_the_same(shape);
  }
}

}  // namespace
}  // namespace tamis
