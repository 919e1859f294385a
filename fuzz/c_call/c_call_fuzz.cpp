// Calls of the C interface: which operation, on views of which size, strides and type, with which parameters, written
// where. The first bytes are numbers (Head), the rest are lines: name, value, name, value.
//
// What holds: a call ends in a result or in one line; a view is read wherever its samples lie as it is read dense; what
// is written into memory of the caller is what a result has, and nothing beside it is written.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tamis/tamis.h>
#include <nlohmann/json.hpp>

#include "fuzz/harness.hpp"

namespace {

using tamis::fuzz::Bytes;
using tamis::fuzz::expect;
using Numbers = std::array<std::int64_t, 3>;
__extension__ using Wide = __int128;

constexpr std::size_t pages = 8;
constexpr std::size_t head_bytes = 32;
constexpr std::uint8_t mark = 0x5a;

/// Memory between two pages that nobody may touch.
class Field {
 public:
  Field() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* const all = mmap(nullptr, (pages + 2) * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<std::uint8_t*>(all) + page_;
    if (mprotect(begin_, size(), PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  [[nodiscard]] std::uint8_t* begin() const { return begin_; }
  [[nodiscard]] std::size_t size() const { return pages * page_; }

 private:
  std::size_t page_;
  std::uint8_t* begin_ = nullptr;
};

/// How a view of the caller lies in a field.
struct Lie {
  Numbers size{}, stride{};
  bool at_end = false;  ///< its last byte is the last of the field, else its first the first
};

/// What a call is made of.
struct Head {
  const std::string* operation = nullptr;
  std::size_t taken = 0;  ///< images
  std::int32_t type = 0, rank = 2, out_type = 0;
  Lie image, out;
  bool twice = false;      ///< also with memory for the result
  bool on_itself = false;  ///< which is the image's own
  std::array<double, 3> spacing{};
};

struct Described {
  std::vector<std::string> names;
  std::vector<std::size_t> takes;
};

const Described& described() {
  static const Described all = [] {
    Described made;
    const auto json = nlohmann::json::parse(tamis_operations());
    for (const auto& operation : json["operations"]) {
      made.names.push_back(operation["name"]);
      made.takes.push_back(operation["takes"].size());
    }
    return made;
  }();
  return all;
}

std::int64_t sample_bytes(std::int32_t type) {
  constexpr std::int64_t bytes[] = {1, 1, 2, 2, 4, 1, 4, 4, 8, 8, 8};
  return type >= 0 && type < 11 ? bytes[type] : 1;
}

constexpr std::int64_t odd_sizes[] = {-1, INT64_MIN, 1 << 20, std::int64_t{1} << 32, std::int64_t{1} << 61, INT64_MAX};

/// A stride: dense, some samples, some bytes, or any number.
std::int64_t stride_of(std::uint8_t how, std::int64_t dense, std::int64_t sample) {
  const auto small = static_cast<std::int64_t>(how % 32) - 16;
  switch (how / 32) {
    case 0:
      return dense;
    case 1:
      return -dense;
    case 2:
      return dense + sample * (how % 32);
    case 3:
      return sample * small;
    case 4:
      return small;
    case 5:
      return 2 * dense;
    case 6:
      return std::int64_t{1} << (how % 32 + 31);
    default:
      return -(std::int64_t{1} << (how % 32 + 31));
  }
}

/// Strides of axes in an order of their own, each dense on those before it.
Numbers strides_of(const std::uint8_t* how, std::uint8_t order, const Numbers& size, std::int64_t sample) {
  constexpr int orders[][3] = {{2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 0, 2}, {0, 1, 2}, {0, 2, 1}};
  Numbers stride{};
  std::int64_t dense = sample;
  for (const int axis : orders[order % 6]) {
    const auto at = static_cast<std::size_t>(axis);
    stride[at] = stride_of(how[at], dense, sample);
    const std::int64_t step = std::clamp<std::int64_t>(std::abs(stride[at]), sample, 1 << 20);
    dense = step * std::clamp<std::int64_t>(size[at], 1, 64);
  }
  return stride;
}

Head read_head(Bytes bytes) {
  const std::uint8_t* const b = bytes.data();
  const Described& all = described();
  Head head;
  head.operation = &all.names[b[0] % all.names.size()];
  head.taken = all.takes[b[0] % all.names.size()];
  head.type = static_cast<std::int32_t>(b[1] % 12);
  head.rank = 2 + b[2] % 2;
  head.out_type = (b[2] & 128) != 0 ? static_cast<std::int32_t>(b[2] / 2 % 11) : head.type;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Most sizes are small ones; the others have to be refused.
    head.image.size[axis] = b[3 + axis] < 250 ? b[3 + axis] % 24 : odd_sizes[b[3 + axis] - 250];
    head.spacing[axis] = b[19 + axis] < 200 ? 0 : b[19 + axis] % 8 / 4.0;
  }
  head.image.stride = strides_of(b + 6, b[9], head.image.size, sample_bytes(head.type));
  head.image.at_end = (b[10] & 1) != 0;
  head.twice = (b[10] & 2) != 0;
  head.on_itself = (b[10] & 12) == 12;
  head.out.at_end = (b[10] & 16) != 0;
  head.out.size = head.image.size;
  if ((b[10] & 96) == 96) head.out.size[b[11] % 3] ^= b[11] % 5;
  head.out.stride = strides_of(b + 12, b[15], head.out.size, sample_bytes(head.out_type));
  return head;
}

tamis_view view_of(const Lie& lie, std::int32_t type, std::int32_t rank, void* data) {
  tamis_view view{};
  view.data = data;
  std::copy(lie.size.begin(), lie.size.end(), view.size);
  std::copy(lie.stride.begin(), lie.stride.end(), view.stride);
  view.type = type;
  view.rank = rank;
  return view;
}

/// What a view touches, in bytes from its first sample. Nothing: it has to be refused, and is not looked at.
struct Extent {
  Wide low = 0, high = 0;
};
std::optional<Extent> extent_of(const Lie& lie, std::int32_t type) {
  constexpr Wide too_many = Wide{1} << 60;
  Wide samples = 1;
  for (const std::int64_t edge : lie.size) {
    if (edge < 1 || samples * edge > too_many) return std::nullopt;
    samples *= edge;
  }
  const Wide sample = sample_bytes(type);
  if (samples * sample > too_many || type > TAMIS_F64) return std::nullopt;
  if (lie.stride == Numbers{}) return Extent{0, samples * sample};
  Extent extent{0, sample};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Wide reach = static_cast<Wide>(lie.stride[axis]) * (lie.size[axis] - 1);
    if (reach > too_many || reach < -too_many) return std::nullopt;
    (reach < 0 ? extent.low : extent.high) += reach;
  }
  return extent;
}

/// The view with its memory in the field. Nothing: no field holds it, and no check can know that; or it shows a few
/// samples so often that looking at them would only take time.
std::optional<tamis_view> placed(const Lie& lie, std::int32_t type, std::int32_t rank, const Field& field) {
  tamis_view view = view_of(lie, type, rank, field.begin());
  const std::optional<Extent> extent = extent_of(lie, type);
  if (!extent) return view;
  const auto size = static_cast<Wide>(field.size());
  constexpr Wide soon_seen = Wide{1} << 22;
  if (static_cast<Wide>(lie.size[0]) * lie.size[1] * lie.size[2] > soon_seen) return std::nullopt;
  if (extent->high - extent->low > size) return std::nullopt;
  const Wide first = lie.at_end ? size - extent->high : -extent->low;
  view.data = field.begin() + static_cast<std::ptrdiff_t>(first);
  return view;
}

Numbers strides_of(const tamis_view& view) {
  Numbers stride{view.stride[0], view.stride[1], view.stride[2]};
  if (stride == Numbers{}) {
    const std::int64_t sample = sample_bytes(view.type);
    stride = {view.size[1] * view.size[2] * sample, view.size[2] * sample, sample};
  }
  return stride;
}

/// A context that ends calls which take long: parameters may ask for much.
class Limits {
 public:
  Limits() {
    expect(tamis_context_new(&context_) == TAMIS_OK, "no context");
    for (const auto& [name, value] : {std::pair{"threads", "1"}, {"memory", "64M"}, {"device", "cpu"}}) {
      expect(tamis_context_set(context_, name, value) == TAMIS_OK, "a context that refuses");
    }
    expect(tamis_context_on_progress(context_, end_at_last, &told_) == TAMIS_OK, "no progress");
  }
  ~Limits() { tamis_context_free(context_); }
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;
  [[nodiscard]] const tamis_context* get() const { return context_; }

 private:
  static int end_at_last(void* told, const char*, std::int64_t, std::int64_t) {
    return ++*static_cast<int*>(told) > 2000;
  }
  tamis_context* context_ = nullptr;
  int told_ = 0;
};

struct Free {
  void operator()(tamis_result* result) const { tamis_result_free(result); }
};
using Result = std::unique_ptr<tamis_result, Free>;

void check_status(tamis_status status) {
  expect(status == TAMIS_OK || status == TAMIS_INPUT || status == TAMIS_ENVIRONMENT || status == TAMIS_CANCELLED,
         std::string("a fault of its own: ") + tamis_message());
  if (status == TAMIS_OK) return;
  const std::string message = tamis_message();
  expect(!message.empty() && message.find('\n') == std::string::npos && message.size() < 2100, "no line: " + message);
}

/// How a call ended, with its result.
struct Done {
  tamis_status status = TAMIS_OK;
  Result result;
  /// What there was time and memory for.
  [[nodiscard]] bool decided() const { return status == TAMIS_OK || status == TAMIS_INPUT; }
};

struct Call {
  const std::string& operation;
  const std::vector<const char*>& parameters;

  [[nodiscard]] Done run(const std::vector<tamis_view>& images) const {
    const Limits limits;
    tamis_result* made = nullptr;
    const tamis_status status =
        tamis_run(limits.get(), operation.c_str(), parameters.data(), images.data(), images.size(), &made);
    check_status(status);
    expect((made != nullptr) == (status == TAMIS_OK), "a result where there is none");
    return {status, Result(made)};
  }
  [[nodiscard]] Done run_into(const std::vector<tamis_view>& images, const tamis_view& out) const {
    const Limits limits;
    const tamis_status status = tamis_run_into(limits.get(), operation.c_str(), parameters.data(), images.data(),
                                               images.size(), &out, 1, nullptr);
    check_status(status);
    return {status, nullptr};
  }
};

/// Reads all that a result has.
void look_at(const tamis_result* result) {
  expect(nlohmann::json::accept(tamis_result_json(result)), "figures that are no JSON");
  double sum = 0;
  for (std::size_t column = 0; column < tamis_result_columns(result); ++column) {
    const double* values = nullptr;
    expect(tamis_result_column(result, column, nullptr, &values) == TAMIS_OK, "a column that is not there");
    for (std::size_t row = 0; row < tamis_result_rows(result); ++row) sum += values[row];
  }
  static_cast<void>(sum);
}

/// Calls `visit` with the place of each sample in bytes from the first one.
template <class Visit>
void for_each_sample(const tamis_view& view, const Visit& visit) {
  const Numbers stride = strides_of(view);
  for (std::int64_t z = 0; z < view.size[0]; ++z) {
    for (std::int64_t y = 0; y < view.size[1]; ++y) {
      for (std::int64_t x = 0; x < view.size[2]; ++x) visit(z * stride[0] + y * stride[1] + x * stride[2]);
    }
  }
}

std::vector<std::uint8_t> samples_of(const tamis_view& view) {
  std::vector<std::uint8_t> samples;
  const auto* const first = static_cast<const std::uint8_t*>(view.data);
  for_each_sample(
      view, [&](std::int64_t at) { samples.insert(samples.end(), first + at, first + at + sample_bytes(view.type)); });
  return samples;
}

/// Bytes of the field that no sample of the view is made of are those that they were.
void expect_marks(const Field& field, const tamis_view& view) {
  std::vector<bool> own(field.size());
  const std::int64_t first = static_cast<std::uint8_t*>(view.data) - field.begin();
  for_each_sample(view, [&](std::int64_t at) { std::fill_n(own.begin() + first + at, sample_bytes(view.type), true); });
  for (std::size_t i = 0; i < field.size(); ++i) {
    expect(own[i] || field.begin()[i] == mark, "a byte beside the samples was written");
  }
}

/// The result of the call has what its memory got.
void compare(const tamis_result* result, const tamis_view& out) {
  tamis_view wanted{};
  expect(tamis_result_images(result) > 0 && tamis_result_image(result, 0, nullptr, &wanted) == TAMIS_OK, "no image");
  const std::int64_t narrow = sample_bytes(wanted.type), wide = sample_bytes(out.type);
  const std::vector<std::uint8_t> first = samples_of(wanted), second = samples_of(out);
  expect(first.size() * static_cast<std::size_t>(wide) == second.size() * static_cast<std::size_t>(narrow),
         "another size");
  if (wanted.type == TAMIS_F32 && out.type == TAMIS_F64) {  // rounded samples, in the type that was asked for
    for (std::size_t i = 0; i < first.size() / sizeof(float); ++i) {
      float given = 0;
      double written = 0;
      std::memcpy(&given, first.data() + i * sizeof given, sizeof given);
      std::memcpy(&written, second.data() + i * sizeof written, sizeof written);
      expect(written == given || (written != written && given != given),
             "memory of the caller has got another number");
    }
    return;
  }
  for (std::size_t i = 0; i < second.size(); ++i) {
    const std::size_t of_sample = i % static_cast<std::size_t>(wide);
    const std::size_t sample = i / static_cast<std::size_t>(wide) * static_cast<std::size_t>(narrow);
    const std::uint8_t byte =
        of_sample < static_cast<std::size_t>(narrow) ? first[sample + of_sample] : std::uint8_t{0};
    expect(second[i] == byte, "memory of the caller has got something else than a result");
  }
}

/// The same samples one after the other.
struct Dense {
  std::vector<std::uint8_t> samples;
  tamis_view view;

  explicit Dense(const tamis_view& like) : samples(samples_of(like)), view(like) {
    view.data = samples.data();
    std::fill_n(view.stride, 3, 0);
  }
};

bool same(const tamis_result* a, const tamis_result* b) {
  if (!a || !b) return !a && !b;
  if (tamis_result_images(a) != tamis_result_images(b)) return false;
  for (std::size_t i = 0; i < tamis_result_images(a); ++i) {
    tamis_view first{}, second{};
    static_cast<void>(tamis_result_image(a, i, nullptr, &first));
    static_cast<void>(tamis_result_image(b, i, nullptr, &second));
    if (samples_of(first) != samples_of(second)) return false;
  }
  return std::string(tamis_result_json(a)) == tamis_result_json(b);
}

std::vector<std::string> texts_of(Bytes bytes) {
  std::vector<std::string> texts(1);
  for (const std::uint8_t byte : bytes) {
    if (byte == '\n') {
      texts.emplace_back();
    } else if (byte != 0) {
      texts.back() += static_cast<char>(byte);
    }
  }
  if (texts.size() == 1 && texts[0].empty()) texts.clear();
  return texts;
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Large numbers ask for so much that only time would tell, and so do phantoms of their usual size.
bool asks_for_much(const std::string& operation, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    int digits = 0;
    for (const char letter : text) {
      if (digits > 0 && (letter == 'e' || letter == 'E')) return true;
      digits = is_digit(letter) ? digits + 1 : 0;
      if (digits > 2) return true;
    }
  }
  return operation.rfind("phantom", 0) == 0 && (texts.size() < 2 || texts[0] != "size");
}

/// Any bytes; two values; or, of F32, numbers.
void fill(const Field& field, std::uint32_t seed, std::uint8_t how, std::int32_t type) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    seed = seed * 1664525U + 1013904223U;
    field.begin()[i] = static_cast<std::uint8_t>(seed >> (how >= 128 ? 31 : 24));
  }
  if (type != TAMIS_F32 || how % 2 != 0) return;
  for (std::size_t i = 0; i < field.size(); i += sizeof(float)) {
    const auto value = static_cast<float>(field.begin()[i]);
    std::memcpy(field.begin() + i, &value, sizeof value);
  }
}

/// The images of a call as they lie, and dense.
void check_strides(const Call& call, const std::vector<tamis_view>& images, const Done& done) {
  const Dense dense(images.front());
  const Done again = call.run(std::vector<tamis_view>(images.size(), dense.view));
  if (!done.decided() || !again.decided()) return;
  expect(same(done.result.get(), again.result.get()), "strides change the result");
}

/// What goes to memory of the caller.
void check_into(const Call& call, const std::vector<tamis_view>& images, const Done& done, const tamis_view& out,
                const Field& field, bool on_itself) {
  if (call.run_into(images, out).status != TAMIS_OK || !done.decided()) return;
  expect(done.result != nullptr, "a call that is refused, and not where it has memory for its result");
  compare(done.result.get(), out);
  if (!on_itself) expect_marks(field, out);
}

}  // namespace

TAMIS_FUZZ_TARGET(c_call) {
  if (bytes.size() < head_bytes) return;
  static const Field image_field, out_field;
  const Head head = read_head(bytes);
  const std::vector<std::string> texts = texts_of(bytes.subspan(head_bytes));
  if (asks_for_much(*head.operation, texts)) return;
  std::vector<const char*> parameters;
  for (const std::string& text : texts) parameters.push_back(text.c_str());
  parameters.push_back(nullptr);

  fill(image_field, bytes[22] + 1U, bytes[23], head.type);
  std::optional<tamis_view> image = placed(head.image, head.type, head.rank, image_field);
  if (!image) return;
  std::copy(head.spacing.begin(), head.spacing.end(), image->spacing);
  image->unit = "um";
  const std::vector<tamis_view> images(head.taken, *image);
  const Call call{*head.operation, parameters};
  const Done done = call.run(images);
  if (done.result) look_at(done.result.get());
  if (head.taken > 0 && !extent_of(head.image, head.type)) {
    expect(done.status == TAMIS_INPUT, "a view that is none was taken");
    return;
  }
  if (head.taken > 0) check_strides(call, images, done);
  std::memset(out_field.begin(), mark, out_field.size());
  const std::optional<tamis_view> out = head.on_itself ? image : placed(head.out, head.out_type, head.rank, out_field);
  if (head.twice && out) check_into(call, images, done, *out, out_field, head.on_itself);
}
