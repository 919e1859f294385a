// All pages of a TIFF file as one volume: which of them, in which order, and whether we decode them ourselves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tamis/io.hpp>

#include "io/flat/flat.hpp"
#include "io/format.hpp"
#include "io/tiff/directory.hpp"
#include "io/tiff/page.hpp"

namespace tamis::io {

struct TiffPlane {
  std::uint64_t directory = 0;  ///< offset
  std::int64_t page = 1;        ///< for messages
};

/// What open() has found out, from the directories alone.
struct TiffStack {
  /// As slices of their own: where channels have pages of their own, slice z of the volume is `interleaved` planes.
  Layout layout;
  int interleaved = 1;
  std::string description;
  std::vector<TiffPlane> planes;  ///< one for each slice of `layout`; empty where `flat` says where they are
  std::optional<FlatPlace> flat;  ///< uncompressed samples at even distances
  bool halves = false;            ///< the samples, of type u16, are half floats
  bool alpha = false;             ///< the last channel is
  int orientation = 1;            ///< that of the first page
  bool compressed = false;        ///< is any of the pages?
  /// The sample of a pixel to take where ReadOptions::channel has chosen among channels with pages of their own.
  std::optional<int> sample;
};

/// Walks all directories. Throws InputError for what is truncated, inconsistent, not supported, or leaves a choice
/// between times open.
[[nodiscard]] TiffStack inspect_tiff(const TiffFile& file, const ReadOptions& options);

/// Decodes a page, whose directory lies at `offset`.
using DecodePage =
    std::function<void(const TiffDirectory& directory, std::uint64_t offset, const TiffPage& page, std::byte* out)>;
/// Planes that are decoded one by one.
[[nodiscard]] std::unique_ptr<Source> open_planes(MappedFile map, const TiffStack& stack, std::stop_token cancel,
                                                  DecodePage decode);

}  // namespace tamis::io
