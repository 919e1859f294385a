#include "io/zarr/zarr.hpp"

#include "io/header_text.hpp"
#include "io/samples.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

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
