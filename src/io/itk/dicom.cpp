// DICOM: one file, or the files of one series in a folder, decoded by GDCM through ITK.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "io/format.hpp"
#include "io/header_text.hpp"
#include "io/itk/client.hpp"
#include "io/itk/decoded.hpp"
#include "io/itk/dicom_check.hpp"
#include "io/mapped_file.hpp"
#include "io/medical/rescale.hpp"
#include "io/names/natural_order.hpp"
#include "io/samples.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

namespace fs = std::filesystem;

/// Numbers between backslashes.
template <std::size_t count>
std::optional<std::array<double, count>> numbers(std::string_view text) {
  std::array<double, count> values{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = text.find('\\');
    if ((end == std::string_view::npos) != (i + 1 == count)) return std::nullopt;
    std::string_view word = trimmed(text.substr(0, end));
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), values[i]);
    if (error != std::errc() || rest != word.data() + word.size() || !std::isfinite(values[i])) return std::nullopt;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return values;
}

ItkPart read_part(ItkClient& itk, const std::string& path, const ReadOptions& options) {
  ItkPart part{path, {}, check_dicom(path, options.cancel)};
  part.header = itk.header(path);
  const auto& ours = part.facts.sizes;
  const auto& itks = part.header.sizes;
  if (ours == itks) return part;
  throw InputError(fmt::format("{}: an ambiguous DICOM file: ITK takes it for {}x{}x{}, wanted {}x{}x{}", path, itks[0],
                               itks[1], itks[2], ours[0], ours[1], ours[2]));
}

/// Not known unless the file has a length along every axis. `between_slices` is none of the file's own elements.
Spacing spacing_of(const ItkPart& part, double between_slices) {
  const double x = part.header.spacing[0];
  const double y = part.header.spacing[1];
  const bool usable = std::isfinite(between_slices) && between_slices > 0 && part.facts.lengths.has_in_plane(x, y);
  if (!usable) return {};
  return {rounded_to_float(between_slices), rounded_to_float(y), rounded_to_float(x), "mm"};
}

/// The distance of the frames, or thickness of the one slice, of a file; 0 where it has none.
double distance_in(const ItkPart& part) {
  const double z = part.header.spacing[2];
  return part.facts.lengths.has_between(z) ? z : 0;
}

std::unique_ptr<Source> open_dicom(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  auto itk = std::make_unique<ItkClient>(options);
  ItkPart part = read_part(*itk, path, options);
  const auto& [x, y, z] = part.header.sizes;
  Layout layout{part.header.type, {z, y, x, z > 1 ? 3 : 2}, 1, {}};
  static_cast<void>(checked_bytes(path, layout));
  layout.spacing = spacing_of(part, z > 1 ? distance_in(part) : 1);
  std::string description = z > 1 ? fmt::format("DICOM, {} frames", z) : "DICOM, one slice";
  return open_decoded(path, layout, std::move(description), {std::move(part)}, std::move(itk));
}

bool starts_as_dicom(const std::string& path) {
  try {
    return is_dicom(file_head(path, 132));
  } catch (const InputError&) {
    return false;  // unreadable files that are no slices do not matter
  }
}

/// Files of the folder by their names, then DICOM files by their first bytes: these often have no extension.
std::vector<std::string> dicom_files(const std::string& folder) {
  std::vector<std::string> files;
  std::string picture;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.') || name == "DICOMDIR" || !it->is_regular_file(ignored)) continue;
    if (it->file_size(ignored) == 0 || ignored) continue;
    const Format* const format = format_by_name(name);
    if (format != nullptr && format->is_picture) {
      picture = name;
    } else if (format == &dicom_format || (!format && starts_as_dicom(it->path().string()))) {
      files.push_back(it->path().string());
    }
  }
  if (!files.empty() && !picture.empty()) {
    throw InputError(fmt::format("{} holds DICOM files and pictures ({}); wanted slices of one kind", folder, picture));
  }
  std::sort(files.begin(), files.end(), natural_less);
  return files;
}

std::string words(const ItkHeader& header) { return fmt::format("{}x{}", header.sizes[0], header.sizes[1]); }

void require_one_series(const std::string& folder, const std::vector<ItkPart>& parts) {
  std::set<std::string> series;
  for (const ItkPart& part : parts) series.insert(part.header.series);
  if (series.size() > 1) {
    throw InputError(fmt::format("{} holds {} DICOM series ({} ...); wanted one, so a folder for each", folder,
                                 series.size(), *series.begin()));
  }
  const ItkHeader& first = parts.front().header;
  for (const ItkPart& part : parts) {
    if (part.header.sizes[2] != 1) {
      throw InputError(fmt::format("{}: got {} frames, wanted DICOM files of one slice in a folder", part.path,
                                   part.header.sizes[2]));
    }
    const bool same_spacing = part.header.spacing[0] == first.spacing[0] && part.header.spacing[1] == first.spacing[1];
    if (part.header.sizes != first.sizes || !same_spacing) {
      throw InputError(fmt::format("{}: got {} of {}x{} mm, wanted {} of {}x{} mm as the first slice of the series",
                                   part.path, words(part.header), part.header.spacing[0], part.header.spacing[1],
                                   words(first), first.spacing[0], first.spacing[1]));
    }
  }
}

using Slices = std::vector<std::pair<double, ItkPart>>;  // a place to sort by

/// Where each slice lies along the normal of the first, in mm; nothing where a file does not say.
std::optional<Slices> places(const std::vector<ItkPart>& parts) {
  const auto first = numbers<6>(parts.front().header.orientation);
  if (!first) return std::nullopt;
  const auto& o = *first;
  const std::array<double, 3> normal{o[1] * o[5] - o[2] * o[4], o[2] * o[3] - o[0] * o[5], o[0] * o[4] - o[1] * o[3]};
  Slices slices;
  for (const ItkPart& part : parts) {
    const auto position = numbers<3>(part.header.position);
    const auto orientation = numbers<6>(part.header.orientation);
    if (!position || !orientation) return std::nullopt;
    constexpr double tolerance = 1e-3;  // of a direction's cosine
    for (std::size_t i = 0; i < 6; ++i) {
      if (std::abs((*orientation)[i] - o[i]) <= tolerance) continue;
      throw InputError(fmt::format("{}: got a slice of orientation {}, wanted {} as the first of the series", part.path,
                                   shown(part.header.orientation), shown(parts.front().header.orientation)));
    }
    const auto& p = *position;
    slices.emplace_back(p[0] * normal[0] + p[1] * normal[1] + p[2] * normal[2], part);
  }
  return slices;
}

/// The order of the instance numbers; nothing where one is missing or occurs twice.
std::optional<Slices> by_number(const std::vector<ItkPart>& parts) {
  Slices slices;
  std::set<double> seen;
  for (const ItkPart& part : parts) {
    const auto number = numbers<1>(part.header.number);
    if (!number || !seen.insert(number->front()).second) return std::nullopt;
    slices.emplace_back(number->front(), part);
  }
  return slices;
}

/// The distance of neighbours, in mm. A gap means that a slice is missing, no distance that there are several images.
double even_distance(const std::string& folder, const Slices& slices, bool forgiving) {
  if (slices.size() < 2) return distance_in(slices.front().second);
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t i = 1; i < slices.size(); ++i) {
    const double distance = slices[i].first - slices[i - 1].first;
    least = std::min(least, distance);
    most = std::max(most, distance);
  }
  constexpr double nowhere = 1e-4;
  if (least < nowhere) {
    throw InputError(
        fmt::format("{} holds several slices at one position (a series in time?); wanted one of each", folder));
  }
  constexpr double unevenness = 1.1;
  if (most > unevenness * least && !forgiving) {
    throw InputError(
        fmt::format("{}: got slices {:.4g} to {:.4g} mm apart, wanted even distances: is a slice missing? "
                    "(`spacing` reads them as they are)",
                    folder, least, most));
  }
  return (slices.back().first - slices.front().first) / static_cast<double>(slices.size() - 1);
}

/// Files of a series may have types of their own, as each has its own rescale slope; one that holds them all.
Type common_type(const Slices& slices) {
  const Type first = slices.front().second.header.type;
  bool same = true;
  Type wide = Type::F32;
  for (const auto& [place, part] : slices) {
    same = same && part.header.type == first;
    if (float_for(part.header.type) == Type::F64) wide = Type::F64;
  }
  return same ? first : wide;
}

}  // namespace

bool is_dicom_folder(const std::string& path) { return !dicom_files(path).empty(); }

std::unique_ptr<Source> open_dicom_folder(const std::string& path, const ReadOptions& options) {
  auto itk = std::make_unique<ItkClient>(options);
  std::vector<ItkPart> parts;
  for (const std::string& file : dicom_files(path)) {
    if (options.cancel.stop_requested()) throw Cancelled();
    parts.push_back(read_part(*itk, file, options));
  }
  require_one_series(path, parts);
  std::optional<Slices> slices = places(parts);
  double distance = 0;  // not known
  const auto in_order = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (slices) {
    std::stable_sort(slices->begin(), slices->end(), in_order);
    distance = even_distance(path, *slices, options.spacing.has_value());
  } else if ((slices = by_number(parts))) {
    std::stable_sort(slices->begin(), slices->end(), in_order);
  } else {
    throw InputError(
        fmt::format("{}: got a DICOM series without positions and without an order, wanted "
                    "ImagePositionPatient or InstanceNumber in every file",
                    path));
  }
  const ItkPart& front = slices->front().second;
  const ItkHeader& first = front.header;
  Layout layout{common_type(*slices),
                {static_cast<std::int64_t>(slices->size()), first.sizes[1], first.sizes[0], 3},
                1,
                spacing_of(front, distance)};
  static_cast<void>(checked_bytes(path, layout));
  std::vector<ItkPart> ordered;
  for (auto& [place, part] : *slices) ordered.push_back(std::move(part));
  std::string description = fmt::format("DICOM, series of {} slices", ordered.size());
  return open_decoded(path, layout, std::move(description), std::move(ordered), std::move(itk));
}

const Format dicom_format{"DICOM", {".dcm", ".dicom", ".ima"}, is_dicom, open_dicom, nullptr};

}  // namespace tamis::io
