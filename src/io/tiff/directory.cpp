#include "io/tiff/tiff.hpp"

#include <tiff.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/checked.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

/// Bytes of one value of each TIFF field type; 0 for numbers that are no type.
constexpr std::array<int, 19> type_bytes{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};

int width_of(std::uint16_t type) { return type < type_bytes.size() ? type_bytes[type] : 0; }

bool is_whole(std::uint16_t type) {
  return type == TIFF_BYTE || type == TIFF_SHORT || type == TIFF_LONG || type == TIFF_LONG8 || type == TIFF_IFD ||
         type == TIFF_IFD8;
}

std::uint64_t load(const std::byte* at, int width, bool swapped) {
  if (width == 1) return number_at<std::uint8_t>(at, swapped);
  if (width == 2) return number_at<std::uint16_t>(at, swapped);
  return width == 4 ? number_at<std::uint32_t>(at, swapped) : number_at<std::uint64_t>(at, swapped);
}

}  // namespace

std::uint64_t TiffValues::operator[](std::int64_t i) const { return load(first_ + i * width_, width_, swapped_); }

TiffFile::TiffFile(const MappedFile& file) : file_(&file) {
  const auto not_tiff = [&] { refuse("{}: not a TIFF file, by its first bytes; wanted one", path()); };
  const std::string_view order = file.text().substr(0, 2);
  if (order != "II" && order != "MM") not_tiff();
  swapped_ = (order == "II") != native_little;
  require(1, 0, 8);
  const std::uint64_t version = number(2, 2);
  if (version != TIFF_VERSION_CLASSIC && version != TIFF_VERSION_BIG) not_tiff();
  big_ = version == TIFF_VERSION_BIG;
  require(1, 0, static_cast<std::uint64_t>(header_bytes()));
  if (big_ && (number(4, 2) != 8 || number(6, 2) != 0)) {
    refuse("{}: a BigTIFF with offsets of {} bytes; wanted 8", path(), number(4, 2));
  }
  first_ = big_ ? number(8, 8) : number(4, 4);
  if (first_ == 0) refuse("{}: a TIFF without pages; wanted one at least", path());
}

void TiffFile::require(std::int64_t page, std::uint64_t offset, std::uint64_t bytes) const {
  if (within(offset, bytes, size())) return;
  const Checked end = Checked(offset) + bytes;
  refuse("{}: truncated TIFF: page {} needs bytes up to {}, got a file of {} bytes", path(), page,
         end.ok() ? std::to_string(end.value_or(0)) : "2^63 and more", size());
}

std::uint64_t TiffFile::number(std::uint64_t offset, int width) const { return load(data() + offset, width, swapped_); }

TiffDirectory::TiffDirectory(const TiffFile& file, std::uint64_t offset, std::int64_t page)
    : file_(&file), page_(page) {
  const int head = file.big() ? 8 : 2;
  const int word = file.big() ? 8 : 4;
  const std::uint64_t entry_bytes = file.big() ? 20 : 12;
  file.require(page, offset, static_cast<std::uint64_t>(head));
  const std::uint64_t entries = file.number(offset, head);
  if (entries > 65535) {
    refuse("{}: corrupt TIFF: page {} claims {} tags, wanted 65535 at most", file.path(), page, entries);
  }
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(head) + entries * entry_bytes + static_cast<std::uint64_t>(word);
  file.require(page, offset, bytes);
  at_ = static_cast<std::int64_t>(offset);
  bytes_ = static_cast<std::int64_t>(bytes);
  entries_.reserve(static_cast<std::size_t>(entries));
  const std::uint64_t first = offset + static_cast<std::uint64_t>(head);
  for (std::uint64_t i = 0; i < entries; ++i) read_entry(first + i * entry_bytes);
  next_ = file.number(first + entries * entry_bytes, word);
}

void TiffDirectory::read_entry(std::uint64_t at) {
  const int word = file_->big() ? 8 : 4;
  Entry entry;
  entry.tag = static_cast<std::uint16_t>(file_->number(at, 2));
  entry.type = static_cast<std::uint16_t>(file_->number(at + 2, 2));
  const int width = width_of(entry.type);
  if (width == 0) return;  // nobody knows what it would be
  const std::uint64_t count = file_->number(at + 4, word);
  const std::uint64_t inside = at + 4 + static_cast<std::uint64_t>(word);
  const Checked bytes = Checked(count) * width;
  const std::uint64_t place = bytes.at_most(word) ? inside : file_->number(inside, word);
  if (!bytes.ok()) file_->require(page_, place, UINT64_MAX);
  entry.count = Checked(count).value_or(0);
  entry.bytes = bytes.value_or(0);
  file_->require(page_, place, static_cast<std::uint64_t>(entry.bytes));
  entry.at = static_cast<std::int64_t>(place);
  entries_.push_back(entry);
}

const TiffDirectory::Entry* TiffDirectory::find(std::uint16_t tag) const {
  // Of a tag that stands there twice the first counts, as for other readers.
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [tag](const Entry& e) { return e.tag == tag; });
  return entry == entries_.end() ? nullptr : &*entry;
}

TiffValues TiffDirectory::numbers(std::uint16_t tag) const {
  const Entry* const entry = find(tag);
  if (!entry) return {};
  if (!is_whole(entry->type)) fail("tag {} has values of type {}; wanted whole numbers", tag, entry->type);
  return {file_->data() + entry->at, entry->count, width_of(entry->type), file_->swapped()};
}

std::uint64_t TiffDirectory::number(std::uint16_t tag, std::uint64_t missing) const {
  if (!has(tag)) return missing;
  const TiffValues values = numbers(tag);
  if (values.size() != 1) fail("tag {} has {} values; wanted one", tag, values.size());
  return values[0];
}

std::uint64_t TiffDirectory::number_of_all(std::uint16_t tag, std::int64_t samples, std::uint64_t missing) const {
  if (!has(tag)) return missing;
  const TiffValues values = numbers(tag);
  if (values.size() == 0) fail("tag {} has no value", tag);
  for (std::int64_t i = 1; i < std::min(samples, values.size()); ++i) {
    if (values[i] != values[0]) {
      fail("tag {} is {} for one sample of a pixel and {} for another; wanted the same for all", tag, values[0],
           values[i]);
    }
  }
  return values[0];
}

std::string_view TiffDirectory::text(std::uint16_t tag) const {
  const Entry* const entry = find(tag);
  if (!entry || (entry->type != TIFF_ASCII && entry->type != TIFF_BYTE && entry->type != TIFF_UNDEFINED)) return {};
  const std::string_view text(reinterpret_cast<const char*>(file_->data() + entry->at),
                              static_cast<std::size_t>(entry->bytes));
  return text.substr(0, text.find('\0'));
}

std::optional<double> TiffDirectory::fraction(std::uint16_t tag) const {
  const Entry* const entry = find(tag);
  if (!entry || entry->type != TIFF_RATIONAL || entry->count != 1) return std::nullopt;
  const auto place = static_cast<std::uint64_t>(entry->at);
  const auto numerator = static_cast<double>(file_->number(place, 4));
  const auto denominator = static_cast<double>(file_->number(place + 4, 4));
  const double value = numerator / denominator;
  if (!std::isfinite(value) || value <= 0) return std::nullopt;
  return value;
}

std::int64_t TiffDirectory::free_until(std::int64_t offset) const {
  std::int64_t end = file_->size();
  const auto meet = [&](std::int64_t at, std::int64_t bytes) {
    if (bytes > 0 && at + bytes > offset) end = std::min(end, std::max(at, offset));
  };
  meet(0, file_->header_bytes());
  meet(at_, bytes_);
  for (const Entry& entry : entries_) meet(entry.at, entry.bytes);
  return end;
}

}  // namespace tamis::io
