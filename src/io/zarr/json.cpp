#include "io/zarr/json.hpp"

#include <fmt/format.h>

#include <set>

#include <tamis/error.hpp>

#include "io/header_text.hpp"

namespace tamis::io {
namespace {

constexpr int most_levels = 64;

/// Keys of the objects that are open.
class Keys {
 public:
  explicit Keys(const std::string& path) : path_(path) {}

  bool operator()(int depth, Json::parse_event_t event, Json& value) {
    if (depth > most_levels) {
      throw InputError(fmt::format("{}: nested {} deep and more; wanted the description of an image", path_, most_levels));
    }
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key) add(value.get_ref<const std::string&>());
    return true;
  }

 private:
  /// Readers differ in which of two counts.
  void add(const std::string& key) {
    if (open_.back().insert(key).second) return;
    throw InputError(fmt::format("{}: {} is there twice; wanted it once", path_, shown(std::string_view(key))));
  }

  const std::string& path_;
  std::vector<std::set<std::string>> open_;
};

}  // namespace

Json parse_json(const std::string& path, std::string_view text) {
  try {
    return Json::parse(text, Keys(path));
  } catch (const Json::parse_error& error) {
    throw InputError(fmt::format("{}: no JSON from byte {} on", path, error.byte));
  } catch (const Json::exception&) {
    throw InputError(path + ": JSON with a number that is larger than any");
  }
}

const Json& member(const Json& object, std::string_view name) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

std::string word(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_string() ? json_text(value) : std::string();
}

std::string json_text(const Json& value) {
  const bool text = value.is_string();
  return shown(std::string_view(text ? value.get<std::string>()
                                     : value.dump(-1, ' ', true, Json::error_handler_t::replace)));
}

std::vector<std::int64_t> edges(const std::string& path, const Json& object, std::string_view name) {
  constexpr std::size_t most_axes = 8;
  constexpr auto longest = std::int64_t{1} << 40;
  const Json& value = member(object, name);
  std::vector<std::int64_t> found;
  bool fine = value.is_array() && value.size() <= most_axes;
  for (std::size_t i = 0; fine && i < value.size(); ++i) {
    fine = value[i].is_number_unsigned() && value[i].get<std::uint64_t>() - 1 < static_cast<std::uint64_t>(longest);
    if (fine) found.push_back(value[i].get<std::int64_t>());
  }
  if (fine) return found;
  throw InputError(fmt::format("{}: {} is {}; wanted up to {} whole numbers from 1 to 2^40", path, name, json_text(value),
                               most_axes));
}

}  // namespace tamis::io
