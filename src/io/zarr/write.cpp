// OME-Zarr out: version 0.4 on Zarr 2 and gzip, because nearly all that read any OME-Zarr read this, or 0.5 on Zarr 3.
#include <libdeflate.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/cpu/parallel.hpp"
#include "io/output/output.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/zarr/zarr.hpp"

namespace tamis::io {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// A million samples; a layer of chunks of a 2048 x 2048 volume is 64 MiB for u8, as with HDF5.
constexpr std::array<std::int64_t, 3> volume_chunk{16, 256, 256};
constexpr std::array<std::int64_t, 3> picture_chunk{1, 1024, 1024};
constexpr int level = 1;  // of compression

struct Free {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};

/// The bytes of a gzip file.
std::span<const std::byte> compressed(std::span<const std::byte> samples) {
  thread_local const std::unique_ptr<libdeflate_compressor, Free> compressor(libdeflate_alloc_compressor(level));
  thread_local std::vector<std::byte> packed;
  if (!compressor) throw std::bad_alloc();
  packed.resize(libdeflate_gzip_compress_bound(compressor.get(), samples.size()));
  const std::size_t bytes =
      libdeflate_gzip_compress(compressor.get(), samples.data(), samples.size(), packed.data(), packed.size());
  return std::span(packed).first(bytes);
}

/// As Zarr 2 has it, in this machine's byte order.
std::string dtype(Type type) {
  return fmt::format("{}{}", sample_bytes(type) == 1 ? '|' : native_little ? '<' : '>', numpy_name(type));
}

/// The image as an array of a store.
struct Described {
  std::vector<std::string> axes;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> chunks;
};

OrderedJson array_of_version_2(const Described& described, Type type) {
  return {{"zarr_format", 2},
          {"shape", described.shape},
          {"chunks", described.chunks},
          {"dtype", dtype(type)},
          {"compressor", {{"id", "gzip"}, {"level", level}}},
          {"fill_value", type == Type::Bool ? OrderedJson(false) : OrderedJson(0)},
          {"order", "C"},
          {"filters", nullptr},
          {"dimension_separator", "/"}};
}

/// `configuration` is an object of one member.
OrderedJson extension(const char* name, const char* key, OrderedJson value) {
  return {{"name", name}, {"configuration", {{key, std::move(value)}}}};
}

OrderedJson array_of_version_3(const Described& described, Type type) {
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", described.shape},
          {"data_type", zarr_name(type)},
          {"chunk_grid", extension("regular", "chunk_shape", described.chunks)},
          {"chunk_key_encoding", extension("default", "separator", "/")},
          {"fill_value", type == Type::Bool ? OrderedJson(false) : OrderedJson(0)},
          {"codecs", OrderedJson::array({extension("bytes", "endian", native_little ? "little" : "big"),
                                         extension("gzip", "level", level)})},
          {"attributes", OrderedJson::object()},
          {"dimension_names", described.axes}};
}

std::string text_of(const OrderedJson& json) {
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

/// "scan" of "scan.ome.zarr".
std::string image_name(const std::string& path) {
  std::filesystem::path name(path);
  if (!name.has_filename()) name = name.parent_path();
  name = name.stem();
  return name.extension() == ".ome" ? name.stem().string() : name.string();
}

class ZarrSink final : public SliceSink {
 public:
  ZarrSink(const Target& target, const Layout& layout)
      : layout_(layout),
        together_(target.together),
        folder_(std::make_unique<TemporaryFolder>(target)),
        path_(folder_->path()),
        version_(target.options.ome_zarr.value_or(OmeZarrVersion::V0_4)),
        chunk_(layout.shape.rank == 3 ? volume_chunk : picture_chunk) {
    const Shape& s = layout_.shape;
    const std::array<std::int64_t, 3> shape{s.z, s.y, s.x};
    for (std::size_t i = 0; i < 3; ++i) chunk_[i] = std::min(chunk_[i], shape[i]);
    describe(image_name(target.path));
  }

  void write(const std::byte* slices, std::int64_t count) override {
    if (count > layout_.shape.z - got_) refuse("{}: got {} slices, wanted {}", path_, got_ + count, layout_.shape.z);
    while (count > 0) {
      const std::int64_t layer = std::min(chunk_[0], layout_.shape.z - done_);
      const std::int64_t more = std::min(count, layer - (got_ - done_));
      const std::byte* whole = slices;
      if (more < layer) {  // a layer that comes in parts
        buffer_.resize(static_cast<std::size_t>(layer * slice_bytes()));
        std::memcpy(buffer_.data() + (got_ - done_) * slice_bytes(), slices, static_cast<std::size_t>(more * slice_bytes()));
        whole = buffer_.data();
      }
      got_ += more;
      count -= more;
      slices += more * slice_bytes();
      if (got_ - done_ == layer) write_layer(whole, layer);
    }
  }

  void finish() override {
    if (!folder_) return;
    if (got_ != layout_.shape.z) refuse("{}: got {} slices, wanted {}", path_, got_, layout_.shape.z);
    folder_->complete();
    if (together_) return together_->take(std::move(folder_));
    folder_->publish(false);
    folder_.reset();
  }

 private:
  [[nodiscard]] bool is_volume() const { return layout_.shape.rank == 3; }
  [[nodiscard]] std::int64_t slice_bytes() const {
    return layout_.shape.y * layout_.shape.x * layout_.channels * sample_bytes(layout_.type);
  }
  [[nodiscard]] std::int64_t across(std::size_t axis) const {
    return ((axis == 1 ? layout_.shape.y : layout_.shape.x) - 1) / chunk_[axis] + 1;
  }

  void put(const std::string& key, std::string_view text) { folder_->write(key, std::as_bytes(std::span(text))); }

  void describe(const std::string& name) {
    const Shape& s = layout_.shape;
    Described described;
    const auto add = [&](const char* axis, std::int64_t edge, std::int64_t chunk) {
      described.axes.emplace_back(axis);
      described.shape.push_back(edge);
      described.chunks.push_back(chunk);
    };
    if (layout_.channels > 1) add("c", layout_.channels, 1);
    if (is_volume()) add("z", s.z, chunk_[0]);
    add("y", s.y, chunk_[1]);
    add("x", s.x, chunk_[2]);
    OrderedJson attributes = ome_attributes(version_, name, described.axes, layout_.spacing);
    folder_->make_folder("0");
    if (version_ == OmeZarrVersion::V0_4) {
      put(".zgroup", "{\"zarr_format\": 2}\n");
      put(".zattrs", text_of(attributes));
      put("0/.zarray", text_of(array_of_version_2(described, layout_.type)));
      return;
    }
    OrderedJson group{{"zarr_format", 3}, {"node_type", "group"}};
    group["attributes"] = std::move(attributes);
    put("zarr.json", text_of(group));
    put("0/zarr.json", text_of(array_of_version_3(described, layout_.type)));
    folder_->make_folder("0/c");
  }

  /// Slices done_ .. done_+layer-1.
  void write_layer(const std::byte* slices, std::int64_t layer) {
    const std::int64_t number = done_ / chunk_[0];
    const std::int64_t rows = across(1);
    const std::int64_t columns = across(2);
    for (std::int64_t c = 0; c < layout_.channels; ++c) {
      std::string folder = version_ == OmeZarrVersion::V0_4 ? "0" : "0/c";
      if (layout_.channels > 1) folder_->make_folder(folder += fmt::format("/{}", c));
      if (is_volume()) folder_->make_folder(folder += fmt::format("/{}", number));
      for (std::int64_t y = 0; y < rows; ++y) folder_->make_folder(fmt::format("{}/{}", folder, y));
      parallel_for(Context{}, rows * columns, [&](std::int64_t i) {
        const std::int64_t y = i / columns;
        const std::int64_t x = i % columns;
        folder_->write(fmt::format("{}/{}/{}", folder, y, x), compressed(chunk(slices, layer, c, y, x)));
      });
    }
    done_ += layer;
  }

  /// The samples of a chunk, padded with zeros to its full size.
  std::span<const std::byte> chunk(const std::byte* slices, std::int64_t layer, std::int64_t c, std::int64_t at_y,
                                   std::int64_t at_x) const {
    thread_local std::vector<std::byte> samples;
    const std::int64_t width = sample_bytes(layout_.type);
    samples.assign(static_cast<std::size_t>(chunk_[0] * chunk_[1] * chunk_[2] * width), std::byte{0});
    const Shape& s = layout_.shape;
    const std::int64_t y0 = at_y * chunk_[1];
    const std::int64_t x0 = at_x * chunk_[2];
    const std::int64_t rows = std::min(chunk_[1], s.y - y0);
    const std::int64_t columns = std::min(chunk_[2], s.x - x0);
    const std::int64_t step = layout_.channels * width;
    for (std::int64_t z = 0; z < layer; ++z) {
      for (std::int64_t y = 0; y < rows; ++y) {
        const std::byte* const from = slices + ((z * s.y + y0 + y) * s.x + x0) * step + c * width;
        std::byte* const to = samples.data() + (z * chunk_[1] + y) * chunk_[2] * width;
        copy_row(width, from, step, to, width, columns);
      }
    }
    return samples;
  }

  Layout layout_;
  OutputSet* together_;
  std::unique_ptr<TemporaryFolder> folder_;
  std::string path_;
  OmeZarrVersion version_;
  std::array<std::int64_t, 3> chunk_;
  std::int64_t got_ = 0;   // slices
  std::int64_t done_ = 0;  // of them, in chunks
  std::vector<std::byte> buffer_;
};

/// By its name: reading it comes before (open_path()), because it is a folder.
std::unique_ptr<Source> refuse_file(const std::string& path, const ReadOptions&, const SharedDecoder&) {
  refuse("{}: is a file; wanted a folder that Zarr has written", path);
}

/// An OME-Zarr image of version 0.4, which lies on Zarr 2, or of 0.5 on Zarr 3: one level, chunks of 16x256x256 or
/// 1024x1024, gzip.
std::unique_ptr<SliceSink> create_zarr(const Target& target, const Layout& layout) {
  return std::make_unique<ZarrSink>(target, layout);
}

}  // namespace

extern const Format zarr_format{"Zarr", {".zarr"}, nullptr, refuse_file, create_zarr, false, true};

}  // namespace tamis::io
