#include "io/hdf5/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "io/format.hpp"
#include "io/hdf5/output.hpp"
#include "io/hdf5/session.hpp"
#include "io/output/file_sink.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

// About 256 KB for u8, and a layer of chunks of a 2048 x 2048 volume takes 64 MB of cache.
constexpr std::array<hsize_t, 3> usual_chunk{16, 128, 128};

class Hdf5Sink final : public FileSink {
 public:
  Hdf5Sink(const Target& target, const std::string& dataset, const Layout& layout) : FileSink(target, layout) {
    if (file().direct()) file().fail("HDF5 needs a regular file");
    const Hdf5Session session;
    try {
      output_.emplace(file().descriptor());
      hdf5_ = Hdf5Id(H5Fcreate("output", H5F_ACC_TRUNC, H5P_DEFAULT, output_->access()));
      require(hdf5_.valid());
      create_dataset(dataset);
      write_spacing();
    } catch (...) {
      close();  // within the session, which ends before the members do
      throw;
    }
  }
  Hdf5Sink(const Hdf5Sink&) = delete;
  Hdf5Sink& operator=(const Hdf5Sink&) = delete;

  ~Hdf5Sink() override {
    const Hdf5Session session;
    close();
  }

 private:
  void write_slices(const std::byte* slices, std::int64_t count) override {
    // Whole rows of chunks at a time, so that a Ctrl-C is heard between two of them.
    constexpr std::int64_t piece = std::int64_t{16} << 20;
    const std::int64_t row = count * layout().shape.x * sample_bytes(layout().type);
    const auto chunk_rows = static_cast<std::int64_t>(usual_chunk[1]);
    const std::int64_t at_once = std::max<std::int64_t>(1, piece / row / chunk_rows) * chunk_rows;
    for (std::int64_t y = 0; y < layout().shape.y; y += at_once) {
      file().check_cancel();
      write_rows(slices, count, y, std::min(at_once, layout().shape.y - y));
    }
    next_ += count;
  }

  void write_end() override {
    const Hdf5Session session;
    const bool closed = dataset_.close() && hdf5_.close();
    require(closed);
  }

  void write_rows(const std::byte* slices, std::int64_t count, std::int64_t y, std::int64_t rows) {
    const std::int64_t slice = layout().shape.y * layout().shape.x;
    const std::int64_t part = rows * layout().shape.x;
    const std::int64_t width = sample_bytes(layout().type);
    const std::byte* dense = slices;
    if (layout().type == Type::Bool || rows < layout().shape.y) {
      buffer_.resize(static_cast<std::size_t>(count * part * width));
      for (std::int64_t z = 0; z < count; ++z) {
        std::memcpy(buffer_.data() + z * part * width, slices + (z * slice + y * layout().shape.x) * width,
                    static_cast<std::size_t>(part * width));
      }
      dense = buffer_.data();
    }
    if (layout().type == Type::Bool) {
      for (std::byte& sample : buffer_) sample = sample == std::byte{0} ? std::byte{0} : std::byte{255};
    }
    const Hdf5Session session;
    const std::array<hsize_t, 3> extent{static_cast<hsize_t>(count), static_cast<hsize_t>(rows), edge(2)};
    const std::array<hsize_t, 3> start{static_cast<hsize_t>(next_), static_cast<hsize_t>(y), 0};
    const std::size_t skip = 3 - static_cast<std::size_t>(layout().shape.rank);
    const Hdf5Id file_space(H5Dget_space(dataset_.get()));
    const Hdf5Id memory_space(H5Screate_simple(layout().shape.rank, extent.data() + skip, nullptr));
    require(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data() + skip, nullptr, extent.data() + skip,
                                nullptr) >= 0);
    require(H5Dwrite(dataset_.get(), hdf5_type(layout().type), memory_space.get(), file_space.get(), H5P_DEFAULT,
                     dense) >= 0);
  }

  [[nodiscard]] hsize_t edge(std::size_t axis) const {
    const std::array<std::int64_t, 3> edges{layout().shape.z, layout().shape.y, layout().shape.x};
    return static_cast<hsize_t>(edges[axis]);
  }

  void close() {
    dataset_.close();
    hdf5_.close();
    output_.reset();
  }

  /// Inside a session only. A write that failed is known to the output alone.
  void require(bool fine) const {
    if (output_ && output_->error() != 0) file().fail_errno(output_->error());
    if (!fine) file().fail(hdf5_message());
  }

  void create_dataset(const std::string& name) {
    const std::size_t skip = 3 - static_cast<std::size_t>(layout().shape.rank);
    std::array<hsize_t, 3> edges{};
    std::array<hsize_t, 3> chunk{};
    for (std::size_t i = 0; i < 3; ++i) {
      edges[i] = edge(i);
      chunk[i] = std::min(edges[i], usual_chunk[i]);
    }
    const Hdf5Id space(H5Screate_simple(layout().shape.rank, edges.data() + skip, nullptr));
    const Hdf5Id properties(H5Pcreate(H5P_DATASET_CREATE));
    require(H5Pset_chunk(properties.get(), layout().shape.rank, chunk.data() + skip) >= 0);
    H5Pset_shuffle(properties.get());
    H5Pset_deflate(properties.get(), 1);
    const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(links.get(), 1);
    const Hdf5Id access = hdf5_slab_cache(chunk.data() + skip, layout());
    dataset_ = Hdf5Id(H5Dcreate2(hdf5_.get(), name.c_str(), hdf5_type(layout().type), space.get(), links.get(),
                                 properties.get(), access.get()));
    require(dataset_.valid());
  }

  void write_spacing() {
    const Spacing& s = layout().spacing;
    if (!s.known()) return;
    const std::array<double, 3> edges{s.z, s.y, s.x};
    const std::size_t skip = 3 - static_cast<std::size_t>(layout().shape.rank);
    write_numbers("spacing", {edges.begin() + static_cast<std::ptrdiff_t>(skip), edges.end()});
    const Hdf5Id scalar(H5Screate(H5S_SCALAR));
    const Hdf5Id text(H5Tcopy(H5T_C_S1));
    H5Tset_size(text.get(), s.unit.size());
    H5Tset_cset(text.get(), H5T_CSET_UTF8);
    const Hdf5Id unit(H5Acreate2(dataset_.get(), "unit", text.get(), scalar.get(), H5P_DEFAULT, H5P_DEFAULT));
    require(H5Awrite(unit.get(), text.get(), s.unit.c_str()) >= 0);
    // The convention of ilastik and BigDataViewer.
    if (const std::optional<double> um = micrometres(s.unit)) {
      write_numbers("element_size_um", {s.z * *um, s.y * *um, s.x * *um});
    }
  }

  void write_numbers(const char* name, const std::vector<double>& values) {
    const hsize_t count = values.size();
    const Hdf5Id space(H5Screate_simple(1, &count, nullptr));
    const Hdf5Id attribute(H5Acreate2(dataset_.get(), name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT));
    require(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, values.data()) >= 0);
  }

  std::optional<Hdf5Output> output_;
  Hdf5Id hdf5_;
  Hdf5Id dataset_;
  std::int64_t next_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::unique_ptr<SliceSink> create_hdf5(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "HDF5", layout);
  const auto [file, dataset] = split_dataset(path);
  if (dataset == "/" || dataset.ends_with('/')) {
    throw InputError(fmt::format("{}: got no name of a dataset, wanted {}:/data or the like", path, file));
  }
  return std::make_unique<Hdf5Sink>(Target{file, target.cancel, target.together}, dataset.empty() ? "/data" : dataset, layout);
}

}  // namespace tamis::io
