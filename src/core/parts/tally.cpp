#include "core/parts/tally.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <tamis/error.hpp>

namespace tamis::parts {
namespace {

constexpr std::string_view version = "tamis tally 1\n";

/// Seven bits a byte, the lowest first; the highest bit says that more follow. Most counts are small.
void write(std::string& bytes, std::uint64_t number) {
  constexpr std::uint64_t low = 127;
  for (; number > low; number >>= 7) bytes += static_cast<char>(static_cast<unsigned char>(number | 128));
  bytes += static_cast<char>(number);
}

void write(std::string& bytes, const std::string& name) {
  write(bytes, name.size());
  bytes += name;
}

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view what) : left_(bytes), what_(what) {}

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) refuse();
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      number |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return number;
    }
    refuse();
  }
  /// How many of what takes a byte or more each follow.
  std::size_t length() {
    const std::uint64_t length = number();
    if (length > left_.size()) refuse();
    return static_cast<std::size_t>(length);
  }
  std::string name() {
    const std::size_t size = length();
    std::string name(left_.substr(0, size));
    left_.remove_prefix(size);
    return name;
  }
  void finish() const {
    if (!left_.empty()) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw InputError(fmt::format("{}: no tally of tamis, or a damaged one; wanted a whole one", what_));
  }
  std::string_view left_, what_;
};

}  // namespace

const Tally::Counts& Tally::counts(const std::string& name) const {
  static const Counts none;
  const auto found = counts_.find(name);
  return found == counts_.end() ? none : found->second;
}

std::int64_t Tally::sum(const std::string& name) const {
  const Counts& numbers = counts(name);
  return numbers.empty() ? 0 : numbers.front();
}

std::int64_t Tally::largest(const std::string& name) const {
  const auto found = largest_.find(name);
  return found == largest_.end() ? 0 : found->second;
}

void Tally::add(const Tally& other) {
  for (const auto& [name, more] : other.counts_) {
    Counts& own = counts_[name];
    if (own.size() < more.size()) own.resize(more.size());
    for (std::size_t i = 0; i < more.size(); ++i) {
      own[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(own[i]) + static_cast<std::uint64_t>(more[i]));
    }
  }
  for (const auto& [name, value] : other.largest_) largest_[name] = std::max(largest_[name], value);
}

std::string Tally::to_bytes() const {
  std::string bytes(version);
  write(bytes, counts_.size());
  for (const auto& [name, numbers] : counts_) {
    write(bytes, name);
    write(bytes, numbers.size());
    for (const std::int64_t number : numbers) write(bytes, static_cast<std::uint64_t>(number));
  }
  write(bytes, largest_.size());
  for (const auto& [name, value] : largest_) {
    write(bytes, name);
    write(bytes, static_cast<std::uint64_t>(value));
  }
  return bytes;
}

Tally Tally::from_bytes(std::string_view bytes, std::string_view what) {
  if (!bytes.starts_with(version)) {
    throw InputError(fmt::format("{}: no tally, or one of another version of tamis; wanted one of this version", what));
  }
  Reader reader(bytes.substr(version.size()), what);
  Tally tally;
  for (std::size_t left = reader.length(); left > 0; --left) {
    Counts& numbers = tally.counts_[reader.name()];
    numbers.resize(reader.length());
    for (std::int64_t& number : numbers) number = static_cast<std::int64_t>(reader.number());
  }
  for (std::size_t left = reader.length(); left > 0; --left) {
    std::int64_t& value = tally.largest_[reader.name()];
    value = static_cast<std::int64_t>(reader.number());
  }
  reader.finish();
  return tally;
}

}  // namespace tamis::parts
