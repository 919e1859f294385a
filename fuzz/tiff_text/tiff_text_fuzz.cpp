// The description of a TIFF, in which ImageJ and OME say what the pages are: a file of three pages around any text.
#include <algorithm>
#include <array>
#include <vector>

#include <tamis/error.hpp>

#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

namespace {

class TiffWriter {
 public:
  /// Little endian, pages of 2x2 bytes; the samples and the text lie in front of the directories.
  explicit TiffWriter(tamis::fuzz::Bytes text) : text_bytes_(static_cast<std::uint32_t>(text.size()) + 1) {
    file_ = {'I', 'I', 42, 0, 0, 0, 0, 0, 1, 2, 3, 4};
    file_.insert(file_.end(), text.begin(), text.end());
    file_.resize(file_.size() + 1 + (file_.size() + 1) % 2);
    next_ = 4;
  }

  void add_page() {
    const auto at = static_cast<std::uint32_t>(file_.size());
    for (std::uint32_t i = 0; i < 4; ++i) file_[next_ + i] = static_cast<std::uint8_t>(at >> (8 * i));
    put(entries, 2);
    entry(256, 4, 1, 2);  // width
    entry(257, 4, 1, 2);  // height
    entry(258, 3, 1, 8);  // bits
    entry(259, 3, 1, 1);  // no compression
    entry(262, 3, 1, 1);  // black is zero
    entry(270, 2, text_bytes_, samples + 4);
    entry(273, 4, 1, samples);
    entry(277, 3, 1, 1);
    entry(278, 4, 1, 2);
    entry(279, 4, 1, 4);
    entry(296, 3, 1, 3);  // the unit of a resolution: centimetres
    next_ = file_.size();
    put(0, 4);
  }

  [[nodiscard]] const std::vector<std::uint8_t>& file() const { return file_; }

 private:
  static constexpr std::uint32_t samples = 8;
  static constexpr std::uint32_t entries = 11;

  void put(std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void entry(std::uint32_t tag, std::uint32_t type, std::uint32_t count, std::uint32_t value) {
    put(tag, 2);
    put(type, 2);
    put(count, 4);
    put(value, 4);
  }

  std::uint32_t text_bytes_;
  std::size_t next_;
  std::vector<std::uint8_t> file_;
};

}  // namespace

TAMIS_FUZZ_TARGET(tiff_text) {
  static tamis::fuzz::InputFile file("input.tif");
  // A text of up to four bytes would lie in its entry.
  if (bytes.size() < 4) return;
  TiffWriter writer(bytes);
  for (int page = 0; page < 3; ++page) writer.add_page();
  file.put(writer.file());
  try {
    tamis::fuzz::read_all(file.path());
  } catch (const tamis::InputError&) {  // several times or channels: one has to be chosen
    tamis::ReadOptions options;
    options.time = 1;
    options.channel = "1";
    tamis::fuzz::read_all(file.path(), options);
  }
}
