// open_file() and read(): which format, and what holds for all of them.
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <tamis/io.hpp>
#include <tamis/operations/parse.hpp>

#include "io/format.hpp"
#include "core/system/mapped_file.hpp"
#include "io/names/names.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/upright.hpp"
#include "io/zarr/zarr.hpp"

namespace tamis {
namespace io {
namespace {

constexpr std::size_t longest_magic = 2056;  // HDF5's stands at the start or behind 512, 1024 or 2048 bytes

/// The samples of a file in the form that all others have, and as it is asked for.
std::unique_ptr<Source> finished(std::unique_ptr<Source> source, const ReadOptions& options) {
  if (source->halves) source = floats_of_halves(std::move(source));
  if (const int orientation = source->notes.orientation; orientation != 1) {
    const std::string_view turn = turn_of(orientation);
    source->add_words(options.upright ? fmt::format(", {}", turn)
                                      : fmt::format(", EXIF orientation {} (viewers show it {})", orientation, turn));
  }
  return options.upright ? upright(std::move(source)) : std::move(source);
}

std::unique_ptr<Source> open_path(const std::string& path, const ReadOptions& options) {
  const auto [file, dataset] = split_dataset(path);
  std::error_code error;
  if (std::filesystem::status(file, error).type() == std::filesystem::file_type::not_found) {
    refuse("{}: cannot read it: {}{}", file, std::strerror(ENOENT), near_name(file));
  }
  const bool folder = std::filesystem::is_directory(file, error);
  if (folder && (is_zarr_name(file) || holds_zarr(file))) return finished(open_zarr(file, options), options);
  if (options.level.value_or(0) != 0) {
    refuse("{}: level {}; wanted 0: only OME-Zarr images may have several", file, *options.level);
  }
  if (folder) {
    return is_dicom_folder(file, options.only) ? open_dicom_folder(file, options) : open_folder(file, options);
  }
  return open_one_file(path, options);
}

}  // namespace

std::pair<std::string, std::string> split_dataset(const std::string& path) {
  const std::size_t colon = path.find(":/");
  if (colon == std::string::npos || format_by_name(path.substr(0, colon)) != &hdf5_format) return {path, ""};
  std::error_code error;
  if (std::filesystem::exists(path, error)) return {path, ""};  // a file that really has such a name
  return {path.substr(0, colon), path.substr(colon + 1)};
}

std::unique_ptr<Source> open_one_file(const std::string& path, const ReadOptions& options,
                                      const SharedDecoder& decoder) {
  const auto [file, dataset] = split_dataset(path);
  const std::string head = file_head(file, longest_magic);
  const Format* const named = format_by_name(file);
  const Format* const found = format_by_content(head);
  if (named && named->matches && !named->matches(head)) {
    refuse("{}: got {}, wanted {} as the name says", file, name_by_content(head), named->name);
  }
  if (const Format* const format = named ? named : found) {
    if (!format->has_times) {
      static_cast<void>(choose_time(file, 1, options.time));
      if (options.axes && *options.axes != AxesOrder::ZYX) {
        refuse("{}: `axes` chooses among times and channels, and {} has none; wanted it without", file, format->name);
      }
    }
    if (options.skip != 0 && format != &raw_format && format != &raw_gzip_format) {
      refuse("{}: `skip {}` is for raw files, and this is {}; wanted it without", file, options.skip, format->name);
    }
    return finished(format->open(path, options, decoder), options);
  }
  if (options.shape) return finished(raw_format.open(path, options, decoder), options);
  refuse("{}: unknown format, {}; wanted one of {}, or a folder of slices", file, name_by_content(head),
         known_extensions(false));
}

}  // namespace io

std::unique_ptr<FileSource> open_file(const std::string& path, const ReadOptions& options) {
  if (options.spacing) {
    const Spacing& s = *options.spacing;
    for (const double length : {s.x, s.y, s.z == 0 ? s.x : s.z}) {
      if (!std::isfinite(length) || length <= 0) io::refuse("got a spacing of {}, wanted > 0", length);
    }
  }
  std::unique_ptr<io::Source> source = io::open_path(path, options);
  source->also_reads({io::split_dataset(path).first});
  if (options.spacing) {
    const Spacing& s = *options.spacing;
    try {
      source->set_spacing(spacing_of_rank(s, source->layout().shape.rank));
    } catch (const InputError& error) {
      io::refuse("{}: `spacing {}x{}{}`: {}", path, s.x, s.y, s.unit, error.what());
    }
  }
  if (!options.channel.empty() && !source->notes.channel_chosen)
    source = io::select_channel(std::move(source), options.channel);
  return source;
}

Image read(const std::string& path, const ReadOptions& options) {
  const std::unique_ptr<FileSource> source = open_file(path, options);
  const Layout& layout = source->layout();
  if (layout.channels > 1) {
    io::refuse("{} has {} channels; wanted grey: choose one with `channel 0..{}`{}", path, layout.channels,
           layout.channels - 1, layout.channels > 2 ? " or luma" : "");
  }
  Image image(layout.type, layout.shape, layout.spacing);
  if (layout.type != Type::Bool) {
    source->read(0, layout.shape.z, image.data());
    return image;
  }
  std::vector<std::byte> slice(static_cast<std::size_t>(layout.shape.y * layout.shape.x));
  for (std::int64_t z = 0; z < layout.shape.z; ++z) {
    source->read(z, 1, slice.data());
    for (std::int64_t y = 0; y < layout.shape.y; ++y) {
      io::pack_row(slice.data() + y * layout.shape.x, layout.shape.x, image.row<std::uint64_t>(z, y));
    }
  }
  return image;
}

}  // namespace tamis
