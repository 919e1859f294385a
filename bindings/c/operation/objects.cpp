// distance, threshold and threshold_value.
#include <utility>

#include <tamis/operations/arguments.hpp>
#include <tamis/distance.hpp>
#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "c/call.hpp"
#include "c/operation/sizes.hpp"

namespace tamis::c {
namespace {

Image distances_of(const Context& context, const SquaredDistances& squares) {
  Image image(Type::F32, squares.squares.shape(), squares.squares.spacing);
  for (std::int64_t z = 0; z < image.shape().z; ++z) {
    if (context.cancel.stop_requested()) throw Cancelled();
    read_distances(squares, z, 1, image.row<float>(z, 0));
  }
  return image;
}

}  // namespace

void run_distance(const Call& call) {
  const auto& asked = call.as<DistanceArguments>();
  const Binary binary = call.object(asked.threshold_options());
  SquaredDistances squares = squared_distance(call.context, binary.object, asked.options(), binary.domain);
  tell_object(call, binary);
  nlohmann::ordered_json& json = call.result.figures;
  json["largest_distance"] = distance_of(squares.largest, squares);
  json["largest_square"] = squares.largest;
  json["unit"] = length_unit(binary.object.spacing);
  json["sides"] = {{"x", squares.sides.x}, {"y", squares.sides.y}, {"z", squares.sides.z}};
  json["unbounded"] = squares.unbounded;
  json["machine"] = call.context.describe(squares.device);
  Image out = asked.squared ? std::move(squares.squares) : distances_of(call.context, squares);
  out.spacing = binary.object.spacing;
  call.give("out", std::move(out), asked.squared);
}

void run_threshold(const Call& call) {
  const std::optional<ThresholdOptions> options = call.as<ThresholdArguments>().options();
  if (!options) throw InputError("wanted one of method, value and band");
  const Binary binary = call.object(*options);
  tell_object(call, binary);
  call.result.figures["machine"] = call.context.describe(binary.device);
  call.give("out", black_and_white(call.context, binary.object));
}

void run_threshold_value(const Call& call) {
  const ThresholdMethod method =
      threshold_method(call.parameters.arguments.text("method")).value_or(ThresholdMethod::Otsu);
  const std::unique_ptr<SliceSource> source = call.source();
  std::unique_ptr<SliceSource> mask;
  Region region;
  if (const ConstImageView* const roi = call.images.find("roi")) {
    mask = source_of(*roi);
    region = {Region::Kind::Mask, mask.get()};
  }
  call.result.figures["method"] = name(method);
  call.result.figures["value"] = threshold_value(call.context, *source, method, region);
}

}  // namespace tamis::c
