// A file that Python has open: tamis._native._File, behind tamis.ImageFile.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <stop_token>

#include <tamis/io.hpp>

namespace tamis::python {

class OpenFile {
 public:
  /// `path` is bytes, as the system has them; `options` has the names of reading(). Throws as tamis::open_file().
  OpenFile(const nanobind::bytes& path, const nanobind::dict& options);

  [[nodiscard]] const FileSource& source() const { return *source_; }
  /// The extent along each axis; that of the channels comes last, where there are several.
  [[nodiscard]] nanobind::tuple shape() const;
  /// (edges in the order of the axes, unit), or None.
  [[nodiscard]] nanobind::object voxel() const;
  /// Copies slices; without the GIL, from any thread, one at a time.
  void read_into(std::int64_t z0, std::int64_t count, std::byte* out);
  /// Slices z0 .. z0+count-1 as a new array of three axes, and the channels.
  [[nodiscard]] nanobind::object read(std::int64_t z0, std::int64_t count);

 private:
  std::stop_source stop_;
  std::unique_ptr<FileSource> source_;
  std::mutex reading_;
};

/// The file as the image of an operation, read as it is needed; null for other objects. Throws InputError for colour.
[[nodiscard]] std::unique_ptr<SliceSource> source_of_open_file(nanobind::handle file, std::string_view what);

}  // namespace tamis::python
