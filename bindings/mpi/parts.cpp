#include "mpi/parts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <span>
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

std::optional<std::int64_t> number_from(const nlohmann::json& json, const char* key) {
  if (!json.contains(key) || !json[key].is_number_integer()) return {};
  const auto value = json[key].get<std::int64_t>();
  return value < 0 ? std::nullopt : std::optional(value);
}

/// The job that a part is of, whatever else it says.
std::optional<std::string> job_in(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("job") || !json["job"].is_string()) return {};
  return json["job"].get<std::string>();
}

/// Bytes as JSON has them: two digits each.
std::string digits_of(const std::string& bytes) {
  return fmt::format("{:02x}", fmt::join(std::as_bytes(std::span(bytes)), ""));
}

std::optional<parts::Tally> tally_from(const std::string& digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    unsigned byte = 0;
    const char* const end = digits.data() + at + 2;
    if (std::from_chars(digits.data() + at, end, byte, 16).ptr != end) return {};
    bytes += static_cast<char>(byte);
  }
  try {
    const parts::Tally tally = parts::Tally::from_bytes(bytes, "a part");
    for (const char* const name : {"removed by", "never", "finite", "of square"}) {
      const parts::Tally::Counts& counts = tally.counts(name);
      if (std::any_of(counts.begin(), counts.end(), [](std::int64_t count) { return count < 0; })) return {};
    }
    return tally;
  } catch (const InputError&) {
    return {};
  }
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
  const auto never_value = number_from(json, "never_value"), checksum = number_from(json, "checksum");
  const auto is_text = [&](const char* key) { return json.contains(key) && json[key].is_string(); };
  if (!begin || !end || !never_value || !checksum || *end <= *begin) return {};
  if (!is_text("job") || !is_text("type") || !is_text("tally")) return {};
  auto tally = tally_from(json["tally"].get<std::string>());
  if (!tally) return {};
  Part part{*begin, *end, std::move(*tally), Type::U8, *never_value, {}, *checksum};
  const std::optional<Type> type = type_from_name(json["type"].get<std::string>());
  if (type != Type::U8 && type != Type::U16 && type != Type::U32 && type != Type::U64) return {};
  part.type = *type;
  return std::pair{std::move(part), json["job"].get<std::string>()};
}

std::string to_text(const Part& part, const std::string& job) {
  nlohmann::ordered_json json;
  json["job"] = job;
  json["begin"] = part.begin;
  json["end"] = part.end;
  json["tally"] = digits_of(part.tally.to_bytes());
  json["never_value"] = part.never_value;
  json["type"] = name(part.type);
  json["checksum"] = checksum_of(part.map);
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
      const std::string line = first_line(file);
      read = part_from(line);
      const std::optional<std::string> job = job_in(line);  // of another version the rest may be other words
      if (job && *job != job_) {
        why = "was made with other options, of another input, or by another version of tamis";
      } else if (!read || read->first.begin != range->first || read->first.end != range->second) {
        throw InputError(fmt::format("{}: is no part of an unfinished result; wanted it removed, or no resume", name));
      }
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
    const bool unfinished =
        name.starts_with('.') && name.find(".part.tamis-") != std::string::npos;  // of a killed process
    if (range_of(name) || unfinished) std::filesystem::remove(entry.path(), error);
  }
  std::filesystem::remove(folder_, error);  // which fails where somebody has put something else there
}

}  // namespace tamis::mpi
