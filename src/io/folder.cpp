// A folder of slices as a volume. One file is open at a time.
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "io/confined/process.hpp"
#include "io/format.hpp"
#include "io/header_text.hpp"
#include "io/names/names.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

namespace fs = std::filesystem;

struct Slices {
  const Format* format = nullptr;
  std::vector<std::string> files;
};

/// Of each format that pictures have, those of a folder.
std::vector<Slices> pictures_in(const std::string& folder, const std::string& only) {
  std::vector<Slices> kinds;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const Format* const format = format_by_name(name);
    std::error_code ignored;
    if (format == nullptr || !format->is_picture || !may_be_slice(name, only)) continue;
    if (fs::is_directory(it->path(), ignored)) continue;
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Slices& one) { return one.format == format; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), Slices{format, {}});
    kind->files.push_back(it->path().string());
  }
  if (error) refuse("{}: cannot read it: {}", folder, error.message());
  return kinds;
}

/// A mask or a preview that lies among slices would be one of them, somewhere in the volume.
std::vector<std::string> slices_in(const std::string& folder, const std::string& only) {
  std::vector<Slices> kinds = pictures_in(folder, only);
  if (kinds.empty()) {
    refuse("{} is a folder without TIFF, PNG, JPEG, PNM or DICOM slices{}", folder,
           only.empty() ? "" : fmt::format(" whose names match {}", shown(only)));
  }
  for (Slices& kind : kinds) std::sort(kind.files.begin(), kind.files.end(), natural_less);
  std::sort(kinds.begin(), kinds.end(),
            [](const Slices& a, const Slices& b) { return a.files.size() > b.files.size(); });
  if (kinds.size() > 1) {
    const auto& [most, fewer] = std::tie(kinds[0], kinds[1]);
    refuse("{}: a {} file among {} {} file(s); wanted one kind of slices: choose with `only '*{}'`",
           fewer.files.front(), fewer.format->name, most.files.size(), most.format->name,
           most.format->extensions.front());
  }
  return std::move(kinds.front().files);
}

/// "slices 4 and 6 to 9 are missing" of numbered files that are taken as neighbours; empty where none is.
std::string missing_in(const std::vector<std::string>& slices) {
  const std::vector<std::int64_t> numbers = numbers_in_names(slices);
  std::vector<std::string> gaps;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const std::int64_t first = numbers[i - 1] + 1, last = numbers[i] - 1;
    if (first <= last) gaps.push_back(first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last));
  }
  if (gaps.empty()) return {};
  constexpr std::size_t most = 6;
  const std::size_t more = gaps.size() > most ? gaps.size() - most : 0;
  gaps.resize(gaps.size() - more);
  return fmt::format("slices {}{} are missing by the numbers of the files, and those there are taken as neighbours",
                     fmt::join(gaps, ", "), more > 0 ? fmt::format(" and {} more gaps", more) : "");
}

/// Opens a slice and holds it against the first.
std::unique_ptr<Source> open_slice(const std::string& path, const ReadOptions& options, const SharedDecoder& decoder,
                                   const Layout* first) {
  if (options.cancel.stop_requested()) throw Cancelled();  // a folder may have very many
  std::unique_ptr<Source> slice = open_one_file(path, options, decoder);
  const Layout& got = slice->layout();
  if (got.shape.z != 1) refuse("{}: got {} slices, wanted files of one slice in a folder", path, got.shape.z);
  if (first && (got.shape.x != first->shape.x || got.shape.y != first->shape.y || got.type != first->type ||
                got.channels != first->channels)) {
    Layout wanted = *first;
    wanted.shape.rank = 2;
    refuse("{}: got {}, wanted {} as the first slice of the folder", path, to_string(got), to_string(wanted));
  }
  return slice;
}

}  // namespace

bool may_be_slice(const std::string& name, const std::string& only) {
  return !name.starts_with('.') && (only.empty() || ::fnmatch(only.c_str(), name.c_str(), 0) == 0);
}

std::unique_ptr<Source> open_folder(const std::string& path, const ReadOptions& options) {
  const std::vector<std::string> slices = slices_in(path, options.only);
  const auto decoder = std::make_shared<DecoderProcess>(Decoders::Pictures, options);
  const std::unique_ptr<Source> first = open_slice(slices.front(), options, decoder, nullptr);
  Layout layout = first->layout();
  layout.shape.z = static_cast<std::int64_t>(slices.size());
  layout.shape.rank = 3;
  layout.spacing = {};  // a slice does not know the distance to the next
  for (std::size_t i = 1; i < slices.size(); ++i) static_cast<void>(open_slice(slices[i], options, decoder, &layout));
  std::string missing = missing_in(slices);
  std::string description = fmt::format("folder of {} slices, {}", slices.size(), first->description());
  const std::int64_t bytes = first->slice_bytes();
  auto folder = read_by(path, layout, std::move(description),
                        [=](std::int64_t z0, std::int64_t count, std::byte* out) {
                          for (std::int64_t z = z0; z < z0 + count; ++z, out += bytes) {
                            open_slice(slices[static_cast<std::size_t>(z)], options, decoder, &layout)->read(0, 1, out);
                          }
                        });
  folder->also_reads(slices);
  folder->notes.remark = std::move(missing);
  if (first->notes.channel_chosen) folder->notes.channel_chosen = true;
  return folder;
}

}  // namespace tamis::io
