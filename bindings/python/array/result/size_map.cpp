#include "python/array/result/size_map.hpp"

#include <cstring>
#include <string>

#include <tamis/error.hpp>

#include "python/array/host.hpp"

namespace tamis::python {
namespace {

template <class From, class To, class Convert>
void convert_samples(const std::byte* from, std::int64_t count, std::byte* to, Convert convert) {
  for (std::int64_t i = 0; i < count; ++i) {
    From size{};
    std::memcpy(&size, from + i * static_cast<std::int64_t>(sizeof(From)), sizeof size);
    const To value = convert(size);
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof(To)), &value, sizeof value);
  }
}

template <class To, class Convert>
void convert_sizes(Type from, const std::byte* sizes, std::int64_t count, std::byte* to, Convert convert) {
  if (from == Type::U8) return convert_samples<std::uint8_t, To>(sizes, count, to, convert);
  if (from == Type::U16) return convert_samples<std::uint16_t, To>(sizes, count, to, convert);
  convert_samples<std::uint32_t, To>(sizes, count, to, convert);
}

bool holds_sizes(Type type) { return type == Type::U8 || type == Type::U16 || type == Type::U32 || type == Type::U64; }

}  // namespace

SizeMapOutput::SizeMapOutput(const Shape& shape, const Spacing& spacing, Element element, bool widths, nb::handle out)
    : shape_(shape) {
  const int rank = element == Element::Square ? 2 : shape_.rank;
  if (widths && !spacing.isotropic(rank)) {
    throw InputError("widths=True: voxels are anisotropic and have no one width; wanted the sizes, widths=False");
  }
  if (widths) {
    width_ = spacing.x;
    output_ = std::make_unique<Output>(Type::F32, shape_, out);
    return;
  }
  if (out.is_none()) return;
  const Type type = type_of_out(out);
  if (!holds_sizes(type)) {
    throw InputError("out: got " + std::string(name(type)) + "; wanted uint8, uint16, uint32 or uint64");
  }
  output_ = std::make_unique<Output>(type, shape_, out);
}

void SizeMapOutput::start(Type type) {
  type_ = type;
  if (!output_) {
    const nb::gil_scoped_acquire gil;
    output_ = std::make_unique<Output>(type, shape_, nb::none());
  }
  const Type to = output_->samples().type;
  if (width_ == 0 && sample_bytes(to) < sample_bytes(type)) {
    throw InputError("out: " + std::string(name(to)) + " cannot hold all sizes; wanted " + std::string(name(type)));
  }
}

void SizeMapOutput::write(const std::byte* slices, std::int64_t z0, std::int64_t count) {
  const Samples& to = output_->samples();
  if (to.type == type_) {
    scatter(slices, to, z0, count);
    return;
  }
  const std::int64_t samples = count * shape_.y * shape_.x;
  slab_.resize(static_cast<std::size_t>(samples * sample_bytes(to.type)));
  if (width_ > 0) {
    // The opening that removes a voxel is one past the largest element that holds it.
    convert_sizes<float>(type_, slices, samples, slab_.data(), [this](double removed_by) {
      return static_cast<float>(removed_by == 0 ? 0 : (2 * (removed_by - 1) + 1) * width_);
    });
  } else if (to.type == Type::U16) {
    convert_sizes<std::uint16_t>(type_, slices, samples, slab_.data(),
                                 [](std::uint32_t size) { return static_cast<std::uint16_t>(size); });
  } else if (to.type == Type::U32) {
    convert_sizes<std::uint32_t>(type_, slices, samples, slab_.data(), [](std::uint32_t size) { return size; });
  } else {
    convert_sizes<std::uint64_t>(type_, slices, samples, slab_.data(),
                                 [](std::uint32_t size) { return std::uint64_t{size}; });
  }
  scatter(slab_.data(), to, z0, count);
}

}  // namespace tamis::python
