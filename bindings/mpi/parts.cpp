#include "mpi/parts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tamis/error.hpp>

#include "io/output/output.hpp"

namespace tamis::mpi {
namespace {

constexpr std::string_view ending = ".part";

/// "128-256.part".
std::optional<std::pair<std::int64_t, std::int64_t>> range_of(const std::string& name) {
  if (!name.ends_with(ending)) return {};
  const char* const end = name.data() + name.size() - ending.size();
  std::int64_t first = 0, last = 0;
  const auto [dash, error] = std::from_chars(name.data(), end, first);
  if (error != std::errc() || dash == end || *dash != '-') return {};
  const auto [rest, other] = std::from_chars(dash + 1, end, last);
  if (other != std::errc() || rest != end || first < 0 || last <= first) return {};
  return std::pair{first, last};
}

std::string first_line(std::istream& file) {
  constexpr std::size_t most = std::size_t{1} << 24;
  std::string line;
  for (char letter = 0; line.size() < most && file.get(letter) && letter != '\n';) line += letter;
  return line;
}

/// A list of whole numbers that are not negative; nothing where it is none.
std::optional<std::vector<std::int64_t>> list_from(const nlohmann::json& json, const char* key) {
  if (!json.contains(key) || !json[key].is_array()) return {};
  std::vector<std::int64_t> list;
  for (const auto& item : json[key]) {
    if (!item.is_number_integer() || item.get<std::int64_t>() < 0) return {};
    list.push_back(item.get<std::int64_t>());
  }
  return list;
}

std::optional<std::int64_t> number_from(const nlohmann::json& json, const char* key) {
  if (!json.contains(key) || !json[key].is_number_integer()) return {};
  const auto value = json[key].get<std::int64_t>();
  return value < 0 ? std::nullopt : std::optional(value);
}

std::optional<BallFigures> balls_from(const nlohmann::json& json) {
  constexpr std::size_t wide_sums = 4;
  const auto finite = number_from(json, "finite"), largest = number_from(json, "largest");
  auto of_square = list_from(json, "of_square"), wide = list_from(json, "wide");
  if (!finite || !largest || !of_square || !wide || wide->size() != wide_sums) return {};
  return BallFigures{*finite, *largest, std::move(*of_square), std::move(*wide)};
}

std::int64_t checksum_of(const std::vector<std::byte>& map) { return io::add_to_checksum(0, map.data(), map.size()); }

bool is_ours(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
         status.st_uid == ::geteuid();
}

}  // namespace

std::optional<std::pair<Part, std::string>> part_from(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  const auto begin = number_from(json, "begin"), end = number_from(json, "end");
  const auto never = number_from(json, "never"), never_value = number_from(json, "never_value");
  const auto checksum = number_from(json, "checksum");
  const bool words = json.contains("job") && json["job"].is_string() && json.contains("type") && json["type"].is_string();
  auto removed_by = list_from(json, "removed_by");
  if (!begin || !end || !never || !never_value || !checksum || !words || !removed_by || *end <= *begin) return {};
  Part part{*begin, *end, std::move(*removed_by), *never, Type::U8, *never_value, {}};
  const std::optional<Type> type = type_from_name(json["type"].get<std::string>());
  if (type != Type::U8 && type != Type::U16 && type != Type::U32 && type != Type::U64) return {};
  part.type = *type;
  part.checksum = *checksum;
  if (json.contains("balls")) {
    part.balls = balls_from(json["balls"]);
    if (!part.balls) return {};
  }
  return std::pair{std::move(part), json["job"].get<std::string>()};
}

std::string to_text(const Part& part, const std::string& job) {
  nlohmann::ordered_json json;
  json["job"] = job;
  json["begin"] = part.begin;
  json["end"] = part.end;
  json["removed_by"] = part.removed_by;
  json["never"] = part.never;
  json["never_value"] = part.never_value;
  json["type"] = name(part.type);
  json["checksum"] = checksum_of(part.map);
  if (part.balls) {
    json["balls"] = {{"finite", part.balls->finite},
                     {"largest", part.balls->largest},
                     {"of_square", part.balls->of_square},
                     {"wide", part.balls->wide}};
  }
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string Parts::path(std::int64_t begin, std::int64_t end) const {
  return fmt::format("{}/{}-{}{}", folder_, begin, end, ending);
}

Parts::Found Parts::open() const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw ResourceError(fmt::format("{}: cannot make this folder: {}", folder_, error.message()));
  Found found;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().string();
    const auto range = range_of(entry.path().filename().string());
    if (!range) continue;
    std::string why;
    std::optional<std::pair<Part, std::string>> read;
    if (!is_ours(name)) {  // nor is it opened: it could be a pipe
      why = "belongs to another user, or has another name, too";
    } else {
      std::ifstream file(name, std::ios::binary);
      read = part_from(first_line(file));
      if (!read || read->first.begin != range->first || read->first.end != range->second) {
        throw InputError(fmt::format("{}: is no part of an unfinished result; wanted it removed, or no resume", name));
      }
      if (read->second != job_) why = "was made with other options, of another input, or by another version of tamis";
    }
    if (!why.empty()) {
      found.note = fmt::format("{}: begun anew, as what is unfinished there {}", folder_, why);
      std::filesystem::remove(entry.path(), error);
      continue;
    }
    found.parts.push_back(std::move(read->first));
  }
  if (error) throw ResourceError(fmt::format("{}: cannot read this folder: {}", folder_, error.message()));
  return found;
}

Part Parts::read(std::int64_t begin, std::int64_t end) const {
  const std::string name = path(begin, end);
  std::ifstream file(name, std::ios::binary);
  auto read = part_from(first_line(file));
  if (!read || read->second != job_) throw InputError(fmt::format("{}: has changed while it was used", name));
  Part part = std::move(read->first);
  const auto start = file.tellg();
  file.seekg(0, std::ios::end);
  const std::int64_t bytes = file.tellg() - start;
  if (!file || bytes < 0) throw InputError(fmt::format("{}: cannot be read", name));
  part.map.resize(static_cast<std::size_t>(bytes));
  file.seekg(start);
  file.read(reinterpret_cast<char*>(part.map.data()), bytes);
  if (!file) throw InputError(fmt::format("{}: cannot be read", name));
  if (checksum_of(part.map) == part.checksum) return part;
  throw InputError(fmt::format("{}: is damaged; wanted it removed, or no resume", name));
}

void Parts::write(const Part& part) const {
  io::TemporaryFile file({path(part.begin, part.end)});
  file.write(to_text(part, job_));
  file.write(part.map.data(), static_cast<std::int64_t>(part.map.size()));
  file.complete();
  static_cast<void>(file.publish());
}

void Parts::remove() const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    const bool unfinished = name.starts_with('.') && name.find(".part.tamis-") != std::string::npos;  // of a killed process
    if (range_of(name) || unfinished) std::filesystem::remove(entry.path(), error);
  }
  std::filesystem::remove(folder_, error);  // which fails where somebody has put something else there
}

}  // namespace tamis::mpi
