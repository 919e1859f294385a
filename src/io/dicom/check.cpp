#include "io/dicom/dicom.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "io/checked.hpp"
#include "io/header_text.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

using namespace std::string_view_literals;

constexpr std::int64_t preamble = 128;
constexpr std::uint32_t undefined_length = 0xffffffff;
// Sequences within sequences. GDCM takes twice the time for each further one whose length is not told; images have 4.
constexpr int deepest = 16;
// Frames that have elements of their own: scanners make some thousands.
constexpr std::int64_t most_groups = std::int64_t{1} << 20;
// A picture of one colour shrinks beyond any measure in JPEG 2000; only what no codec could reach is refused.
constexpr std::int64_t codec_ratio = 100000;
// Of a deflated file: elements before its pixels, and as much behind these.
constexpr std::int64_t most_elements = std::int64_t{64} << 20;

enum Tag : std::uint32_t {
  transfer_syntax = 0x00020010,
  ultrasound_regions = 0x00186011,
  series_uid = 0x0020000e,
  instance_number = 0x00200013,
  plane_position = 0x00209113,
  plane_orientation = 0x00209116,
  samples_a_pixel = 0x00280002,
  photometric = 0x00280004,
  number_of_frames = 0x00280008,
  rows = 0x00280010,
  columns = 0x00280011,
  bits_allocated = 0x00280100,
  bits_stored = 0x00280101,
  high_bit = 0x00280102,
  pixel_representation = 0x00280103,
  modality_lut = 0x00283000,
  pixel_measures = 0x00289110,
  pixel_value_transformation = 0x00289145,
  grid_frame_offsets = 0x3004000c,
  shared_groups = 0x52009229,
  frame_groups = 0x52009230,
  float_pixel_data = 0x7fe00008,
  double_pixel_data = 0x7fe00009,
  pixel_data = 0x7fe00010,
  item = 0xfffee000,
  end_of_item = 0xfffee00d,
  end_of_sequence = 0xfffee0dd
};

bool is_pixels(std::uint32_t tag) { return tag == pixel_data || tag == float_pixel_data || tag == double_pixel_data; }

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
      refuse("{}: no DICOM file; wanted \"DICM\" at byte {}", path, preamble);
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
      if (is_pixels(element.tag)) {
        check_pixels(element);
      } else if (element.length == undefined_length) {
        skip_sequence(element, 0);
      } else {
        if (element.sequence) look_into(element, 0);
        keep(element);
      }
    }
    if (has_pixels()) return found();
    refuse("{}: got a DICOM file of {} bytes without pixel data, wanted an image", path(), file_.size());
  }

 private:
  [[nodiscard]] const std::string& path() const { return file_.path(); }

  [[nodiscard]] bool has_pixels() const { return facts_.sizes[0] > 0; }

  void require(std::int64_t count) const {
    if (within(at_, count, limit_)) return;
    if (limit_ < file_.size()) {
      refuse("{}: corrupt DICOM file: got {} bytes at byte {}, wanted {} at most, which a sequence has left", path(),
             count, at_, limit_ - at_);
    }
    if (!file_.whole()) too_much_deflated();
    refuse("{}: truncated DICOM file: got {} bytes, wanted {} at least", path(), file_.size(),
           (Checked(at_) + count).value(path(), "the end of an element"));
  }

  /// What is deflated is inflated up to there.
  void inflate(std::int64_t most) {
    file_.inflate(facts_.deflated_at, most, cancel_);
    limit_ = end_ = file_.size();
  }

  [[noreturn]] void too_much_deflated() const {
    refuse(
        "{}: a deflated DICOM file with more than {} bytes in it, wanted no more than pixel data and {} MiB of "
        "elements",
        path(), file_.size(), most_elements >> 20);
  }

  template <class T>
  T take() {
    require(sizeof(T));
    at_ += static_cast<std::int64_t>(sizeof(T));
    return number_at<T>(file_.data() + at_ - sizeof(T), syntax_.little != native_little);
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
    element.sequence = may_hold_items && !is_pixels(element.tag);
    if (element.length == undefined_length) return element;
    if (!file_.whole() && inside_.empty() && is_pixels(element.tag)) {
      inflate((Checked(at_) + pixel_bytes(announced(element.tag)) + most_elements)
                  .value(path(), "the size of its samples"));
      if (!file_.whole()) too_much_deflated();
    }
    require(element.length);
    element.sequence = says_sequence || (element.sequence && starts_with_item(element));
    return element;
  }

  [[nodiscard]] std::string_view value_of(const Element& element) const {
    return file_.text().substr(static_cast<std::size_t>(element.value), element.length);
  }

  /// Keeps the few values that matter and goes behind the element. Readers differ in which of two values counts.
  void keep(const Element& element) {
    constexpr std::array texts{transfer_syntax, series_uid,       instance_number,
                               photometric,     number_of_frames, grid_frame_offsets};
    constexpr std::array numbers{samples_a_pixel,     rows, columns, bits_allocated, bits_stored, high_bit,
                                 pixel_representation};
    const bool is_text = std::find(texts.begin(), texts.end(), element.tag) != texts.end();
    const bool is_number = std::find(numbers.begin(), numbers.end(), element.tag) != numbers.end();
    facts_.values.note(path(), element.tag, value_of(element));
    if (is_text || is_number) {
      if (texts_.contains(element.tag) || numbers_.contains(element.tag)) refuse_second(path(), element.tag);
      if (is_text) texts_[element.tag] = value_of(element);
      if (is_number && element.length == 2) numbers_[element.tag] = take<std::uint16_t>();
    }
    at_ = element.value + element.length;
  }

  void choose_syntax() {
    const std::string text = texts_[transfer_syntax];
    const std::string uid = text.substr(0, text.find_first_of(std::string_view(" \0", 2)));
    if (uid == "1.2.840.10008.1.2.1.99") {
      facts_.deflated_at = at_;
      inflate((Checked(at_) + most_elements).value(path(), "its length"));
    }
    coding_ = coding_of(path(), uid);
    syntax_ = {uid != "1.2.840.10008.1.2", uid != "1.2.840.10008.1.2.2"};
  }

  void require_depth(int depth) {
    too_deep_ = depth > deepest;
    if (!too_deep_) return;
    refuse("{}: corrupt DICOM file: got more than {} sequences within each other, wanted fewer", path(), deepest);
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
    inside_.push_back(sequence.tag);
    while (at_ < end) {
      const Element part = next();
      if (part.tag == end_of_sequence && end > file_.size()) break;
      if (part.tag == end_of_sequence) continue;  // some write one although they have told the length
      if (part.tag != item) {
        refuse("{}: corrupt DICOM file: got tag {:08x} at byte {}, wanted an item", path(), part.tag, part.value);
      }
      if (inside_ == Path{frame_groups}) begin_frame();
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
    inside_.pop_back();
  }

  /// The next item of what the frames say. An empty one is 8 bytes in the file and 200 here.
  void begin_frame() {
    facts_.frames.emplace_back();
    const auto count = static_cast<std::int64_t>(facts_.frames.size());
    if (count > frames_announced() || count > most_groups) wrong_groups();
  }

  [[noreturn]] void wrong_groups() {
    refuse("{}: corrupt DICOM file: got groups of elements for {}{} frames, wanted {}", path(), facts_.frames.size(),
           has_pixels() ? "" : " or more", std::min(frames_announced(), most_groups));
  }

  /// What a group of elements says of all frames, or of one.
  void note_inside(const Element& element) {
    if (inside_ == Path{ultrasound_regions}) regions_.note(element.tag, value_of(element), syntax_.little);
    if (inside_ == Path{modality_lut}) lut_.note(path(), element.tag, value_of(element), syntax_.little);
    if (inside_.size() != 2) return;
    constexpr std::array groups{plane_position, plane_orientation, pixel_measures, pixel_value_transformation};
    if (std::find(groups.begin(), groups.end(), inside_.back()) == groups.end()) return;
    if (inside_.front() == shared_groups) shared_.note(path(), element.tag, value_of(element));
    if (inside_.front() == frame_groups) facts_.frames.back().note(path(), element.tag, value_of(element));
  }

  /// Goes behind an element within a sequence; what it says of frames is noted.
  void pass(const Element& element, int depth) {
    if (element.length == undefined_length) return skip_sequence(element, depth);
    note_inside(element);
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
    const std::size_t depth = inside_.size();
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
    inside_.resize(depth);
  }

  void check_pixels(const Element& pixels) {
    if (has_pixels()) refuse_second(path(), pixels.tag);
    const Layout layout = announced(pixels.tag);
    const Shape& shape = layout.shape;
    facts_.sizes = {shape.x, shape.y, shape.z};
    const bool in_pieces = pixels.length == undefined_length;
    if (in_pieces != (coding_ != DicomCoding::None)) {
      refuse("{}: corrupt DICOM file: got {} pixel data, wanted them {} as the transfer syntax says", path(),
             in_pieces ? "encapsulated" : "plain", in_pieces ? "plain" : "encapsulated");
    }
    in_pieces ? check_frames(layout) : check_length(pixels, layout);
    // Some files are filled up with zeros.
    end_ =
        at_ + static_cast<std::int64_t>(file_.text().substr(static_cast<std::size_t>(at_)).find_last_not_of('\0') + 1);
  }

  void check_length(const Element& pixels, const Layout& layout) {
    const std::int64_t bits = numbers_[bits_allocated];
    const std::int64_t wanted = pixel_bytes(layout);
    facts_.samples_at = pixels.value;
    facts_.swapped = bits > 8 && syntax_.little != native_little;
    at_ = pixels.value + pixels.length;
    if (pixels.length == wanted || pixels.length == wanted + wanted % 2) return;  // lengths are even
    refuse("{}: got {} bytes of pixel data, wanted {} ({}, {} bits, {} samples a pixel)", path(), pixels.length, wanted,
           to_string(layout.shape), bits, layout.channels);
  }

  /// Of samples that are not compressed.
  std::int64_t pixel_bytes(const Layout& layout) {
    const Checked all = Checked(numbers_[bits_allocated]) * layout.shape.x * layout.shape.y * layout.shape.z;
    return ((all + 7) / 8).value(path(), "the size of its samples");
  }

  void check_frames(const Layout& layout) {
    const std::int64_t bits = numbers_[bits_allocated];
    if (bits == 1) refuse("{}: DICOM with compressed samples of 1 bit; wanted 8 bits and more", path());
    check_expansion(path(), layout, file_.size(), codec_ratio);
    CodestreamCheck frames(path(), coding_, layout.shape.z, {layout.shape.x, layout.shape.y, bits});
    bool table = true;  // of offsets: the first item
    for (Element part = next(); part.tag != end_of_sequence; part = next(), table = false) {
      if (part.tag != item || part.length == undefined_length) {
        refuse("{}: corrupt DICOM file: got tag {:08x} at byte {}, wanted a piece of an image", path(), part.tag,
               part.value);
      }
      if (!table) frames.add(value_of(part));
      at_ = part.value + part.length;
    }
    frames.finish();
  }

  /// What the elements before the pixels say of them.
  Layout announced(std::uint32_t tag) {
    Layout layout;
    layout.shape = {1, numbers_[rows], numbers_[columns], 3};
    layout.shape.z = frames_announced();
    const std::int64_t samples = numbers_.contains(samples_a_pixel) ? numbers_[samples_a_pixel] : 1;
    if (samples != 1) refuse("{}: DICOM with {} samples a pixel (colour); wanted grey", path(), samples);
    const std::int64_t bits = numbers_[bits_allocated];
    if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      refuse("{}: DICOM with {} bits a sample; wanted 1, 8, 16, 32 or 64", path(), bits);
    }
    const std::string_view colours = dicom_text(texts_[photometric]);
    if (!colours.empty() && !colours.starts_with("MONOCHROME")) {
      refuse("{}: DICOM of colours ({}); wanted grey, MONOCHROME1 or MONOCHROME2", path(), shown(colours));
    }
    layout.type = facts_.type = choose_type(bits, tag);
    static_cast<void>(checked_bytes(path(), layout));
    return layout;
  }

  Type choose_type(std::int64_t bits, std::uint32_t tag) {
    if (tag != pixel_data) {
      const std::int64_t wanted = tag == float_pixel_data ? 32 : 64;
      facts_.bits_stored = static_cast<int>(wanted);
      if (bits == wanted) return wanted == 32 ? Type::F32 : Type::F64;
      refuse("{}: DICOM of floats with {} bits a sample, wanted {}", path(), bits, wanted);
    }
    const std::int64_t is_signed = numbers_.contains(pixel_representation) ? numbers_[pixel_representation] : 0;
    const std::int64_t stored = numbers_.contains(bits_stored) ? numbers_[bits_stored] : bits;
    if (is_signed > 1 || stored < 1 || stored > bits) {
      refuse("{}: DICOM with {} of {} bits stored, pixel representation {}; wanted 1 to {} bits, representation 0 or 1",
             path(), stored, bits, is_signed, bits);
    }
    const std::int64_t highest = numbers_.contains(high_bit) ? numbers_[high_bit] : stored - 1;
    facts_.packed = bits == 1;
    facts_.bits_stored = bits == 1 ? 8 : static_cast<int>(stored);
    if (highest >= stored && highest < bits) facts_.lowest_bit = static_cast<int>(highest + 1 - stored);
    return *type_of_kind(is_signed == 1 && bits > 1 ? 'i' : 'u', bits == 1 ? 1 : static_cast<std::uint64_t>(bits) / 8);
  }

  std::int64_t frames_announced() {
    const std::string_view text = dicom_text(texts_[number_of_frames]);
    return text.empty() ? 1 : whole_number(path(), "NumberOfFrames", text);
  }

  /// All that was found, once the end is reached.
  DicomFacts found() {
    facts_.series = dicom_text(texts_[series_uid]);
    facts_.number = dicom_text(texts_[instance_number]);
    if (!facts_.frames.empty() && static_cast<std::int64_t>(facts_.frames.size()) != facts_.sizes[2]) wrong_groups();
    shared_.fill_from(facts_.values);
    facts_.values = shared_;
    facts_.lut = lut_.table(path(), is_signed(facts_.type));
    if (!facts_.lut.values.empty() && (facts_.packed || facts_.type == Type::F32 || facts_.type == Type::F64)) {
      refuse("{}: DICOM of {} with a Modality LUT, wanted whole numbers of 8 bits and more", path(),
             facts_.packed ? "bits" : "floats");
    }
    if (!facts_.values.edges) facts_.values.edges = regions_.edges();
    const auto frames = static_cast<std::size_t>(facts_.sizes[2]);
    const auto offsets = dicom_numbers(texts_[grid_frame_offsets], frames);
    if (offsets && offsets->size() == frames) facts_.offsets = *offsets;
    return std::move(facts_);
  }

  DicomBytes file_;
  std::stop_token cancel_;
  std::uint32_t elements_ = 0;
  std::int64_t at_ = 0;
  std::int64_t limit_ = 0;  // of the file, or of the element whose contents are looked at
  std::int64_t end_ = 0;    // of the last element
  bool too_deep_ = false;
  Syntax syntax_;
  DicomCoding coding_ = DicomCoding::None;
  using Path = std::vector<std::uint32_t>;
  Path inside_;  // the sequences around at_
  DicomFacts facts_;
  DicomValues shared_;
  UltrasoundRegions regions_;
  ModalityLutElements lut_;
  std::map<std::uint32_t, std::string> texts_;
  std::map<std::uint32_t, std::int64_t> numbers_;
};

}  // namespace

bool is_dicom(std::string_view head) { return head.size() >= preamble + 4 && head.substr(preamble, 4) == "DICM"; }

DicomFacts check_dicom(const std::string& path, const std::stop_token& cancel) { return Walker(path, cancel).check(); }

}  // namespace tamis::io
