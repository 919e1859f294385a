// tamis_result: what an operation gives.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tamis/tamis.h>
#include <tamis/context.hpp>
#include <tamis/gpu/memory.hpp>
#include <tamis/image.hpp>
#include <tamis/image/view.hpp>

namespace tamis::c {

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
