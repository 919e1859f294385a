#include "io/itk_dicom_check.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>

#include <tamis/error.hpp>

#include "io/itk_place.hpp"
#include "io/mapped_file.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t preamble = 128;
constexpr std::uint32_t undefined_length = 0xffffffff;
constexpr int deepest = 64;  // sequences within sequences
// A picture of one colour shrinks beyond any measure in JPEG 2000; only what no codec could reach is refused.
constexpr std::int64_t codec_ratio = 100000;

enum Tag : std::uint32_t {
  transfer_syntax = 0x00020010,
  samples_a_pixel = 0x00280002,
  number_of_frames = 0x00280008,
  rows = 0x00280010,
  columns = 0x00280011,
  bits_allocated = 0x00280100,
  pixel_data = 0x7fe00010,
  item = 0xfffee000,
  end_of_item = 0xfffee00d,
  end_of_sequence = 0xfffee0dd
};

struct Syntax {
  bool is_explicit = true;
  bool little = true;
};

struct Element {
  std::uint32_t tag = 0;
  bool is_explicit = true;
  bool of_unknown_type = false;  // "UN": what is inside has no types
  std::uint32_t length = 0;
  std::int64_t value = 0;  // where it starts
};

class Walker {
 public:
  explicit Walker(const std::string& path) : file_(path) {
    if (!is_dicom(file_.text().substr(0, preamble + 4))) {
      throw InputError(fmt::format("{}: no DICOM file; wanted \"DICM\" at byte {}", path, preamble));
    }
    at_ = preamble + 4;
  }

  void check() {
    syntax_ = {};
    while (at_ < file_.size() && peek_group() == 2) keep(next());
    choose_syntax();
    while (at_ < file_.size()) {
      const Element element = next();
      if (element.tag == pixel_data) return check_pixels(element);
      if (element.length == undefined_length) {
        skip_sequence(element, 0);
      } else {
        keep(element);
      }
    }
    throw InputError(
        fmt::format("{}: got a DICOM file of {} bytes without pixel data, wanted an image", path(), file_.size()));
  }

 private:
  [[nodiscard]] const std::string& path() const { return file_.path(); }

  void require(std::int64_t count) const {
    if (count <= file_.size() - at_) return;
    throw InputError(
        fmt::format("{}: truncated DICOM file: got {} bytes, wanted {} at least", path(), file_.size(), at_ + count));
  }

  template <class T>
  T take() {
    require(sizeof(T));
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), file_.data() + at_, sizeof(T));
    if (syntax_.little != native_little) std::reverse(bytes.begin(), bytes.end());
    at_ += static_cast<std::int64_t>(sizeof(T));
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  [[nodiscard]] int peek_group() {
    const std::int64_t here = at_;
    const int group = take<std::uint16_t>();
    at_ = here;
    return group;
  }

  /// Reads tag, type and length; at_ is then at the value.
  Element next() {
    Element element;
    const std::uint32_t group = take<std::uint16_t>();
    element.tag = group << 16 | take<std::uint16_t>();
    if (group == 0xfffe || !syntax_.is_explicit) {
      element.length = take<std::uint32_t>();
    } else {
      require(2);
      const std::string_view type = file_.text().substr(static_cast<std::size_t>(at_), 2);
      at_ += 2;
      element.of_unknown_type = type == "UN";
      constexpr std::string_view long_types = "OB OD OF OL OV OW SQ SV UC UN UR UT UV ";
      if (long_types.find(std::string(type) + ' ') != std::string_view::npos) {
        static_cast<void>(take<std::uint16_t>());
        element.length = take<std::uint32_t>();
      } else {
        element.length = take<std::uint16_t>();
      }
    }
    element.value = at_;
    if (element.length != undefined_length) require(element.length);
    return element;
  }

  /// Keeps the few values that matter and goes behind the element.
  void keep(const Element& element) {
    at_ = element.value + element.length;
    if (element.tag == transfer_syntax || element.tag == number_of_frames) {
      texts_[element.tag] = file_.text().substr(static_cast<std::size_t>(element.value), element.length);
    } else if (element.length == 2) {
      const std::int64_t end = at_;
      at_ = element.value;
      numbers_[element.tag] = take<std::uint16_t>();
      at_ = end;
    }
  }

  void choose_syntax() {
    const std::string text = texts_[transfer_syntax];
    const std::string uid = text.substr(0, text.find_first_of(std::string_view(" \0", 2)));
    if (uid == "1.2.840.10008.1.2.1.99") {
      throw InputError(fmt::format("{}: a deflated DICOM file; wanted one with its elements uncompressed", path()));
    }
    syntax_ = {uid != "1.2.840.10008.1.2", uid != "1.2.840.10008.1.2.2"};
  }

  /// Items up to the end of the sequence, which the sequence itself does not tell.
  void skip_sequence(const Element& sequence, int depth) {
    if (depth > deepest)
      throw InputError(
          fmt::format("{}: corrupt DICOM file: got more than {} sequences within each "
                      "other, wanted fewer",
                      path(), deepest));
    const Syntax outside = syntax_;
    if (sequence.of_unknown_type) syntax_ = {false, true};
    for (Element part = next(); part.tag != end_of_sequence; part = next()) {
      if (part.tag != item) {
        throw InputError(fmt::format("{}: corrupt DICOM file: got tag {:08x} at byte {}, wanted an item", path(),
                                     part.tag, part.value));
      }
      if (part.length == undefined_length) {
        skip_item(depth);
      } else {
        at_ = part.value + part.length;
      }
    }
    syntax_ = outside;
  }

  void skip_item(int depth) {
    for (Element inner = next(); inner.tag != end_of_item; inner = next()) {
      if (inner.length == undefined_length) {
        skip_sequence(inner, depth + 1);
      } else {
        at_ = inner.value + inner.length;
      }
    }
  }

  void check_pixels(const Element& pixels) {
    const Layout layout = announced();
    const std::int64_t bits = numbers_[bits_allocated] * layout.shape.count() * layout.channels;
    const std::int64_t wanted = (bits + 7) / 8;
    if (pixels.length != undefined_length) {
      if (pixels.length == wanted || pixels.length == wanted + wanted % 2) return;  // lengths are even
      throw InputError(fmt::format("{}: got {} bytes of pixel data, wanted {} ({}, {} bits, {} samples a pixel)",
                                   path(), pixels.length, wanted, to_string(layout.shape), numbers_[bits_allocated],
                                   layout.channels));
    }
    check_expansion(path(), layout, file_.size(), codec_ratio);
    std::int64_t fragments = 0;
    for (Element part = next(); part.tag != end_of_sequence; part = next(), ++fragments) {
      if (part.tag != item || part.length == undefined_length) {
        throw InputError(fmt::format("{}: corrupt DICOM file: got tag {:08x} at byte {}, wanted a piece of an image",
                                     path(), part.tag, part.value));
      }
      at_ = part.value + part.length;
    }
    // The first item is the table of offsets.
    if (fragments < 2) throw InputError(fmt::format("{}: got a DICOM file without a frame, wanted one", path()));
  }

  /// What the elements before the pixels say of them.
  Layout announced() {
    Layout layout;
    layout.shape = {1, numbers_[rows], numbers_[columns], 3};
    if (const auto frames = texts_.find(number_of_frames); frames != texts_.end()) {
      const std::string text = frames->second.substr(0, frames->second.find('\0'));
      if (!trimmed(text).empty()) layout.shape.z = whole_number(path(), "NumberOfFrames", text);
    }
    const std::int64_t samples = numbers_.contains(samples_a_pixel) ? numbers_[samples_a_pixel] : 1;
    if (samples != 1) {
      throw InputError(fmt::format("{}: DICOM with {} samples a pixel (colour); wanted grey", path(), samples));
    }
    const std::int64_t bits = numbers_[bits_allocated];
    if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      throw InputError(fmt::format("{}: DICOM with {} bits a sample; wanted 1, 8, 16, 32 or 64", path(), bits));
    }
    // GDCM turns the bytes of these samples only, and says nothing of the others (retired in any case).
    if (!syntax_.little && bits != 16) {
      throw InputError(
          fmt::format("{}: DICOM with {} bits a sample, big endian; wanted 16 bits or little endian", path(), bits));
    }
    layout.type = bits <= 8 ? Type::U8 : bits == 16 ? Type::U16 : bits == 32 ? Type::U32 : Type::U64;
    static_cast<void>(checked_bytes(path(), layout));
    return layout;
  }

  MappedFile file_;
  std::int64_t at_ = 0;
  Syntax syntax_;
  std::map<std::uint32_t, std::string> texts_;
  std::map<std::uint32_t, std::int64_t> numbers_;
};

}  // namespace

bool is_dicom(std::string_view head) { return head.size() >= preamble + 4 && head.substr(preamble, 4) == "DICM"; }

void check_dicom(const std::string& path) { Walker(path).check(); }

}  // namespace tamis::io
