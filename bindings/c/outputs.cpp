#include "c/call.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "c/error.hpp"
#include "c/interface.hpp"
#include "c/result.hpp"

namespace tamis::c {
namespace {

bool is_unsigned(Type type) { return type == Type::U8 || type == Type::U16 || type == Type::U32 || type == Type::U64; }

bool holds(Type wide, Type narrow) {
  return is_unsigned(wide) && is_unsigned(narrow) && sample_bytes(wide) > sample_bytes(narrow);
}

/// The next name that no output has.
std::string next_name(const OperationDescription& operation, const std::vector<std::string>& made, std::size_t next) {
  if (next < made.size()) return made[next];
  throw InputError(
      fmt::format("outputs: more than the images that {} makes, which is {}", operation.name, made.size()));
}

void require_size(std::string_view name, const Shape& got, const Shape& wanted) {
  if (got == wanted) return;
  throw InputError(fmt::format("{}: {} of rank {}; wanted {} of rank {}", name, to_string(got), got.rank,
                               to_string(wanted), wanted.rank));
}

/// The lowest bytes of a wider sample.
void put_wider(const std::byte* from, std::int64_t narrow, std::byte* to, std::int64_t wide) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, static_cast<std::size_t>(narrow));
  std::memcpy(to, &value, static_cast<std::size_t>(wide));
}

}  // namespace

Outputs::Outputs(const OperationDescription& operation, const tamis_view* views, std::size_t count,
                 const std::optional<int>& gpu) {
  if (count > 0) require_pointer(views, "outputs", fmt::format("{} of them", count));
  const std::vector<std::string> made = made_images(operation);
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool named = views[i].name != nullptr && *views[i].name != '\0';
    const std::string name = named ? views[i].name : next_name(operation, made, next);
    if (!named) ++next;
    if (std::find(made.begin(), made.end(), name) == made.end()) {
      throw InputError(fmt::format("{}: {} makes no image of that name", name, operation.name));
    }
    if (find(name)) throw InputError(name + ": given twice");
    const ImageView view = checked_output(views[i], name);
    const std::optional<int> there = gpu_of(views[i], name);
    if (there != gpu) throw InputError(fmt::format("{}: in {}; wanted {}", name, place(there), place(gpu)));
    outputs_.push_back({name, view});
  }
}

Outputs::Output* Outputs::find(std::string_view name) {
  const auto at =
      std::find_if(outputs_.begin(), outputs_.end(), [&](const Output& output) { return output.name == name; });
  return at == outputs_.end() ? nullptr : &*at;
}

std::optional<ImageView> Outputs::take(std::string_view name, const Shape& shape) {
  Output* const output = find(name);
  if (!output) return std::nullopt;
  require_size(name, output->view.shape, shape);
  output->written = true;
  return output->view;
}

std::optional<ImageView> Outputs::take(std::string_view name, Type type, const Shape& shape, bool may_be_wider) {
  const std::optional<ImageView> view = take(name, shape);
  if (!view || view->type == type || (may_be_wider && holds(view->type, type))) return view;
  throw InputError(fmt::format("{}: {}; wanted {}", name, tamis::name(view->type), tamis::name(type)));
}

void Outputs::require_shape(const Shape& shape) const {
  for (const Output& output : outputs_) require_size(output.name, output.view.shape, shape);
}

bool Outputs::wanted(std::string_view name) const {
  return std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& output) { return output.name == name; });
}

void Outputs::require_all_written() const {
  for (const Output& output : outputs_) {
    if (!output.written) throw InputError(output.name + ": this call makes no such image; wanted no memory for it");
  }
}

void write_slices(const ImageView& to, Type type, const std::byte* slices, std::int64_t z0, std::int64_t count) {
  const std::int64_t narrow = sample_bytes(type), wide = sample_bytes(to.type);
  const std::byte* from = slices;
  for (std::int64_t z = z0; z < z0 + count; ++z) {
    for (std::int64_t y = 0; y < to.shape.y; ++y) {
      std::byte* row = static_cast<std::byte*>(to.data) + z * to.stride_z + y * to.stride_y;
      if (narrow == wide && to.stride_x == wide) {
        std::memcpy(row, from, static_cast<std::size_t>(to.shape.x * wide));
        from += to.shape.x * narrow;
        continue;
      }
      for (std::int64_t x = 0; x < to.shape.x; ++x, row += to.stride_x, from += narrow)
        put_wider(from, narrow, row, wide);
    }
  }
}

}  // namespace tamis::c
