// tamis_result: what an operation gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tamis/tamis.h>
#include <nlohmann/json.hpp>
#include <tamis/context.hpp>
#include <tamis/gpu/array.hpp>
#include <tamis/gpu/memory.hpp>
#include <tamis/image.hpp>
#include <tamis/image/view.hpp>

namespace tamis::c {

// tamis_view: images in memory of the caller, checked and as the library knows them.

/// A placement as C has it.
[[nodiscard]] tamis_placement given_placement(const Placement& placement);

/// A view whose members are possible: a type, a rank, edges, strides that no sum of leaves the address space, a
/// spacing. `what` begins a refusal. Throws InputError.
[[nodiscard]] ConstImageView checked(const tamis_view& view, const std::string& what);

/// The GPU whose memory it is; nothing: it is the host's. Throws InputError for what is no tamis_memory, ResourceError
/// where no GPU can be used.
[[nodiscard]] std::optional<int> gpu_of(const tamis_view& view, const std::string& what);
/// Throws InputError unless it is memory of the host.
void require_host(const tamis_view& view, const std::string& what);
/// "the memory of GPU 0", "the memory of the host".
[[nodiscard]] std::string place(const std::optional<int>& gpu);

/// A view as the functions for arrays on a GPU take it.
[[nodiscard]] GpuArray array_on(int gpu, const ConstImageView& view);
[[nodiscard]] GpuOutput array_on(int gpu, const ImageView& view);

/// The same for one that is written to: its samples may not share places.
[[nodiscard]] ImageView checked_output(const tamis_view& view, const std::string& what);

/// An image with its name. Bits are bytes here.
struct NamedImage {
  std::string name;
  Type type = Type::U8;
  Shape shape;
  Spacing spacing;
  Image samples;  ///< of U8 where the type is Bool; empty where they lie on a GPU
  std::optional<GpuMemory> on_gpu = {};
  std::optional<tamis_placement> placement = {};  ///< that of the spacing, from finish() on
};

struct Column {
  std::string name;
  std::vector<double> values;
};

[[nodiscard]] double number_or_nan(const std::optional<double>& value);
template <class Value>
[[nodiscard]] nlohmann::ordered_json number_or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace tamis::c

/// The type that the header leaves open.
struct tamis_result {
  std::vector<tamis::c::NamedImage> images;
  std::vector<tamis::c::Column> columns;  ///< all of one length
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  std::string json = "{}";
  void* stream = nullptr;  ///< on which its images become ready

  /// An image to write to. Throws ResourceError where memory is short.
  [[nodiscard]] tamis::ImageView add(const tamis::Context& context, std::string name, tamis::Type type,
                                     const tamis::Shape& shape, const tamis::Spacing& spacing);
  /// The same in the memory of a GPU.
  [[nodiscard]] tamis::GpuOutput add_on_gpu(const tamis::Context& context, std::string name, tamis::Type type,
                                            const tamis::Shape& shape, const tamis::Spacing& spacing, int gpu);
  void add(const tamis::Context& context, std::string name, tamis::Image image);
  void add(std::string column, std::vector<double> values);
  /// The figures as text, placements as C has them.
  void finish();
};
