#include "io/zarr/zarr.hpp"

#include <utility>

#include "io/header_text.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

/// Builds what is asked for. nlohmann's own parser with a callback looks through a whole list at the end of each object
/// in it, and a tree of all there is takes up to 30 times the text.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(const std::string& path) : path_(path) {}

  Json root;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // there is none in text
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return open_.pop_back(), true; }
  bool end_array() override { return open_.pop_back(), true; }

  /// Of two values readers differ in which counts.
  bool key(std::string& name) override {
    Json* const object = open_.back();
    asked_ = std::ranges::binary_search(asked_names, std::string_view(name));
    value_ = nullptr;
    if (!object || (!asked_ && open_.size() > 1)) return true;
    if (object->contains(name)) refuse("{}: {} is there twice; wanted it once", path_, shown(std::string_view(name)));
    count();
    value_ = &(*object)[name];
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&, const Json::exception& error) override {
    constexpr int out_of_range = 406;
    throw InputError(error.id == out_of_range ? path_ + ": JSON with a number that is larger than any"
                                              : fmt::format("{}: no JSON from byte {} on", path_, byte));
  }

 private:
  bool add(Json&& value) {
    if (Json* const to = place(false)) *to = std::move(value);
    return true;
  }

  bool open(Json&& empty) {
    constexpr std::size_t most_levels = 64;
    if (open_.size() == most_levels) {
      refuse("{}: nested {} deep and more; wanted the description of an image", path_, most_levels);
    }
    Json* const to = place(empty.is_object());
    if (to) *to = std::move(empty);
    open_.push_back(to);
    return true;
  }

  /// Where the next value belongs; null where nobody asks for it. What an extension says of itself is an object.
  Json* place(bool is_object) {
    if (open_.empty()) return &root;
    Json* const in = open_.back();
    if (!in) return nullptr;
    if (in->is_object()) return asked_ || is_object ? value_ : nullptr;
    count();
    return &in->emplace_back();
  }

  void count() {
    constexpr int most = 1 << 16;
    if (++kept_ <= most) return;
    refuse("{}: more than {} numbers and names; wanted the description of an image", path_, most);
  }

  const std::string& path_;
  std::vector<Json*> open_;  // null where it is passed over
  Json* value_ = nullptr;    // of the last key
  bool asked_ = false;
  int kept_ = 0;
};

}  // namespace

Json parse_json(const std::string& path, std::string_view text) {
  Builder builder(path);
  Json::sax_parse(text, &builder);
  return std::move(builder.root);
}

const Json& member(const Json& object, Asked asked) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(asked.name);
  return found == object.end() ? none : *found;
}

std::string word(const Json& object, Asked asked) {
  const Json& value = member(object, asked);
  return value.is_string() ? json_text(value) : std::string();
}

std::string json_text(const Json& value) {
  const bool text = value.is_string();
  return shown(
      std::string_view(text ? value.get<std::string>() : value.dump(-1, ' ', true, Json::error_handler_t::replace)));
}

std::vector<std::int64_t> edges(const std::string& path, const Json& object, Asked asked) {
  constexpr std::size_t most_axes = 8;
  constexpr auto longest = std::int64_t{1} << 40;
  const Json& value = member(object, asked);
  std::vector<std::int64_t> found;
  bool fine = value.is_array() && value.size() <= most_axes;
  for (std::size_t i = 0; fine && i < value.size(); ++i) {
    fine = value[i].is_number_unsigned() && value[i].get<std::uint64_t>() - 1 < static_cast<std::uint64_t>(longest);
    if (fine) found.push_back(value[i].get<std::int64_t>());
  }
  if (fine) return found;
  refuse("{}: {} is {}; wanted up to {} whole numbers from 1 to 2^40", path, asked.name, json_text(value), most_axes);
}

}  // namespace tamis::io
