// DICOM: one file, or the files of one series in a folder. GDCM decodes their samples; what they mean is said here.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "io/dicom/dicom.hpp"
#include "io/header_text.hpp"
#include "io/medical/medical.hpp"
#include "io/names/names.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

namespace fs = std::filesystem;

bool starts_as_dicom(const std::string& path) {
  try {
    return is_dicom(file_head(path, 132));
  } catch (const InputError&) {
    return false;  // unreadable files that are no slices do not matter
  }
}

/// Files of the folder by their names, then DICOM files by their first bytes: these often have no extension.
std::vector<std::string> dicom_files(const std::string& folder, const std::string& only) {
  std::vector<std::string> files;
  std::string picture;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (!may_be_slice(name, only) || name == "DICOMDIR" || !it->is_regular_file(ignored)) continue;
    if (it->file_size(ignored) == 0 || ignored) continue;
    const Format* const format = format_by_name(name);
    if (format != nullptr && format->is_picture) {
      picture = name;
    } else if (format == &dicom_format || (!format && starts_as_dicom(it->path().string()))) {
      files.push_back(it->path().string());
    }
  }
  if (!files.empty() && !picture.empty()) {
    refuse("{} holds DICOM files and pictures ({}); wanted slices of one kind: choose with `only '*.dcm'`", folder,
           picture);
  }
  std::sort(files.begin(), files.end(), natural_less);
  return files;
}

/// What a frame says, or the file for all.
DicomValues values_of(const DicomFile& file, std::int64_t frame) {
  if (file.facts.frames.empty()) return file.facts.values;
  DicomValues values = file.facts.frames[static_cast<std::size_t>(frame)];
  values.fill_from(file.facts.values);
  return values;
}

/// A volume to be: slices of one or more files, in the order in which these were found until they are sorted.
class Series {
 public:
  Series(std::string path, std::vector<DicomFile> files) : path_(std::move(path)), files_(std::move(files)) {
    first_ = values_of(files_.front(), 0);
    for (std::size_t file = 0; file < files_.size(); ++file) {
      require_as_first(files_[file]);
      for (std::int64_t frame = 0; frame < files_[file].facts.sizes[2]; ++frame) add(file, frame);
    }
  }

  /// Sorts the slices; returns their distance in mm, nothing where it is not known.
  std::optional<double> sort(bool forgiving) {
    if (!placed_) number_slices();
    std::stable_sort(slices_.begin(), slices_.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
    if (placed_ && slices_.size() > 1) return even_distance(forgiving);
    if (files_.size() > 1) return std::nullopt;
    return first_.between ? first_.between : first_.thickness;
  }

  /// One for all slices: that of the file where nothing is to be computed; otherwise i16 where it holds whatever the
  /// files may hold, and if not f32, for samples of 4 bytes and more f64. Values of tables are u8 or u16, and with
  /// others f32.
  Type type() const {
    const Type stored = files_.front().facts.type;
    bool same = true;
    bool in_i16 = true;
    Type wide = Type::F32;
    std::int64_t looked_up = 0;
    int looked_up_bits = 0;
    for (const DicomSlice& slice : slices_) {
      const DicomFacts& facts = files_[slice.file].facts;
      if (!facts.lut.values.empty()) {
        ++looked_up;
        looked_up_bits = std::max(looked_up_bits, facts.lut.bits);
        continue;
      }
      same = same && facts.type == stored && slice.slope == 1 && slice.intercept == 0;
      if (float_for(facts.type) == Type::F64) wide = Type::F64;
      in_i16 = in_i16 && facts.type != Type::F32 && facts.type != Type::F64;
      const double span = std::exp2(facts.bits_stored);
      const double low = is_signed(facts.type) ? -span / 2 : 0;
      for (const double sample : {low, low + span - 1}) {
        const double value = slice.slope * sample + slice.intercept;
        in_i16 = in_i16 && value >= std::numeric_limits<std::int16_t>::min() &&
                 value <= std::numeric_limits<std::int16_t>::max();
      }
      in_i16 = in_i16 && slice.slope == std::floor(slice.slope) && slice.intercept == std::floor(slice.intercept);
    }
    if (looked_up == std::ssize(slices_)) return looked_up_bits <= 8 ? Type::U8 : Type::U16;
    if (looked_up > 0) return wide;
    return same ? stored : in_i16 ? Type::I16 : wide;
  }

  [[nodiscard]] const DicomValues& first() const { return first_; }
  [[nodiscard]] std::vector<DicomFile>& files() { return files_; }
  [[nodiscard]] std::vector<DicomSlice>& slices() { return slices_; }

 private:
  void add(std::size_t file, std::int64_t frame) {
    const DicomValues values = values_of(files_[file], frame);
    require_edges(files_[file], values);
    const std::optional<double> place = place_of(files_[file], frame, values);
    placed_ = placed_ && place;
    DicomSlice slice{file, frame, place.value_or(0), values.slope.value_or(1), values.intercept.value_or(0)};
    if (place) slice.position = values.position;
    if (slice.slope == 0) slice.slope = 1, slice.intercept = 0;  // written by programs that know none
    slices_.push_back(slice);
  }

  void require_as_first(const DicomFile& file) const {
    const DicomFacts& facts = file.facts;
    const DicomFacts& first = files_.front().facts;
    if (facts.series != first.series) {
      std::set<std::string> series;
      for (const DicomFile& each : files_) series.insert(each.facts.series);
      refuse("{} holds {} DICOM series ({} ...); wanted one, so a folder for each", path_, series.size(),
             shown(*series.begin()));
    }
    if (facts.sizes[0] != first.sizes[0] || facts.sizes[1] != first.sizes[1]) {
      refuse("{}: got {}x{}, wanted {}x{} as the first slice of the series", file.path, facts.sizes[0], facts.sizes[1],
             first.sizes[0], first.sizes[1]);
    }
  }

  void require_edges(const DicomFile& file, const DicomValues& values) const {
    if (values.edges == first_.edges) return;
    constexpr std::array<double, 2> unknown{};
    refuse("{}: got pixels of {} mm, wanted {} mm as in the first slice of the series", file.path,
           fmt::join(values.edges.value_or(unknown), "x"), fmt::join(first_.edges.value_or(unknown), "x"));
  }

  /// Where a slice lies along the normal of the first, in mm; nothing where the file does not say.
  std::optional<double> place_of(const DicomFile& file, std::int64_t frame, const DicomValues& values) const {
    const auto& frames = file.facts.frames;
    const bool own = file.facts.sizes[2] == 1 || (!frames.empty() && frames[static_cast<std::size_t>(frame)].position);
    if (!own && !file.facts.offsets.empty() && files_.size() == 1) {
      return file.facts.offsets[static_cast<std::size_t>(frame)];
    }
    if (!own || !values.position || !values.orientation || !first_.orientation) return std::nullopt;
    const auto& o = *first_.orientation;
    constexpr double tolerance = 1e-3;  // of a direction's cosine
    for (std::size_t i = 0; i < 6; ++i) {
      if (std::abs((*values.orientation)[i] - o[i]) <= tolerance) continue;
      refuse("{}: got a slice of orientation {}, wanted {} as the first of the series", file.path,
             fmt::join(*values.orientation, "\\"), fmt::join(o, "\\"));
    }
    const double place = dot(*values.position, cross({o[0], o[1], o[2]}, {o[3], o[4], o[5]}));
    return std::isfinite(place) ? std::optional(place) : std::nullopt;
  }

  /// Frames of one file are in order; files of a slice each have numbers.
  void number_slices() {
    std::set<double> seen;
    for (DicomSlice& slice : slices_) {
      const DicomFacts& facts = files_[slice.file].facts;
      const auto number = dicom_numbers(facts.number, 1);
      slice.place = files_.size() == 1 ? static_cast<double>(slice.frame) : number ? number->front() : 0;
      const bool known = files_.size() == 1 || (number && facts.sizes[2] == 1);
      if (known && seen.insert(slice.place).second) continue;
      refuse(
          "{}: got a DICOM series without positions and without an order, wanted ImagePositionPatient or "
          "InstanceNumber in every file",
          path_);
    }
  }

  /// The distance of neighbours, in mm. A gap means that a slice is missing, no distance that there are several images.
  double even_distance(bool forgiving) const {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    double nearest = 0;
    for (std::size_t i = 1; i < slices_.size(); ++i) {
      const double distance = slices_[i].place - slices_[i - 1].place;
      if (distance < least) nearest = slices_[i].place;
      least = std::min(least, distance);
      most = std::max(most, distance);
    }
    constexpr double nowhere = 1e-4;
    if (least < nowhere) {
      refuse(
          "{} holds several slices at one position ({:.4g} mm along their normal, up to {:.4g} mm between others: a "
          "series in time?); wanted one of each",
          path_, nearest, most);
    }
    constexpr double unevenness = 1.1;
    if (most > unevenness * least && !forgiving) {
      refuse(
          "{}: got slices {:.4g} to {:.4g} mm apart, wanted even distances: is a slice missing? (`spacing` reads them "
          "as they are)",
          path_, least, most);
    }
    return (slices_.back().place - slices_.front().place) / static_cast<double>(slices_.size() - 1);
  }

  std::string path_;
  std::vector<DicomFile> files_;
  std::vector<DicomSlice> slices_;
  DicomValues first_;  // what the first frame says
  bool placed_ = true;
};

/// Slices may lie askew: the step along z is that from the first to the last.
std::optional<Placement> placement_of(const DicomValues& first, const std::vector<DicomSlice>& slices,
                                      const Spacing& spacing) {
  if (!first.orientation || !slices.front().position || !slices.back().position) return std::nullopt;
  const auto& o = *first.orientation;
  Affine affine{{{{o[0], o[1], o[2]}, {o[3], o[4], o[5]}, {}}}, *slices.front().position};
  const auto steps = static_cast<double>(slices.size() - 1);
  affine.steps[2] = cross(affine.steps[0], affine.steps[1]);
  for (std::size_t i = 0; i < 3; ++i) {
    affine.steps[0][i] *= spacing.x;
    affine.steps[1][i] *= spacing.y;
    affine.steps[2][i] =
        steps > 0 ? ((*slices.back().position)[i] - affine.origin[i]) / steps : affine.steps[2][i] * spacing.z;
  }
  return io::placement_of(affine, spacing, World::Scanner);
}

Spacing spacing_of(const DicomValues& first, std::optional<double> between_slices,
                   const std::vector<DicomSlice>& slices) {
  if (!first.edges || !between_slices) return {};
  const auto& [y, x] = *first.edges;
  Spacing spacing = spacing_of_lengths(std::array{x, y, *between_slices}, 3, "mm");
  spacing.placement = placement_of(first, slices, spacing);
  return spacing;
}

/// The angle between the way from slice to slice and their normal, in degrees: of a gantry that was tilted.
double shear_of(const DicomValues& first, const std::vector<DicomSlice>& slices) {
  const auto placement = placement_of(first, slices, {.unit = "mm"});
  if (!placement || slices.size() < 2) return 0;
  const auto& [x, y, z] = placement->axes;
  const Vector normal = cross(x, y);
  return std::atan2(std::hypot(dot(x, z), dot(y, z)), std::abs(dot(normal, z))) * 180 / std::numbers::pi;
}

/// A gantry that was tilted: words for the description.
std::string tilt_words(const DicomValues& first, const std::vector<DicomSlice>& slices) {
  constexpr double least = 0.05;  // degrees
  const double shear = shear_of(first, slices);
  const double tilt = first.tilt.value_or(0);
  std::string words;
  if (std::abs(tilt) >= least) words = fmt::format(", gantry tilt {:.3g} degrees", tilt);
  if (shear >= least) words += fmt::format(", slices shifted along each other by {:.3g} degrees (sheared)", shear);
  return words;
}

std::unique_ptr<Source> open_series(const std::string& path, std::vector<DicomFile> files, int rank,
                                    const ReadOptions& options) {
  const bool folder = files.front().path != path;
  Series series(path, std::move(files));
  const std::optional<double> distance = series.sort(options.spacing.has_value());
  const auto& sizes = series.files().front().facts.sizes;
  const auto count = static_cast<std::int64_t>(series.slices().size());
  const Spacing spacing = spacing_of(series.first(), rank == 2 ? 1 : distance, series.slices());
  const Layout layout{series.type(), {count, sizes[1], sizes[0], rank}, 1, spacing};
  static_cast<void>(checked_bytes(path, layout));
  const std::string what = folder       ? fmt::format("DICOM, series of {} slices", count)
                           : count == 1 ? "DICOM, one slice"
                                        : fmt::format("DICOM, {} frames", count);
  const std::string tilt = tilt_words(series.first(), series.slices());
  return open_slices(path, layout, what + tilt, std::move(series.files()), std::move(series.slices()), options);
}

std::unique_ptr<Source> open_dicom(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  std::vector<DicomFile> files{{path, check_dicom(path, options.cancel)}};
  const int rank = files.front().facts.sizes[2] > 1 ? 3 : 2;
  return open_series(path, std::move(files), rank, options);
}

}  // namespace

bool is_dicom_folder(const std::string& path, const std::string& only) { return !dicom_files(path, only).empty(); }

std::unique_ptr<Source> open_dicom_folder(const std::string& path, const ReadOptions& options) {
  std::vector<DicomFile> files;
  for (const std::string& file : dicom_files(path, options.only)) {
    if (options.cancel.stop_requested()) throw Cancelled();
    files.push_back({file, check_dicom(file, options.cancel)});
  }
  return open_series(path, std::move(files), 3, options);
}

const Format dicom_format{"DICOM", {".dcm", ".dicom", ".ima"}, is_dicom, open_dicom, nullptr};

}  // namespace tamis::io
