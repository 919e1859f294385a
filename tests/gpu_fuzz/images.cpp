#include "tests/gpu_fuzz/images.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "core/visit_type.hpp"

namespace tamis::gpu_fuzz {
namespace {

constexpr std::byte untouched{0xa5};

void set_bit(Image& image, std::int64_t z, std::int64_t y, std::int64_t x, bool value) {
  std::uint64_t& word = image.row<std::uint64_t>(z, y)[x / 64];
  const std::uint64_t bit = std::uint64_t{1} << (x % 64);
  word = value ? word | bit : word & ~bit;
}

void set(Image& image, std::int64_t z, std::int64_t y, std::int64_t x, double value) {
  if (image.type() == Type::Bool) return set_bit(image, z, y, x, value != 0);
  visit_type(image.type(),
             [&](auto sample) { image.row<decltype(sample)>(z, y)[x] = static_cast<decltype(sample)>(value); });
}

struct Box {
  std::int64_t z0, z1, y0, y1, x0, x1;
};

Box random_box(Random& random, const Shape& shape) {
  const auto range = [&](std::int64_t n, std::int64_t& begin, std::int64_t& end) {
    const std::int64_t a = random.below(n);
    const std::int64_t b = std::min(n, a + random.extent(n));
    begin = random.one_in(4) ? 0 : a;
    end = random.one_in(4) ? n : b;
  };
  Box box{};
  range(shape.z, box.z0, box.z1);
  range(shape.y, box.y0, box.y1);
  range(shape.x, box.x0, box.x1);
  return box;
}

void fill(Image& image, const Box& box, double value) {
  for (std::int64_t z = box.z0; z < box.z1; ++z)
    for (std::int64_t y = box.y0; y < box.y1; ++y)
      for (std::int64_t x = box.x0; x < box.x1; ++x) set(image, z, y, x, value);
}

template <class Value>
void fill_with(Image& image, const Value& value) {
  const Shape& shape = image.shape();
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) set(image, z, y, x, value(z, y, x));
}

void set_holes(Random& random, Image& image, std::int64_t count, bool value) {
  const Shape& shape = image.shape();
  for (std::int64_t i = 0; i < count; ++i) {
    const bool corner = random.one_in(4);
    const auto at = [&](std::int64_t n) { return corner ? random.pick<std::int64_t>({0, n - 1}) : random.below(n); };
    set_bit(image, at(shape.z), at(shape.y), at(shape.x), value);
  }
}

Box whole(const Shape& shape) { return {0, shape.z, 0, shape.y, 0, shape.x}; }

}  // namespace

std::int64_t random_budget(Random& random, std::int64_t most) {
  const std::int64_t usual = random.pick<std::int64_t>({256, 4096, 4096, 16384, 65536});
  return std::min(most, random.one_in(40) ? most : usual);
}

Shape random_shape(Random& random, int rank, std::int64_t budget) {
  Shape shape{1, 1, 1, rank};
  std::int64_t* axes[] = {&shape.x, &shape.y, &shape.z};
  std::int64_t left = budget;
  for (int count = rank, i = 0; i < rank; ++i, --count) {
    std::swap(axes[i], axes[i + random.below(count)]);
    // A long axis now and then; otherwise something remains for the others.
    const double share = std::pow(static_cast<double>(left), 1.0 / count);
    const std::int64_t most = random.one_in(4) ? left : std::min(left, static_cast<std::int64_t>(2 * share) + 1);
    *axes[i] = random.extent(std::min<std::int64_t>(most, 9000));
    left = std::max<std::int64_t>(left / *axes[i], 1);
  }
  return shape;
}

double random_value(Random& random, Type type) {
  if (type == Type::Bool) return static_cast<double>(random.below(2));
  if (type == Type::F32) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (random.one_in(16)) return random.pick<double>({infinity, -infinity, 0.0, -0.0, 1e-40, -1e30});
    return static_cast<double>(static_cast<float>(random.real(-300, 300)));
  }
  if (type == Type::F64) return random.real(-1e6, 1e6);
  return visit_type(type, [&](auto sample) -> double {
    using T = decltype(sample);
    if constexpr (std::is_integral_v<T>) {
      if (random.one_in(16)) {
        return static_cast<double>(random.pick<T>({std::numeric_limits<T>::min(), T{0}, T{1},
                                                   static_cast<T>(std::numeric_limits<T>::max() >> (sizeof(T) * 3))}));
      }
      return static_cast<double>(static_cast<T>(random.next() >> 40));
    } else {
      return 0;
    }
  });
}

Image random_image(Random& random, Type type, const Shape& shape, double nan_share) {
  if (type == Type::Bool) return random_object(random, shape);
  Image image(type, shape);
  const double low = random_value(random, type);
  const double high = random_value(random, type);
  switch (random.below(6)) {
    case 0:  // a ground with boxes
      fill(image, whole(shape), low);
      for (std::int64_t i = random.between(1, 8); i > 0; --i)
        fill(image, random_box(random, shape), random_value(random, type));
      break;
    case 1:  // two values
      fill_with(image, [&](auto, auto, auto) { return random.one_in(2) ? low : high; });
      break;
    case 2:  // a ramp
      fill_with(image, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
        return static_cast<double>((3 * z + 2 * y + x) % 120);
      });
      break;
    case 3: {  // few values among one
      fill(image, whole(shape), low);
      for (std::int64_t i = random.between(0, 20); i > 0; --i) {
        set(image, random.below(shape.z), random.below(shape.y), random.below(shape.x), random_value(random, type));
      }
      break;
    }
    default:
      fill_with(image, [&](auto, auto, auto) { return random_value(random, type); });
  }
  if (type == Type::F32 && nan_share > 0) {
    fill_with(image, [&, z0 = std::int64_t{0}](std::int64_t z, std::int64_t y, std::int64_t x) {
      static_cast<void>(z0);
      const float old = image.row<float>(z, y)[x];
      return random.real(0, 1) < nan_share ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(old);
    });
  }
  return image;
}

Image random_object(Random& random, const Shape& shape) {
  Image image(Type::Bool, shape);
  switch (random.below(6)) {
    case 0:
    case 1:  // full but for holes
      fill(image, whole(shape), 1);
      set_holes(random, image, random.pick<std::int64_t>({0, 1, 1, 2, 5, 30}), false);
      break;
    case 2:  // boxes
      for (std::int64_t i = random.between(0, 6); i > 0; --i) fill(image, random_box(random, shape), 1);
      break;
    case 3:  // boxes cut out
      fill(image, whole(shape), 1);
      for (std::int64_t i = random.between(1, 6); i > 0; --i) fill(image, random_box(random, shape), 0);
      break;
    case 4: {  // noise
      const std::int64_t n = random.pick<std::int64_t>({2, 4, 16, 200});
      const bool rare = random.one_in(2);
      fill_with(image, [&](auto, auto, auto) { return random.one_in(n) == rare ? 1.0 : 0.0; });
      break;
    }
    default:
      set_holes(random, image, random.below(20), true);
  }
  return image;
}

Image random_domain(Random& random, const Shape& shape) {
  Image image(Type::Bool, shape);
  if (random.one_in(4)) {
    fill(image, whole(shape), 1);
    set_holes(random, image, random.below(20), false);
    return image;
  }
  for (std::int64_t i = random.between(1, 5); i > 0; --i)
    fill(image, random_box(random, shape), random.one_in(5) ? 0 : 1);
  return image;
}

void clip(Image& object, const Image& domain) {
  if (domain.empty()) return;
  for (std::int64_t z = 0; z < object.shape().z; ++z)
    for (std::int64_t y = 0; y < object.shape().y; ++y)
      for (std::int64_t i = 0; i < object.row_bytes() / 8; ++i)
        object.row<std::uint64_t>(z, y)[i] &= domain.row<std::uint64_t>(z % domain.shape().z, y)[i];
}

Image copy_of(const Image& image) {
  Image copy(image.type(), image.shape(), image.spacing);
  std::memcpy(copy.data(), image.data(), static_cast<std::size_t>(image.bytes()));
  return copy;
}

std::vector<std::byte> samples_of(const Image& image) {
  if (image.type() != Type::Bool) return {image.data(), image.data() + image.bytes()};
  std::vector<std::byte> samples;
  const Shape& shape = image.shape();
  samples.reserve(static_cast<std::size_t>(shape.count()));
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) samples.push_back(image.bit(z, y, x) ? std::byte{1} : std::byte{0});
  return samples;
}

DeviceArray::DeviceArray(const cuda::Stream& stream, Type type, const Shape& shape, Random& random) : stream_(stream) {
  const std::int64_t sample = sample_bytes(type);
  array_.type = type;
  array_.shape = shape;
  struct Axis {
    std::int64_t* stride;
    std::int64_t extent;
  } axes[] = {{&array_.stride_x, shape.x}, {&array_.stride_y, shape.y}, {&array_.stride_z, shape.z}};
  if (random.one_in(3)) {
    std::swap(axes[0], axes[random.below(3)]);
    std::swap(axes[1], axes[1 + random.below(2)]);
  }
  std::int64_t step = sample * (random.one_in(5) ? 2 : 1);
  std::int64_t most = 0;
  first_ = random.one_in(3) ? sample * random.between(1, 3) : 0;
  for (const Axis& axis : axes) {
    const bool reversed = random.one_in(8);
    *axis.stride = reversed ? -step : step;
    if (reversed) first_ += step * (axis.extent - 1);
    most += step * (axis.extent - 1);
    step *= axis.extent + (random.one_in(4) ? random.between(1, 3) : 0);
  }
  host_.assign(static_cast<std::size_t>(most + 5 * sample), untouched);
  memory_ = cuda::DeviceBuffer<std::byte>(stream, static_cast<std::int64_t>(host_.size()));
  array_.data = memory_.data() + first_;
  send();
}

DeviceArray::DeviceArray(const cuda::Stream& stream, const Image& image, Random& random)
    : DeviceArray(stream, image.type(), image.shape(), random) {
  const std::vector<std::byte> dense = samples_of(image);
  const auto sample = static_cast<std::size_t>(sample_bytes(image.type()));
  for_each([&](std::size_t at, std::size_t i) { std::memcpy(&host_[at], &dense[i], sample); });
  send();
}

GpuArray DeviceArray::input() const {
  return {array_.data, array_.type, array_.shape, array_.stride_z, array_.stride_y, array_.stride_x, array_.gpu};
}

std::vector<std::byte> DeviceArray::download() {
  const auto sample = static_cast<std::size_t>(sample_bytes(array_.type));
  std::vector<std::byte> dense(static_cast<std::size_t>(array_.shape.count()) * sample);
  std::vector<std::byte> got(host_.size());
  cuda::check(cudaMemcpyAsync(got.data(), memory_.data(), got.size(), cudaMemcpyDeviceToHost, stream_.get()), "copy");
  stream_.synchronize();
  for_each([&](std::size_t at, std::size_t i) {
    std::memcpy(&dense[i], &got[at], sample);
    std::memset(&got[at], static_cast<int>(untouched), sample);
  });
  if (got != std::vector<std::byte>(got.size(), untouched)) throw std::runtime_error("written outside the view");
  return dense;
}

template <class Visit>
void DeviceArray::for_each(const Visit& visit) const {
  const auto sample = static_cast<std::size_t>(sample_bytes(array_.type));
  std::size_t i = 0;
  for (std::int64_t z = 0; z < array_.shape.z; ++z)
    for (std::int64_t y = 0; y < array_.shape.y; ++y)
      for (std::int64_t x = 0; x < array_.shape.x; ++x, i += sample) {
        visit(static_cast<std::size_t>(first_ + z * array_.stride_z + y * array_.stride_y + x * array_.stride_x), i);
      }
}

void DeviceArray::send() {
  cuda::check(cudaMemcpyAsync(memory_.data(), host_.data(), host_.size(), cudaMemcpyHostToDevice, stream_.get()),
              "copy");
  stream_.synchronize();
}

}  // namespace tamis::gpu_fuzz
