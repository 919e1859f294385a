// orientation, skew, deskew and rotate.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <tamis/operations/arguments.hpp>
#include <tamis/deskew.hpp>
#include <tamis/orientation.hpp>

#include "c/call.hpp"

namespace tamis::c {
namespace {

/// One slice of a stack. Rows of all types lie one after the other, so it is one piece of memory.
Image page_at(const Image& stack, std::int64_t z) {
  Shape shape = stack.shape();
  shape.z = 1;
  Image page(stack.type(), shape, stack.spacing);
  std::memcpy(page.data(), stack.row<std::byte>(z, 0), static_cast<std::size_t>(page.bytes()));
  return page;
}

std::vector<Skew> skews_of(const Call& call, const Image& stack, const DeskewOptions& options) {
  std::vector<Skew> skews;
  for (std::int64_t z = 0; z < stack.shape().z; ++z)
    skews.push_back(find_skew(call.context, page_at(stack, z), options));
  return skews;
}

/// The figures of each page; the scores of the first one are the table.
void tell(const Call& call, const std::vector<Skew>& skews) {
  nlohmann::ordered_json pages = nlohmann::ordered_json::array();
  for (const Skew& skew : skews) {
    pages.push_back({{"angle_degrees", number_or_null(skew.angle)},
                     {"confidence", skew.confidence},
                     {"method", name(skew.method)},
                     {"sideways", skew.sideways}});
  }
  call.result.figures["pages"] = pages;
  call.result.add("angle [degrees]", skews.front().angles);
  call.result.add("score", skews.front().scores);
}

/// What all pages have room in: with `expand` that of the page that needs most.
Shape shape_of_result(const Shape& stack, const std::vector<Skew>& skews, bool expand) {
  Shape shape = stack;
  if (!expand) return shape;
  for (const Skew& skew : skews) {
    const Shape room = rotated_shape(stack, -skew.angle.value_or(0));
    shape.x = std::max(shape.x, room.x);
    shape.y = std::max(shape.y, room.y);
  }
  return shape;
}

}  // namespace

void run_orientation(const Call& call) {
  call.outputs.require_shape(call.images.first().shape);
  const OrientationOptions options = call.as<OrientationArguments>().options();
  Orientation found = orientation(call.context, call.read(call.images.first()), options);
  std::vector<double> length, angle, removed, left, histogram;
  nlohmann::ordered_json& json = call.result.figures;
  json["dominant_angles"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < found.spectra.size(); ++i) {
    const AngularSpectrum& spectrum = found.spectra[i];
    json["dominant_angles"].push_back(number_or_null(dominant_angle(spectrum, found.angles)));
    for (std::size_t a = 0; a < spectrum.removed.size(); ++a) {
      length.push_back(spectrum.length);
      angle.push_back(found.angles.at(static_cast<std::int64_t>(a)));
      removed.push_back(spectrum.removed[a]);
      left.push_back(spectrum.left[a]);
      histogram.push_back(number_or_nan(i == found.longest ? std::optional(found.histogram[a]) : std::nullopt));
    }
  }
  json["dominant_angle"] = json["dominant_angles"][found.longest];
  const std::optional<AxialMean> mean = axial_mean(found.histogram, found.angles);
  json["axial_mean"] = number_or_null(mean ? std::optional(mean->angle) : std::nullopt);
  json["resultant_length"] = mean ? mean->resultant : 0;
  json["longest"] = options.lengths[found.longest];
  json["machine"] = call.context.describe(found.device);
  call.result.add("length", std::move(length));
  call.result.add("angle", std::move(angle));
  call.result.add("spectrum", std::move(removed));
  call.result.add("sum", std::move(left));
  call.result.add("histogram", std::move(histogram));
  call.give("orientation", std::move(found.orientation));
  const Type type = call.images.first().type;
  call.give("enhanced", back_to(call.context, type == Type::F64 ? Type::F32 : type, std::move(found.enhanced)));
  call.give("contrast", std::move(found.contrast));
}

void run_skew(const Call& call) {
  tell(call, skews_of(call, call.read(call.images.first()), call.as<DeskewOptions>()));
}

void run_deskew(const Call& call) {
  const auto& options = call.as<DeskewOptions>();
  const Image stack = call.read(call.images.first());
  const std::vector<Skew> skews = skews_of(call, stack, options);
  tell(call, skews);
  Image out(stack.type(), shape_of_result(stack.shape(), skews, options.expand), stack.spacing);
  for (std::int64_t z = 0; z < stack.shape().z; ++z) {
    const Image page = page_at(stack, z);
    const std::vector<double> ground = background(call.context, std::span(&page, 1), page);
    RotateOptions turn;
    turn.size = out.shape();
    turn.size->z = 1;
    turn.fill = options.fill.value_or(ground.front());
    // A page whose angle is not known stays as it is.
    const Image straight = rotate(call.context, page, -skews[static_cast<std::size_t>(z)].angle.value_or(0), turn);
    std::memcpy(out.row<std::byte>(z, 0), straight.data(), static_cast<std::size_t>(straight.bytes()));
  }
  call.give("out", std::move(out));
}

void run_rotate(const Call& call) {
  const auto& asked = call.as<RotateArguments>();
  const Image image = call.read(call.images.first());
  RotateOptions options;
  options.fill = asked.fill;
  if (asked.expand) options.size = rotated_shape(image.shape(), asked.degrees);
  call.give("out", rotate(call.context, image, asked.degrees, options));
}

}  // namespace tamis::c
