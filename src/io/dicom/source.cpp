#include "io/dicom/dicom.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/visit_type.hpp"
#include "io/checked.hpp"
#include "io/confined/process.hpp"
#include "io/medical/medical.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

/// Samples whose bits are some of those allocated for them, in place: the others may hold anything.
void take_bits(Type type, std::byte* samples, std::int64_t count, int lowest, int bits) {
  const int above = 8 * static_cast<int>(sample_bytes(type)) - bits;
  if (above == 0) return;
  visit_type(type, [&]<class Sample>(Sample) {
    if constexpr (std::is_integral_v<Sample>) {
      using Bits = std::make_unsigned_t<Sample>;
      const std::byte* const end = samples + count * static_cast<std::int64_t>(sizeof(Sample));
      for (std::byte* at = samples; at < end; at += sizeof(Sample)) {
        const auto high = static_cast<Bits>(static_cast<Bits>(number_at<Bits>(at, false) >> lowest) << above);
        const auto value = static_cast<Sample>(static_cast<Sample>(high) >> above);  // with its sign
        std::memcpy(at, &value, sizeof value);
      }
    }
  });
}

class SlicesSource final : public Source {
 public:
  SlicesSource(const std::string& path, const Layout& layout, std::string description, std::vector<DicomFile> files,
               std::vector<DicomSlice> slices, const ReadOptions& options)
      : Source(path, layout, std::move(description)),
        files_(std::move(files)),
        slices_(std::move(slices)),
        cancel_(options.cancel),
        gdcm_(Decoders::Dicom, options) {
    for (const DicomFile& file : files_) also_reads({file.path});
  }

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    for (std::int64_t z = z0; z < z0 + count; ++z, out += slice_bytes()) {
      if (cancel_.stop_requested()) throw Cancelled();
      const DicomSlice& slice = slices_[static_cast<std::size_t>(z)];
      const DicomFile& file = files_[slice.file];
      stored_.resize(static_cast<std::size_t>(samples() * sample_bytes(file.facts.type)));
      file.facts.samples_at >= 0 ? copy(file, slice) : decode(file, slice);
      if (!file.facts.lut.values.empty()) {
        file.facts.lut.look_up(file.facts.type, stored_.data(), samples(), layout().type, out);
      } else if (file.facts.type == layout().type && slice.slope == 1 && slice.intercept == 0) {
        std::memcpy(out, stored_.data(), stored_.size());
      } else if (!rescale(file.facts.type, stored_.data(), samples(), slice.slope, slice.intercept, layout().type,
                          out)) {
        refuse("{}: got samples of more bits than the {} that its elements say, wanted no more", file.path,
               file.facts.bits_stored);
      }
    }
  }

  [[nodiscard]] std::int64_t samples() const { return layout().shape.y * layout().shape.x; }

  /// Uncompressed samples.
  void copy(const DicomFile& file, const DicomSlice& slice) {
    if (loaded_ != slice.file) mapped_.reset();
    const std::int64_t width = sample_bytes(file.facts.type);
    const Checked bits = Checked(samples()) * (file.facts.packed ? 1 : 8 * width);
    const Checked first = Checked(slice.frame) * bits;
    if (!mapped_) {
      mapped_.emplace(file.path);
      const Checked behind = file.facts.samples_at + (bits * file.facts.sizes[2] + 7) / 8;
      if (file.facts.deflated_at >= 0) mapped_->inflate(file.facts.deflated_at, behind.value_or(0), cancel_);
    }
    loaded_ = slice.file;
    if (!within(file.facts.samples_at, (first + bits + 7) / 8, mapped_->size())) {
      refuse("{}: the file has changed since it was opened", file.path);
    }
    const std::byte* const from = mapped_->data() + file.facts.samples_at;
    if (file.facts.packed) return unpack(from, first.value_or(0));
    std::memcpy(stored_.data(), from + first.value_or(0) / 8, stored_.size());
    if (file.facts.swapped) swap_bytes(stored_.data(), samples(), width);
    take_bits(file.facts.type, stored_.data(), samples(), file.facts.lowest_bit, file.facts.bits_stored);
  }

  /// Samples of one bit, the first in the lowest: 0 or 255.
  void unpack(const std::byte* bits, std::int64_t first) {
    for (std::int64_t i = 0; i < samples(); ++i) {
      const std::int64_t at = first + i;
      const bool set = (bits[at / 8] >> (at % 8) & std::byte{1}) != std::byte{0};
      stored_[static_cast<std::size_t>(i)] = set ? std::byte{255} : std::byte{0};
    }
  }

  void decode(const DicomFile& file, const DicomSlice& slice) {
    if (loaded_ != slice.file || decoded_.empty()) {
      loaded_ = nothing;
      const auto& [x, y, z] = file.facts.sizes;
      if (decoded_.type() != file.facts.type || decoded_.shape() != Shape{z, y, x, 3}) {
        decoded_ = Image(file.facts.type, {z, y, x, 3});
      }
      ask_gdcm(file);
      loaded_ = slice.file;
    }
    const auto bytes = static_cast<std::int64_t>(stored_.size());
    std::memcpy(stored_.data(), decoded_.data() + slice.frame * bytes, stored_.size());
    if (is_signed(file.facts.type)) take_bits(file.facts.type, stored_.data(), samples(), 0, file.facts.bits_stored);
  }

  /// All samples of a file, as they are stored.
  void ask_gdcm(const DicomFile& file) {
    const Type type = file.facts.type;
    gdcm_.begin(file.path, file_length(file.path), decoded_.bytes());
    gdcm_.ask(file.path, DicomQuestion{sample_bytes(type), is_signed(type), file.facts.sizes});
    gdcm_.require(gdcm_.wire().receive(decoded_.data(), static_cast<std::size_t>(decoded_.bytes())));
  }

  static constexpr std::size_t nothing = SIZE_MAX;

  std::vector<DicomFile> files_;
  std::vector<DicomSlice> slices_;
  std::stop_token cancel_;
  DecoderProcess gdcm_;
  std::optional<DicomBytes> mapped_;
  Image decoded_;
  std::size_t loaded_ = nothing;  // the file that is mapped or decoded
  std::vector<std::byte> stored_;
};

}  // namespace

void DicomBytes::inflate(std::int64_t start, std::int64_t most, const std::stop_token& cancel) {
  if (!inflater_) {
    inflated_ = file_.text().substr(0, static_cast<std::size_t>(start));
    inflater_.emplace(file_, start, cancel, Packing::RawDeflate);
  }
  // Memory grows with what has come: what a file says of its size costs nothing.
  constexpr std::int64_t least = std::int64_t{1} << 20;
  whole_ = false;
  for (std::int64_t held = size(); !whole_ && held < most; held = size()) {
    const std::int64_t wanted = std::min(most - held, std::max(held, least));
    inflated_.resize(static_cast<std::size_t>(held + wanted));
    const std::int64_t got = inflater_->read(reinterpret_cast<std::byte*>(inflated_.data()) + held, wanted);
    inflated_.resize(static_cast<std::size_t>(held + got));
    whole_ = got < wanted;
  }
}

std::unique_ptr<Source> open_slices(const std::string& path, const Layout& layout, std::string description,
                                    std::vector<DicomFile> files, std::vector<DicomSlice> slices,
                                    const ReadOptions& options) {
  return std::make_unique<SlicesSource>(path, layout, std::move(description), std::move(files), std::move(slices),
                                        options);
}

}  // namespace tamis::io
