#include "core/view/view.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/bits/bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/door.hpp"
#include "core/image_over.hpp"
#include "core/operation/filter_image.hpp"

namespace tamis {
namespace {

/// Checks a view of an input; of an output, which needs `room` for each sample.
void require_view(const ConstImageView& view, bool room, std::string_view what) {
  require_layout({view.type, view.shape, 1, view.spacing}, what);
  door::require_strides(view.data, view.type, view.shape, {nullptr, view.stride_y, view.stride_z}, view.stride_x, room,
                        what);
}

}  // namespace

void require_view(const ConstImageView& view, std::string_view what) { require_view(view, false, what); }
void require_view(const ImageView& view, std::string_view what) { require_view(as_input(view), true, what); }

namespace view_detail {
namespace {

const std::byte* row_of(const ConstImageView& view, std::int64_t z, std::int64_t y) {
  return static_cast<const std::byte*>(view.data) + z * view.stride_z + y * view.stride_y;
}

/// Copies samples that lie `from_step` and `step` bytes apart.
void copy_row(const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t step, std::int64_t count,
              std::int64_t bytes) {
  if (from_step == bytes && step == bytes) bytes *= std::exchange(count, 1);
  for (; count > 0; --count, from += from_step, to += step) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

/// Samples of a row of the view, one after the other.
void gather(const ConstImageView& view, std::int64_t z, std::int64_t y, std::byte* out) {
  const std::int64_t bytes = sample_bytes(view.type);
  copy_row(row_of(view, z, y), view.stride_x, out, bytes, view.shape.x, bytes);
}

void scatter(const std::byte* from, const ImageView& view, std::int64_t z, std::int64_t y) {
  const std::int64_t bytes = sample_bytes(view.type);
  // An ImageView's memory is not const.
  copy_row(from, bytes, const_cast<std::byte*>(row_of(as_input(view), z, y)), view.stride_x, view.shape.x, bytes);
}

Image copy_of(const Context& context, const ConstImageView& view) {
  require_memory(context, "a copy of the image", image_bytes(view.type, view.shape));
  Image image(view.type, view.shape, view.spacing);
  for_each_row(context, view.shape, [&](std::int64_t z, std::int64_t y) {
    if (view.type != Type::Bool) return gather(view, z, y, image.row<std::byte>(z, y));
    auto* const words = image.row<std::uint64_t>(z, y);
    const std::byte* from = row_of(view, z, y);
    if (view.stride_x == 1) return pack_not_zero(context.simd, from, view.shape.x, words);
    for (std::int64_t x = 0; x < view.shape.x; x += 64) {
      std::uint64_t word = 0;
      const std::int64_t end = std::min<std::int64_t>(64, view.shape.x - x);
      for (std::int64_t k = 0; k < end; ++k, from += view.stride_x) word |= std::uint64_t{*from != std::byte{0}} << k;
      words[x / 64] = word;
    }
  });
  return image;
}

/// The bytes that a view touches lie in blocks of as many bytes, from `begin` on and from multiples of a step beside
/// it.
struct Blocks {
  std::int64_t begin, bytes, step;
};

/// Blocks of the axes with the `axes` shortest strides. Of all axes there is one, and its step is 0.
Blocks blocks_of(const ConstImageView& view, std::size_t axes) {
  Blocks blocks{static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data)), sample_bytes(view.type), 0};
  std::array strides{std::pair{view.stride_x, view.shape.x - 1}, std::pair{view.stride_y, view.shape.y - 1},
                     std::pair{view.stride_z, view.shape.z - 1}};
  for (auto& [stride, steps] : strides) {
    blocks.begin += std::min<std::int64_t>(stride * steps, 0);
    stride = steps > 0 ? std::abs(stride) : 0;
  }
  std::sort(strides.begin(), strides.end());
  for (std::size_t i = 0; i < axes; ++i) blocks.bytes += strides[i].first * strides[i].second;
  for (std::size_t i = axes; i < 3; ++i) blocks.step = std::gcd(blocks.step, strides[i].first);
  return blocks;
}

/// The samples of a row lie one after the other, rows and slices behind each other; all strides are whole samples.
bool has_dense_rows(const ConstImageView& view) {
  const std::int64_t bytes = sample_bytes(view.type);
  const Shape& shape = view.shape;
  const std::int64_t row = shape.x * bytes;
  const bool along_x = shape.x == 1 || view.stride_x == bytes;
  const bool along_y = shape.y == 1 || (view.stride_y >= row && view.stride_y % bytes == 0);
  const std::int64_t slice = shape.y == 1 ? row : (shape.y - 1) * view.stride_y + row;
  const bool along_z = shape.z == 1 || (view.stride_z >= slice && view.stride_z % bytes == 0);
  return along_x && along_y && along_z &&
         reinterpret_cast<std::uintptr_t>(view.data) % static_cast<std::uintptr_t>(bytes) == 0;
}

}  // namespace

void require_output(const ImageView& out, Type type, const Shape& shape, std::string_view what) {
  require_view(out, what);
  if (out.type == type && out.shape == shape) return;
  throw InputError(fmt::format("{}: the output is {} {}; wanted {} {}", what, to_string(out.shape), name(out.type),
                               to_string(shape), name(type)));
}

bool may_go_as_bytes(const Context& context, const ConstImageView& view, const ImageView& out) {
  if (view.type != Type::Bool || out.type != Type::Bool || context.device == Device::Cuda || !has_dense_rows(view))
    return false;
  const auto* const bytes = static_cast<const std::byte*>(view.data);
  if (is_dense(view)) return are_zero_or_one(context, bytes, view.shape.count());
  std::atomic<bool> all{true};
  for_each_row(context, view.shape, [&](std::int64_t z, std::int64_t y) {
    if (all && !are_zero_or_one(row_of(view, z, y), view.shape.x)) all = false;
  });
  return all;
}

bool is_dense(const ConstImageView& view) {
  const Shape& shape = view.shape;
  const std::int64_t row = shape.x * sample_bytes(view.type);
  return has_dense_rows(view) && (shape.y == 1 || view.stride_y == row) &&
         (shape.z == 1 || view.stride_z == shape.y * row);
}

bool may_overlap(const ConstImageView& a, const ConstImageView& b) {
  // Blocks that lie apart within what all their steps are multiples of do so everywhere, as do channels that take
  // turns.
  for (std::size_t axes = 0; axes <= 3; ++axes) {
    const Blocks first = blocks_of(a, axes), second = blocks_of(b, axes);
    const std::int64_t step = std::gcd(first.step, second.step), far = second.begin - first.begin;
    const std::int64_t gap = step > 0 ? (far % step + step) % step : far;
    const bool behind = gap >= first.bytes, before = gap + second.bytes <= step;
    if (step > 0 ? behind && before : behind || before) return false;
  }
  return true;
}

namespace {

/// Samples that lie as a filter takes them, so that no copy is needed. Staging for a GPU wants them without gaps.
bool lies_well(const Context& context, const ConstImageView& view, Keeps keeps) {
  if (keeps == Keeps::NotToSamples || view.type == Type::Bool) return false;
  return is_dense(view) || (keeps == Keeps::ToRows && context.device != Device::Cuda && has_dense_rows(view));
}

Image laid_over(const ConstImageView& view) {
  // What is const stays so: filters only read their images.
  auto* const samples = static_cast<std::byte*>(const_cast<void*>(view.data));
  return image_over(samples, view.type, view.shape, view.shape.y > 1 ? view.stride_y : 0,
                    view.shape.z > 1 ? view.stride_z : 0);
}

Image image_of_view(const Context& context, const ConstImageView& view, bool in_place) {
  Image image = in_place ? laid_over(view) : copy_of(context, view);
  image.spacing = view.spacing;
  return image;
}

}  // namespace

Image seen_as_image(const Context& context, std::string_view what, const ConstImageView& view, Keeps keeps) {
  require_view(view, what);
  return door::enter(context, what, [&] { return image_of_view(context, view, lies_well(context, view, keeps)); });
}

namespace {

void copy_rows(const Context& context, const Image& image, const ImageView& out) {
  for_each_row(context, image.shape(), [&](std::int64_t z, std::int64_t y) {
    if (image.type() != Type::Bool) return scatter(image.row<std::byte>(z, y), out, z, y);
    std::byte* to = static_cast<std::byte*>(out.data) + z * out.stride_z + y * out.stride_y;
    const auto* const words = image.row<std::uint64_t>(z, y);
    if (out.stride_x == 1) return unpack_bits(context.simd, words, image.shape().x, 1, to);
    for (std::int64_t x = 0; x < image.shape().x; ++x, to += out.stride_x) {
      *to = static_cast<std::byte>(words[x / 64] >> (x % 64) & 1);
    }
  });
}

/// The output is the input, the same samples at the same places, and the filter is done.
bool ran_in_place(const Context& context, std::string_view what, const ConstImageView& in, const ImageView& out,
                  const Run& run, const ReachOf& reach) {
  const bool same =
      in.data == out.data && in.stride_z == out.stride_z && in.stride_y == out.stride_y && in.stride_x == out.stride_x;
  if (!same || in.type != out.type || choose_device(context, out.shape.count()) == Device::Cuda) return false;
  Image image = image_of_view(context, in, true);
  return run_in_place(context, what, image, reach().y, run);
}

}  // namespace

void run_on_views(const Context& context, std::string_view what, std::span<const ConstImageView> images,
                  const ImageView& out, Keeps keeps, const Run& run, const ReachOf& reach,
                  const std::optional<Layout>& result_of) {
  for (const ConstImageView& image : images) require_view(image, what);
  const Layout wanted = result_of.value_or(Layout{images.back().type, images.back().shape, 1, {}});
  require_output(out, wanted.type, wanted.shape, what);
  door::enter(context, what, [&] {
    const ConstImageView written = as_input(out);
    const bool lies = lies_well(context, written, keeps);
    if (lies && reach && images.size() == 1 && ran_in_place(context, what, images.front(), out, run, reach)) return;
    const bool overlaps =
        std::any_of(images.begin(), images.end(), [&](auto& image) { return may_overlap(image, written); });
    std::vector<Image> held;
    std::vector<const Image*> read;
    for (const ConstImageView& image : images)
      held.push_back(image_of_view(context, image, lies_well(context, image, keeps)));
    for (const Image& image : held) read.push_back(&image);
    if (lies && overlaps) require_memory(context, "a copy of the image", image_bytes(out.type, out.shape));
    Image result = lies && !overlaps ? laid_over(written) : Image();
    run(context, read, result);
    Context to_the_end = context;  // the output may be an input, which is as it was unless all goes well
    to_the_end.cancel = {};
    if (result.data() != static_cast<std::byte*>(out.data)) copy_rows(to_the_end, result, out);
  });
}

namespace {

class ViewSource final : public SliceSource {
 public:
  explicit ViewSource(const ConstImageView& view) : view_(view), layout_{view.type, view.shape, 1, view.spacing} {
    if (view.shape.rank == 2 && view.shape.z > 1) layout_.shape.rank = 3;  // slices of a source
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    door::require_slices(layout_.shape, z0, count, out);
    const std::int64_t row = view_.shape.x * sample_bytes(view_.type);
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      for (std::int64_t y = 0; y < view_.shape.y; ++y, out += row) {
        gather(view_, z, y, out);
        if (view_.type == Type::Bool)
          std::transform(out, out + row, out, [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
      }
    }
  }
  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    const std::int64_t bytes = sample_bytes(view_.type), odd = (view_.stride_y % bytes) | (view_.stride_z % bytes);
    const bool aligned =
        odd == 0 && reinterpret_cast<std::uintptr_t>(view_.data) % static_cast<std::uintptr_t>(bytes) == 0;
    if (view_.type == Type::Bool || view_.stride_x != bytes || !aligned) return std::nullopt;
    return MappedSlices{static_cast<const std::byte*>(view_.data), view_.stride_y, view_.stride_z};
  }

 private:
  ConstImageView view_;
  Layout layout_;
};

}  // namespace
}  // namespace view_detail

std::unique_ptr<SliceSource> source_of(const ConstImageView& view) {
  require_view(view, "a source");
  return std::make_unique<view_detail::ViewSource>(view);
}

void copy(const Context& context, const Image& image, const ImageView& out) {
  require_image(image, "copy");
  view_detail::require_output(out, image.type(), image.shape(), "copy");
  door::enter(context, "copy", [&] { view_detail::copy_rows(context, image, out); });
}

Image image_of(const Context& context, const ConstImageView& view) {
  require_view(view, "an image");
  return door::enter(context, "an image", [&] { return view_detail::image_of_view(context, view, false); });
}

ConstImageView view_of(const Image& image) {
  if (image.empty() || image.type() == Type::Bool) {
    throw InputError("a view of packed bits; wanted an image of samples (source_of() reads bits)");
  }
  ConstImageView view = view_of<const void>(image.data(), image.type(), image.shape(), image.row_bytes());
  view.spacing = image.spacing;
  return view;
}

ImageView view_of(Image& image) {
  const ConstImageView view = view_of(static_cast<const Image&>(image));
  return {image.data(), view.type, view.shape, view.stride_z, view.stride_y, view.stride_x, view.spacing};
}

}  // namespace tamis
