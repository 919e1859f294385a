#include "io/hdf5_write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "io/flat.hpp"
#include "io/format.hpp"
#include "io/hdf5_output.hpp"
#include "io/hdf5_session.hpp"
#include "io/temporary_file.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

// About 256 KB for u8, and a layer of chunks of a 2048 x 2048 volume takes 64 MB of cache.
constexpr std::array<hsize_t, 3> usual_chunk{16, 128, 128};

class Hdf5Sink final : public SliceSink {
 public:
  Hdf5Sink(const std::string& file, const std::string& dataset, const Layout& layout)
      : layout_(layout), count_(file, layout.shape.z), temporary_(file) {
    if (temporary_.direct()) temporary_.fail("HDF5 needs a regular file");
    const Hdf5Session session;
    try {
      output_.emplace(temporary_.descriptor());
      file_ = Hdf5Id(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, output_->access()));
      require(file_.valid());
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

  void write(const std::byte* slices, std::int64_t count) override {
    count_.add(count);
    if (count == 0) return;
    const std::int64_t slice = layout_.shape.y * layout_.shape.x;
    if (layout_.type == Type::Bool) {
      buffer_.assign(slices, slices + count * slice);
      for (std::byte& sample : buffer_) sample = sample == std::byte{0} ? std::byte{0} : std::byte{255};
      slices = buffer_.data();
    }
    const Hdf5Session session;
    const std::array<hsize_t, 3> part{static_cast<hsize_t>(count), edge(1), edge(2)};
    const std::array<hsize_t, 3> start{static_cast<hsize_t>(next_), 0, 0};
    const std::size_t skip = 3 - static_cast<std::size_t>(layout_.shape.rank);
    const Hdf5Id file_space(H5Dget_space(dataset_.get()));
    const Hdf5Id memory_space(H5Screate_simple(layout_.shape.rank, part.data() + skip, nullptr));
    require(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data() + skip, nullptr, part.data() + skip,
                                nullptr) >= 0);
    require(H5Dwrite(dataset_.get(), hdf5_type(layout_.type), memory_space.get(), file_space.get(), H5P_DEFAULT,
                     slices) >= 0);
    next_ += count;
  }

  void finish() override {
    count_.require_all();
    {
      const Hdf5Session session;
      const bool closed = dataset_.close() && file_.close();
      require(closed);
    }
    temporary_.commit();
  }

 private:
  [[nodiscard]] hsize_t edge(std::size_t axis) const {
    const std::array<std::int64_t, 3> edges{layout_.shape.z, layout_.shape.y, layout_.shape.x};
    return static_cast<hsize_t>(edges[axis]);
  }

  void close() {
    dataset_.close();
    file_.close();
    output_.reset();
  }

  /// Inside a session only. A write that failed is known to the output alone.
  void require(bool fine) const {
    if (output_ && output_->error() != 0) temporary_.fail(std::strerror(output_->error()));
    if (!fine) temporary_.fail(hdf5_message());
  }

  void create_dataset(const std::string& name) {
    const std::size_t skip = 3 - static_cast<std::size_t>(layout_.shape.rank);
    std::array<hsize_t, 3> edges{};
    std::array<hsize_t, 3> chunk{};
    for (std::size_t i = 0; i < 3; ++i) {
      edges[i] = edge(i);
      chunk[i] = std::min(edges[i], usual_chunk[i]);
    }
    const Hdf5Id space(H5Screate_simple(layout_.shape.rank, edges.data() + skip, nullptr));
    const Hdf5Id properties(H5Pcreate(H5P_DATASET_CREATE));
    require(H5Pset_chunk(properties.get(), layout_.shape.rank, chunk.data() + skip) >= 0);
    H5Pset_shuffle(properties.get());
    H5Pset_deflate(properties.get(), 1);
    const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(links.get(), 1);
    const Hdf5Id access = hdf5_slab_cache(chunk.data() + skip, layout_);
    dataset_ = Hdf5Id(H5Dcreate2(file_.get(), name.c_str(), hdf5_type(layout_.type), space.get(), links.get(),
                                 properties.get(), access.get()));
    require(dataset_.valid());
  }

  void write_spacing() {
    const Spacing& s = layout_.spacing;
    if (!s.known()) return;
    const std::array<double, 3> edges{s.z, s.y, s.x};
    const std::size_t skip = 3 - static_cast<std::size_t>(layout_.shape.rank);
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

  Layout layout_;
  SliceCount count_;
  TemporaryFile temporary_;
  std::optional<Hdf5Output> output_;
  Hdf5Id file_;
  Hdf5Id dataset_;
  std::int64_t next_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::unique_ptr<SliceSink> create_hdf5(const std::string& path, const Layout& layout) {
  require_grey(path, "HDF5", layout);
  const auto [file, dataset] = split_dataset(path);
  if (dataset == "/" || dataset.ends_with('/')) {
    throw InputError(fmt::format("{}: got no name of a dataset, wanted {}:/data or the like", path, file));
  }
  return std::make_unique<Hdf5Sink>(file, dataset.empty() ? "/data" : dataset, layout);
}

}  // namespace tamis::io
