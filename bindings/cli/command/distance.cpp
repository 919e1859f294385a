// tamis distance: how far every voxel of the object is from the background.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/operations/arguments.hpp>
#include <tamis/tamis.hpp>

#include "cli/command/map_command.hpp"
#include "cli/output/files.hpp"
#include "cli/output/report.hpp"

namespace tamis::cli {
namespace {

/// Squares as the distances that they stand for, slice by slice.
class Distances final : public SliceSource {
 public:
  explicit Distances(const SquaredDistances& squares)
      : squares_(squares), layout_{Type::F32, squares.squares.shape(), 1, squares.squares.spacing} {}
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    read_distances(squares_, z0, count, reinterpret_cast<float*>(out));
  }

 private:
  const SquaredDistances& squares_;
  Layout layout_;
};

MapTold run(const MapFlags& flags, const Context& context, Input& input, Outputs& outputs) {
  const auto& asked = flags.arguments.as<DistanceArguments>();
  Layout layout{asked.squared ? Type::U16 : Type::F32, input.layout().shape, 1, input.layout().spacing};
  outputs.check_format(flags.out, layout);
  about_file(flags.in, [&] { return whole_sides(layout.spacing, asked.by_slices ? 2 : layout.shape.rank); });
  const std::int64_t bits = image_bytes(Type::Bool, layout.shape);
  const Binary binary = about_file(flags.in, [&] {
    Binary made =
        binarise(beside(context, bytes_of_copy(layout)), *input.source, asked.threshold_options(), input.region);
    made.object.spacing = layout.spacing;
    return made;
  });
  const SquaredDistances squares =
      squared_distance(beside(context, bits + binary.domain.bytes() + bytes_of_copy(layout)), binary.object,
                       asked.options(), binary.domain);
  if (asked.squared) layout.type = squares.squares.type();
  const std::unique_ptr<SliceSource> source =
      asked.squared ? source_of(squares.squares) : std::make_unique<Distances>(squares);
  outputs.write_image(context, flags.out, *source, layout);
  const float largest = distance_of(squares.largest, squares);
  const std::string unit = length_unit(layout.spacing), machine = context.describe(squares.device);
  nlohmann::ordered_json json;
  add_threshold_of(json, binary);
  json["object_volume"] = binary.volume;
  json["domain_volume"] = binary.domain_volume;
  json["largest_distance"] = largest;
  json["largest_square"] = squares.largest;
  json["unit"] = unit;
  json["sides"] = {{"x", squares.sides.x}, {"y", squares.sides.y}, {"z", squares.sides.z}};
  json["unbounded"] = squares.unbounded;
  json["machine"] = machine;
  return {json,
          fmt::format("{}: {}, voxel size {}\nlargest distance {:.6g} {}\nran on {}\nwrote {}\n", input.path,
                      to_string(layout.shape), spacing_text(layout.spacing, layout.shape.rank), largest,
                      unit_text(unit), machine, flags.json.empty() ? flags.out : flags.out + ", " + flags.json),
          squares.unbounded ? "without background under a neutral border; distances there are infinite" : ""};
}

}  // namespace

void add_distance(const Command& program, Session& session) {
  add_map_command(program, session, "distance", "the largest distance and how it was found, as JSON", run);
}

}  // namespace tamis::cli
