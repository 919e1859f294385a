// tamis distance: how far every voxel of the object is from the background.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/operations/arguments.hpp>
#include <tamis/tamis.hpp>

#include "cli/command/filter.hpp"
#include "cli/output/files.hpp"

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

struct Told {
  std::string unit;
  float largest = 0;
  std::string machine;
};

std::string json_text(const Input& input, const Binary& binary, const SquaredDistances& squares, const Told& told) {
  nlohmann::ordered_json json;
  json["file"] = input.path;
  json["shape"] = to_string(input.layout().shape);
  json["threshold"] = binary.threshold;
  if (binary.method == ThresholdMethod::Band) json["high"] = binary.high;
  json["method"] = name(binary.method);
  json["object_volume"] = binary.volume;
  json["domain_volume"] = binary.domain_volume;
  json["largest_distance"] = told.largest;
  json["largest_square"] = squares.largest;
  json["unit"] = told.unit;
  json["sides"] = {{"x", squares.sides.x}, {"y", squares.sides.y}, {"z", squares.sides.z}};
  json["unbounded"] = squares.unbounded;
  json["machine"] = told.machine;
  json["version"] = TAMIS_VERSION;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void print(const MapFlags& flags, const Input& input, const SquaredDistances& squares, const Told& told) {
  const Spacing& spacing = input.layout().spacing;
  fmt::print("{}: {}, voxel size {}\nlargest distance {:.6g} {}\nran on {}\nwrote {}\n", input.path,
             to_string(input.layout().shape), spacing_text(spacing, input.layout().shape.rank), told.largest,
             unit_text(told.unit), told.machine, flags.json.empty() ? flags.out : flags.out + ", " + flags.json);
  std::fflush(stdout);
  if (squares.unbounded) {
    std::fputs(fmt::format("warning: {}: without background under a neutral border; distances there are infinite\n",
                           input.path)
                   .c_str(),
               stderr);
  }
}

void run(const MapFlags& flags, Session& session) {
  const auto& asked = flags.arguments.as<DistanceArguments>();
  const Context context = flags.compute.context(session);
  require_device(context);
  Input input = open_input(flags.in, flags.input.read(), flags.region, session.cancel);
  Outputs outputs(session);
  outputs.protect(flags.in);
  if (flags.region.has_mask_file()) outputs.protect(flags.region.roi);
  outputs.declare("out", flags.out);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
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
  copy(context, *source, *outputs.create(flags.out, layout));
  const Told told{length_unit(layout.spacing), distance_of(squares.largest, squares), context.describe(squares.device)};
  if (!flags.json.empty()) outputs.write_text(flags.json, json_text(input, binary, squares, told));
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) print(flags, input, squares, told);
}

}  // namespace

void add_distance(const Command& program, Session& session) {
  add_map_command(program, session, "distance", "the largest distance and how it was found, as JSON", run);
}

}  // namespace tamis::cli
