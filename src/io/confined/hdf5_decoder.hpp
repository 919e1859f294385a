// An HDF5 dataset, opened with HDF5, in the process that decodes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/confined/hdf5_index.hpp"
#include "io/confined/hdf5_storage.hpp"
#include "io/format.hpp"
#include "io/confined/hdf5_session.hpp"

namespace tamis::io {

class Hdf5Source final : public Source {
 public:
  Hdf5Source(const std::string& path, const Layout& layout, std::string description, Hdf5Id file, Hdf5Id dataset);
  ~Hdf5Source() override;

  [[nodiscard]] const Hdf5Storage& storage() const { return storage_; }
  /// The chunks with index `layer` along z, `rows` rows of them from `row` on. Only where the storage is chunked.
  [[nodiscard]] std::vector<Hdf5Chunk> chunks(std::int64_t layer, std::int64_t row, std::int64_t rows);

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override;
  /// A place or a size in all axes of the dataset.
  [[nodiscard]] std::vector<hsize_t> in_dataset(const std::array<hsize_t, 3>& zyx, hsize_t others) const;

  Hdf5Id file_;
  Hdf5Id dataset_;
  std::size_t rank_ = 0;           // of the dataset
  std::vector<std::size_t> axes_;  // of it, that are z, y and x
  Hdf5Storage storage_;
  std::optional<Hdf5Index> index_;
  bool verified_ = false;
};

[[nodiscard]] Hdf5Storage storage_of(hid_t dataset, const Layout& layout);
/// Chunks and filters of a chunked dataset in their order; false where they are not all known here.
[[nodiscard]] bool read_chunking(hid_t properties, const std::vector<hsize_t>& extent, Hdf5Storage& storage);
/// Do two objects lie in one file?
[[nodiscard]] bool same_file(hid_t one, hid_t other);
/// Throws InputError where files that a dataset takes samples from are missing or too short: HDF5 would give zeros.
/// Returns the bytes of all files that hold samples of it.
[[nodiscard]] std::int64_t require_complete(const std::string& path, hid_t dataset);
/// Throws InputError where an index of chunks is damaged, or a chunk of the dataset, or of one that it takes samples
/// from, does not inflate to its exact length: HDF5 would read past its end. Inflates all chunks; for datasets that
/// HDF5 reads itself.
void require_exact_chunks(const std::string& path, hid_t dataset);

}  // namespace tamis::io
