#include "io/zarr/zarr.hpp"

#include <cmath>
#include <utility>

#include "io/header_text.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

using OrderedJson = nlohmann::ordered_json;

[[noreturn]] void damaged(const std::string& path) {
  refuse("{}: an OME-Zarr image whose description is damaged; wanted axes and datasets", path);
}

/// The first image of the group.
const Json& multiscale_of(const std::string& path, const Json& attributes) {
  const Json& inside = member(attributes, "ome");
  const Json& ome = inside.is_null() ? attributes : inside;
  const Json& multiscales = member(ome, "multiscales");
  if (multiscales.is_array() && !multiscales.empty() && !member(multiscales[0], "datasets").empty()) return multiscales[0];
  if (ome.contains("plate") || ome.contains("well")) {
    refuse("{}: a plate or well of several OME-Zarr images; wanted one of them, its folder", path);
  }
  if (ome.contains("bioformats2raw.layout")) {
    refuse("{}: a collection of OME-Zarr images; wanted one of them, its folder 0, 1 ...", path);
  }
  if (const std::string kind = json_text(member(attributes, "encoding-type")); kind.find("_matrix") != std::string::npos) {
    refuse("{}: a sparse matrix in Zarr ({}), which is not read; wanted a dense array", path, kind);
  }
  refuse("{}: a Zarr group that is no OME-Zarr image; wanted one of its arrays, {}/NAME", path, path);
}

void read_axes(const std::string& path, const Json& multiscale, OmeLevel& level) {
  const Json& axes = member(multiscale, "axes");
  if (axes.is_null()) {  // before version 0.3
    level.axes = {"t", "c", "z", "y", "x"};
    level.units.resize(level.axes.size());
    return;
  }
  if (!axes.is_array()) damaged(path);
  for (const Json& axis : axes) {
    const Json& name = axis.is_string() ? axis : member(axis, "name");
    if (!name.is_string()) damaged(path);
    level.axes.push_back(name.get<std::string>());
    const Json& unit = member(axis, "unit");
    level.units.push_back(unit.is_string() ? unit.get<std::string>() : std::string());
  }
}

/// The numbers of a transformation, one for each axis.
std::vector<double> numbers_of(const std::string& path, const Json& list, std::string_view name, std::size_t axes) {
  const bool fits = list.is_array() && list.size() >= axes &&
                    std::all_of(list.begin(), list.end(), [](const Json& edge) { return edge.is_number(); });
  if (!fits) refuse("{}: an OME-Zarr image with a {} that is none; wanted a length for each axis", path, name);
  std::vector<double> numbers;
  for (std::size_t i = list.size() - axes; i < list.size(); ++i) numbers.push_back(list[i].get<double>());
  return numbers;
}

/// What a list of transformations makes of those before: each is applied to what the last gave.
void transform(const std::string& path, const Json& steps, OmeLevel& level) {
  if (steps.is_null()) return;
  if (!steps.is_array()) damaged(path);
  const std::size_t axes = level.axes.size();
  for (const Json& step : steps) {
    if (!step.is_object()) damaged(path);
    if (member(step, "type") == "scale") {
      const std::vector<double> factors = numbers_of(path, member(step, "scale"), "scale", axes);
      level.scale.resize(axes, 1.0);
      for (std::size_t i = 0; i < axes; ++i) level.scale[i] *= factors[i];
      for (std::size_t i = 0; i < level.translation.size(); ++i) level.translation[i] *= factors[i];
    } else if (member(step, "type") == "translation" && member(step, "translation").is_array()) {
      const std::vector<double> away = numbers_of(path, member(step, "translation"), "translation", axes);
      level.translation.resize(axes);
      for (std::size_t i = 0; i < axes; ++i) level.translation[i] += away[i];
    }
  }
}

/// Where the first sample lies, if the axes of the image are those of the world: OME-Zarr turns nothing.
std::optional<std::array<double, 3>> translation_of(const Spacing& spacing) {
  constexpr double tolerance = 1e-6;
  if (!spacing.known() || !spacing.placement) return std::nullopt;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (std::abs(spacing.placement->axes[axis][i] - (axis == i ? 1 : 0)) > tolerance) return std::nullopt;
    }
  }
  return spacing.placement->origin;
}

/// As OME-Zarr spells it.
std::string_view unit_name(std::string_view unit) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"nm", "nanometer"},  {"um", "micrometer"}, {"mm", "millimeter"},
      {"cm", "centimeter"}, {"m", "meter"},       {"A", "angstrom"}};
  for (const auto& [ours, name] : names) {
    if (ours == unit) return name;
  }
  return unit;
}

constexpr std::int64_t most_channels = 64;  // that are read interleaved

std::string sizes(const std::vector<std::int64_t>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

std::string list(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back(shown(name));
  return fmt::format("({})", fmt::join(words, ", "));
}

/// A number chooses; without one all channels are read. `luma` is of colours, which is for others to see to.
void choose_channel(const std::string& path, std::int64_t channels, const ReadOptions& options, ImageAxes& axes) {
  const std::optional<std::int64_t> number = whole_number(options.channel);
  if (number && (*number < 0 || *number >= channels)) {
    refuse("{}: channel {}; wanted {}", path, *number, choices(channels));
  }
  if (!number && channels > most_channels) {
    refuse("{} has {} channels; wanted one: choose it with `channel {}`", path, channels, choices(channels));
  }
  axes.channel = number.value_or(0);
  axes.one_channel = number && axes.c;
}

/// Times or channels as slices.
void turn(const std::string& path, const std::vector<std::int64_t>& shape, AxesOrder order, ImageAxes& axes) {
  const auto edge = [&](const std::optional<std::size_t>& axis) { return axis ? shape[*axis] : 1; };
  const auto which = axis_of_slices(path, "an image", order, edge(axes.z), edge(axes.c), edge(axes.t));
  if (!which) return;
  std::optional<std::size_t>& slow = *which == AxesOrder::TYX ? axes.t : axes.c;
  if (edge(slow) > 1) axes.z = std::exchange(slow, std::nullopt);
}

}  // namespace

OmeLevel ome_level(const std::string& path, const Json& attributes, std::optional<std::int64_t> wanted) {
  const Json& multiscale = multiscale_of(path, attributes);
  const Json& datasets = member(multiscale, "datasets");
  if (!datasets.is_array()) damaged(path);
  OmeLevel level;
  level.levels = static_cast<std::int64_t>(datasets.size());
  const std::int64_t number = wanted.value_or(0);
  if (number < 0 || number >= level.levels) {
    refuse("{}: level {}; wanted {}", path, number, choices(level.levels));
  }
  const Json& dataset = datasets[static_cast<std::size_t>(number)];
  const Json& array = member(dataset, "path");
  if (!array.is_string()) damaged(path);
  level.array = array.get<std::string>();
  const Json& version = member(attributes, "ome").is_null() ? multiscale : member(attributes, "ome");
  level.version = word(version, "version");
  read_axes(path, multiscale, level);
  transform(path, member(dataset, "coordinateTransformations"), level);
  transform(path, member(multiscale, "coordinateTransformations"), level);
  return level;
}

Spacing spacing_of(const OmeLevel& level, const std::vector<std::size_t>& space) {
  if (level.scale.empty()) return {};
  const auto edge = [&](std::size_t from_last) -> Edge {
    const std::size_t axis = space[space.size() - from_last];
    return {level.scale[axis], unit_of(level.units[axis])};
  };
  const Edge x = edge(1);
  Spacing spacing = spacing_of(space.size() == 2 ? Edge{1, x.unit} : edge(3), edge(2), x);
  if (level.translation.empty() || !spacing.known()) return spacing;
  Placement placement;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const std::size_t axis = space[space.size() - 1 - i];
    const double from = micrometres(unit_of(level.units[axis])).value_or(1);
    placement.origin[i] = level.translation[axis] * (from / *micrometres(spacing.unit));
    if (!std::isfinite(placement.origin[i])) return spacing;
  }
  spacing.placement = placement;
  return spacing;
}

OrderedJson ome_attributes(OmeZarrVersion version, const std::string& name, const std::vector<std::string>& axes,
                           const Spacing& spacing) {
  OrderedJson described = OrderedJson::array();
  OrderedJson scale = OrderedJson::array();
  OrderedJson away = OrderedJson::array();
  const std::optional<std::array<double, 3>> translation = translation_of(spacing);
  for (const std::string& axis : axes) {
    if (axis == "c") {
      described.push_back({{"name", axis}, {"type", "channel"}});
      scale.push_back(1.0);
      away.push_back(0.0);
      continue;
    }
    OrderedJson space{{"name", axis}, {"type", "space"}};
    if (spacing.known()) space["unit"] = unit_name(spacing.unit);
    described.push_back(std::move(space));
    const double edge = axis == "z" ? spacing.z : axis == "y" ? spacing.y : spacing.x;
    scale.push_back(spacing.known() ? edge : 1.0);
    if (translation) away.push_back((*translation)[axis == "z" ? 2 : axis == "y" ? 1 : 0]);
  }
  OrderedJson steps = OrderedJson::array({{{"type", "scale"}, {"scale", std::move(scale)}}});
  if (translation) steps.push_back({{"type", "translation"}, {"translation", std::move(away)}});
  OrderedJson dataset{{"path", "0"}, {"coordinateTransformations", std::move(steps)}};
  OrderedJson image;
  if (version == OmeZarrVersion::V0_4) image["version"] = "0.4";
  image["name"] = name;
  image["axes"] = std::move(described);
  image["datasets"] = OrderedJson::array({std::move(dataset)});
  OrderedJson attributes;
  if (version == OmeZarrVersion::V0_4) {
    attributes["multiscales"] = OrderedJson::array({std::move(image)});
  } else {
    attributes["ome"]["version"] = "0.5";
    attributes["ome"]["multiscales"] = OrderedJson::array({std::move(image)});
  }
  return attributes;
}

std::vector<std::size_t> ImageAxes::space() const {
  std::vector<std::size_t> axes;
  for (const auto& axis : {z, y, x}) {
    if (axis) axes.push_back(*axis);
  }
  return axes;
}

ImageAxes plain_axes(const std::string& path, const std::vector<std::int64_t>& shape) {
  const std::vector<std::size_t> image = axes_of_image(std::span<const std::int64_t>(shape));
  if (image.empty()) {
    refuse(
        "{}: a Zarr array of shape {}; wanted (y, x) or (z, y, x), or the folder of an image that says what its axes "
        "are",
        path, sizes(shape));
  }
  ImageAxes axes;
  if (image.size() == 3) axes.z = image[0];
  axes.y = image[image.size() - 2];
  axes.x = image.back();
  axes.at.resize(shape.size());
  return axes;
}

ImageAxes image_axes(const std::string& path, const std::vector<std::int64_t>& shape, const std::vector<std::string>& names,
                     const ReadOptions& options) {
  ImageAxes axes;
  axes.at.resize(shape.size());
  bool fine = names.size() == shape.size();
  std::string space;
  for (std::size_t i = 0; fine && i < names.size(); ++i) {
    const std::string& name = names[i];
    std::optional<std::size_t>* const known = name == "t"   ? &axes.t
                                              : name == "c" ? &axes.c
                                              : name == "z" ? &axes.z
                                              : name == "y" ? &axes.y
                                              : name == "x" ? &axes.x
                                                            : nullptr;
    if (!known && shape[i] > 1) {
      refuse("{}: an OME-Zarr image of shape {} {}; wanted one sample along {}", path, sizes(shape), list(names),
             shown(std::string_view(name)));
    }
    if (!known) continue;
    fine = !*known;
    *known = i;
    if (name != "t" && name != "c") space += name;
  }
  if (!fine || (space != "zyx" && space != "yx")) {
    refuse(
        "{}: an OME-Zarr image of shape {} with axes {}; wanted (y, x) or (z, y, x), with channel and time before or "
        "after",
        path, sizes(shape), list(names));
  }
  if (options.axes) turn(path, shape, *options.axes, axes);
  const std::int64_t time = choose_time(path, axes.t ? shape[*axes.t] : 1, options.time);
  if (axes.t) axes.at[*axes.t] = time;
  choose_channel(path, axes.c ? shape[*axes.c] : 1, options, axes);
  return axes;
}

void fit(OmeLevel& level, std::size_t rank) {
  if (level.axes.size() <= rank) return;
  const auto more = static_cast<std::ptrdiff_t>(level.axes.size() - rank);
  level.axes.erase(level.axes.begin(), level.axes.begin() + more);
  level.units.erase(level.units.begin(), level.units.begin() + more);
  for (std::vector<double>* const numbers : {&level.scale, &level.translation}) {
    if (!numbers->empty()) numbers->erase(numbers->begin(), numbers->begin() + more);
  }
}

}  // namespace tamis::io
