#include "io/itk/dicom_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include <tamis/error.hpp>

#include "io/checked.hpp"
#include "io/header_text.hpp"
#include "io/itk/dicom_codestream.hpp"
#include "io/mapped_file.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

using namespace std::string_view_literals;

constexpr std::int64_t preamble = 128;
constexpr std::uint32_t undefined_length = 0xffffffff;
// Sequences within sequences. GDCM takes twice the time for each further one whose length is not told; images have 4.
constexpr int deepest = 16;
// A picture of one colour shrinks beyond any measure in JPEG 2000; only what no codec could reach is refused.
constexpr std::int64_t codec_ratio = 100000;

enum Tag : std::uint32_t {
  transfer_syntax = 0x00020010,
  samples_a_pixel = 0x00280002,
  photometric = 0x00280004,
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
  bool guessed = false;  // of a private element that does not say what it is
};

struct Element {
  std::uint32_t tag = 0;
  bool is_explicit = true;
  bool of_unknown_type = false;  // "UN": what is inside has no types
  bool sequence = false;         // whose items hold elements; others hold pieces of pixel data
  std::uint32_t length = 0;
  std::int64_t value = 0;  // where it starts
};

class Walker {
 public:
  Walker(const std::string& path, std::stop_token cancel) : file_(path), cancel_(std::move(cancel)) {
    if (!is_dicom(file_.text().substr(0, preamble + 4))) {
      throw InputError(fmt::format("{}: no DICOM file; wanted \"DICM\" at byte {}", path, preamble));
    }
    at_ = preamble + 4;
    limit_ = end_ = file_.size();
  }

  DicomFacts check() {
    syntax_ = {};
    while (at_ < file_.size() && peek_group() == 2) keep(next());
    choose_syntax();
    while (at_ < end_) {
      const Element element = next();
      if (element.tag == pixel_data) {
        check_pixels(element);
      } else if (element.length == undefined_length) {
        skip_sequence(element, 0);
      } else {
        if (element.sequence) look_into(element, 0);
        keep(element);
      }
    }
    if (has_pixels()) return facts_;
    throw InputError(
        fmt::format("{}: got a DICOM file of {} bytes without pixel data, wanted an image", path(), file_.size()));
  }

 private:
  [[nodiscard]] const std::string& path() const { return file_.path(); }

  [[nodiscard]] bool has_pixels() const { return facts_.sizes[0] > 0; }

  void require(std::int64_t count) const {
    if (within(at_, count, limit_)) return;
    if (limit_ < file_.size()) {
      throw InputError(
          fmt::format("{}: corrupt DICOM file: got {} bytes at byte {}, wanted {} at most, which a sequence has left",
                      path(), count, at_, limit_ - at_));
    }
    throw InputError(fmt::format("{}: truncated DICOM file: got {} bytes, wanted {} at least", path(), file_.size(),
                                 (Checked(at_) + count).value(path(), "the end of an element")));
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

  /// Is an element that tells its length a sequence? Types are not always there to say so.
  [[nodiscard]] bool starts_with_item(const Element& element) {
    constexpr std::uint32_t tag_and_length = 8;
    if (element.length < tag_and_length) return false;
    const bool little = element.of_unknown_type || syntax_.little;
    return value_of(element).starts_with(little ? "\xfe\xff\x00\xe0"sv : "\xff\xfe\xe0\x00"sv);
  }

  /// Reads tag, type and length; at_ is then at the value.
  Element next() {
    constexpr std::uint32_t batch = 1 << 16;
    if (++elements_ % batch == 0 && cancel_.stop_requested()) throw Cancelled();
    Element element;
    bool may_hold_items = !syntax_.is_explicit;
    bool says_sequence = false;
    const std::uint32_t group = take<std::uint16_t>();
    element.tag = group << 16 | take<std::uint16_t>();
    if (group == 0xfffe || !syntax_.is_explicit) {
      element.length = take<std::uint32_t>();
    } else {
      require(2);
      const std::string_view type = file_.text().substr(static_cast<std::size_t>(at_), 2);
      at_ += 2;
      element.of_unknown_type = type == "UN";
      says_sequence = type == "SQ";
      may_hold_items = says_sequence || element.of_unknown_type;
      constexpr std::string_view long_types = "OB OD OF OL OV OW SQ SV UC UN UR UT UV ";
      if (long_types.find(std::string(type) + ' ') != std::string_view::npos) {
        static_cast<void>(take<std::uint16_t>());
        element.length = take<std::uint32_t>();
      } else {
        element.length = take<std::uint16_t>();
      }
    }
    element.value = at_;
    element.sequence = may_hold_items && element.tag != pixel_data;
    if (element.length == undefined_length) return element;
    require(element.length);
    element.sequence = says_sequence || (element.sequence && starts_with_item(element));
    return element;
  }

  [[nodiscard]] std::string_view value_of(const Element& element) const {
    return file_.text().substr(static_cast<std::size_t>(element.value), element.length);
  }

  /// Keeps the few values that matter and goes behind the element. Readers differ in which of two values counts.
  void keep(const Element& element) {
    const bool is_text =
        element.tag == transfer_syntax || element.tag == number_of_frames || element.tag == photometric;
    const bool is_number = element.tag == samples_a_pixel || element.tag == rows || element.tag == columns ||
                           element.tag == bits_allocated;
    facts_.lengths.note(element.tag, value_of(element));
    if (is_text || is_number) {
      require_first(element, !texts_.contains(element.tag) && !numbers_.contains(element.tag));
      if (is_text) texts_[element.tag] = value_of(element);
      if (is_number && element.length == 2) numbers_[element.tag] = take<std::uint16_t>();
      if (element.tag == photometric) find_inversion(element);
    }
    at_ = element.value + element.length;
  }

  void require_first(const Element& element, bool is_first) const {
    if (is_first) return;
    throw InputError(
        fmt::format("{}: corrupt DICOM file: got the element {:08x} twice, wanted it once", path(), element.tag));
  }

  /// GDCM turns the values of MONOCHROME1 around; the file that it gets will not say so.
  void find_inversion(const Element& element) {
    constexpr std::string_view inverted = "MONOCHROME1";
    if (value_of(element).starts_with(inverted)) facts_.monochrome1 = element.value;
  }

  void choose_syntax() {
    const std::string text = texts_[transfer_syntax];
    const std::string uid = text.substr(0, text.find_first_of(std::string_view(" \0", 2)));
    if (uid == "1.2.840.10008.1.2.1.99") {
      throw InputError(fmt::format("{}: a deflated DICOM file; wanted one with its elements uncompressed", path()));
    }
    coding_ = coding_of(path(), uid);
    syntax_ = {uid != "1.2.840.10008.1.2", uid != "1.2.840.10008.1.2.2"};
  }

  void require_depth(int depth) {
    too_deep_ = depth > deepest;
    if (!too_deep_) return;
    throw InputError(fmt::format("{}: corrupt DICOM file: got more than {} sequences within each other, wanted fewer",
                                 path(), deepest));
  }

  /// A sequence that does not tell its length.
  void skip_sequence(const Element& sequence, int depth) {
    const Syntax outside = syntax_;
    choose_inside(sequence);
    walk_items(sequence, std::numeric_limits<std::int64_t>::max(), depth);
    syntax_ = outside;
  }

  void look_into(const Element& sequence, int depth) {
    within_length(sequence, [&](std::int64_t end) { walk_items(sequence, end, depth); });
  }

  /// Up to `end`, or, where that lies behind the file, to where the sequence says that it ends.
  void walk_items(const Element& sequence, std::int64_t end, int depth) {
    require_depth(depth);
    while (at_ < end) {
      const Element part = next();
      if (part.tag == end_of_sequence && end > file_.size()) return;
      if (part.tag == end_of_sequence) continue;  // some write one although they have told the length
      if (part.tag != item) {
        throw InputError(fmt::format("{}: corrupt DICOM file: got tag {:08x} at byte {}, wanted an item", path(),
                                     part.tag, part.value));
      }
      if (part.length == undefined_length) {
        for (Element inner = next(); inner.tag != end_of_item; inner = next()) pass(inner, depth + 1);
      } else if (sequence.sequence) {
        within_length(part, [&](std::int64_t end_of_part) {
          while (at_ < end_of_part) pass(next(), depth + 1);
        });
      } else {
        at_ = part.value + part.length;
      }
    }
  }

  /// Goes behind an element within a sequence; voxel sizes are noted.
  void pass(const Element& element, int depth) {
    if (element.length == undefined_length) return skip_sequence(element, depth);
    facts_.lengths.note(element.tag, value_of(element));
    if (element.sequence) look_into(element, depth);
    at_ = element.value + element.length;
  }

  /// What is in an element of unknown type is implicit, or, where it is private, whatever somebody liked.
  void choose_inside(const Element& element) {
    if (element.of_unknown_type) syntax_ = {false, true, syntax_.guessed || (element.tag >> 16) % 2 == 1};
  }

  /// Walks what an element holds, no further than it reaches, and goes behind it.
  template <class Walk>
  void within_length(const Element& element, const Walk& walk) {
    const std::int64_t end = element.value + element.length;
    const std::int64_t outside = std::exchange(limit_, end);
    const Syntax syntax = syntax_;
    at_ = element.value;
    choose_inside(element);
    const bool guessed = syntax_.guessed;
    try {
      walk(end);
    } catch (const InputError&) {
      if (too_deep_ || !guessed) throw;
    }
    at_ = end;
    limit_ = outside;
    syntax_ = syntax;
  }

  void check_pixels(const Element& pixels) {
    require_first(pixels, !has_pixels());
    const Layout layout = announced();
    const Shape& shape = layout.shape;
    facts_.sizes = {shape.x, shape.y, shape.z};
    const bool in_pieces = pixels.length == undefined_length;
    if (in_pieces != (coding_ != DicomCoding::None)) {
      throw InputError(
          fmt::format("{}: corrupt DICOM file: got {} pixel data, wanted them {} as the transfer syntax says", path(),
                      in_pieces ? "encapsulated" : "plain", in_pieces ? "plain" : "encapsulated"));
    }
    in_pieces ? check_frames(layout) : check_length(pixels, layout);
    // Some files are filled up with zeros.
    end_ =
        at_ + static_cast<std::int64_t>(file_.text().substr(static_cast<std::size_t>(at_)).find_last_not_of('\0') + 1);
  }

  void check_length(const Element& pixels, const Layout& layout) {
    const std::int64_t bits = numbers_[bits_allocated];
    const Checked all = Checked(bits) * layout.shape.x * layout.shape.y * layout.shape.z;
    const std::int64_t wanted = ((all + 7) / 8).value(path(), "the size of its samples");
    if (bits == 1) facts_.bits_at = pixels.value;
    at_ = pixels.value + pixels.length;
    if (pixels.length == wanted || pixels.length == wanted + wanted % 2) return;  // lengths are even
    throw InputError(fmt::format("{}: got {} bytes of pixel data, wanted {} ({}, {} bits, {} samples a pixel)", path(),
                                 pixels.length, wanted, to_string(layout.shape), bits, layout.channels));
  }

  void check_frames(const Layout& layout) {
    const std::int64_t bits = numbers_[bits_allocated];
    if (bits == 1) {
      throw InputError(fmt::format("{}: DICOM with compressed samples of 1 bit; wanted 8 bits and more", path()));
    }
    check_expansion(path(), layout, file_.size(), codec_ratio);
    CodestreamCheck frames(path(), coding_, layout.shape.z, {layout.shape.x, layout.shape.y, bits});
    bool table = true;  // of offsets: the first item
    for (Element part = next(); part.tag != end_of_sequence; part = next(), table = false) {
      if (part.tag != item || part.length == undefined_length) {
        throw InputError(fmt::format("{}: corrupt DICOM file: got tag {:08x} at byte {}, wanted a piece of an image",
                                     path(), part.tag, part.value));
      }
      if (!table) frames.add(value_of(part));
      at_ = part.value + part.length;
    }
    frames.finish();
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
  std::stop_token cancel_;
  std::uint32_t elements_ = 0;
  std::int64_t at_ = 0;
  std::int64_t limit_ = 0;  // of the file, or of the element whose contents are looked at
  std::int64_t end_ = 0;    // of the last element
  bool too_deep_ = false;
  Syntax syntax_;
  DicomCoding coding_ = DicomCoding::None;
  DicomFacts facts_;
  std::map<std::uint32_t, std::string> texts_;
  std::map<std::uint32_t, std::int64_t> numbers_;
};

}  // namespace

bool is_dicom(std::string_view head) { return head.size() >= preamble + 4 && head.substr(preamble, 4) == "DICM"; }

DicomFacts check_dicom(const std::string& path, const std::stop_token& cancel) { return Walker(path, cancel).check(); }

}  // namespace tamis::io
