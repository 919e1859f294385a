// TIFF files put together by hand: what libtiff would not write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tiff.h>

namespace tamis::io {

/// One page: tags in order, strips or tiles as they are.
struct HandPage {
  struct Tag {
    std::uint16_t number;
    std::uint16_t type;
    std::vector<std::uint64_t> values;  ///< numerator and denominator of a fraction one after the other
  };
  std::vector<Tag> tags;
  std::vector<std::string> segments;

  HandPage& set(std::uint16_t number, std::uint16_t type, std::vector<std::uint64_t> values) {
    for (Tag& tag : tags) {
      if (tag.number == number) {
        tag = {number, type, std::move(values)};
        return *this;
      }
    }
    tags.push_back({number, type, std::move(values)});
    return *this;
  }
  HandPage& text(std::uint16_t number, const std::string& words) {
    std::vector<std::uint64_t> letters(words.begin(), words.end());
    letters.push_back(0);
    return set(number, TIFF_ASCII, std::move(letters));
  }
  HandPage& size(std::uint64_t width, std::uint64_t height, std::uint64_t bits) {
    set(TIFFTAG_IMAGEWIDTH, TIFF_LONG, {width}).set(TIFFTAG_IMAGELENGTH, TIFF_LONG, {height});
    set(TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, {bits}).set(TIFFTAG_COMPRESSION, TIFF_SHORT, {COMPRESSION_NONE});
    return set(TIFFTAG_PHOTOMETRIC, TIFF_SHORT, {PHOTOMETRIC_MINISBLACK});
  }
};

struct HandTiff {
  bool big = false;
  bool motorola = false;
  bool samples_last = false;  ///< the only page's samples end the file, as ImageJ writes it
  std::vector<HandPage> pages;

  [[nodiscard]] std::string bytes() const {
    std::string file = motorola ? "MM" : "II";
    put(file, 2, big ? 43 : 42);
    if (big) {
      put(file, 2, 8);
      put(file, 2, 0);
    }
    std::size_t link = file.size();  // where the offset of the next directory goes
    put(file, word(), 0);
    for (const HandPage& page : pages) {
      const std::size_t at = samples_last ? file.size() : file.size() + length(page);
      const std::string link_to = number(word(), at);
      std::vector<std::uint64_t> offsets, counts;
      std::size_t next = samples_last ? at + directory(page, {}, {}, at).size() : file.size();
      for (const std::string& segment : page.segments) {
        offsets.push_back(next);
        counts.push_back(segment.size());
        next += segment.size();
      }
      std::string samples;
      for (const std::string& segment : page.segments) samples += segment;
      const std::string tags = directory(page, offsets, counts, at);
      file += samples_last ? tags + samples : samples + tags;
      file.replace(link, word(), link_to);
      link = at + (big ? 8 : 2) + (page.tags.size() + 2) * (4 + 2 * word());
    }
    return file;
  }

 private:
  [[nodiscard]] std::size_t word() const { return big ? 8 : 4; }
  [[nodiscard]] static std::size_t length(const HandPage& page) {
    std::size_t bytes = 0;
    for (const std::string& segment : page.segments) bytes += segment.size();
    return bytes;
  }
  [[nodiscard]] std::string number(std::size_t width, std::uint64_t value) const {
    std::string text(width, '\0');
    for (std::size_t i = 0; i < width; ++i) {
      text[motorola ? width - 1 - i : i] = static_cast<char>(value >> (8 * i) & 255U);
    }
    return text;
  }
  void put(std::string& text, std::size_t width, std::uint64_t value) const { text += number(width, value); }
  [[nodiscard]] static std::size_t width_of(std::uint16_t type) {
    return type == TIFF_SHORT ? 2 : type == TIFF_LONG || type == TIFF_RATIONAL ? 4 : type == TIFF_LONG8 ? 8 : 1;
  }
  [[nodiscard]] std::string directory(const HandPage& page, std::vector<std::uint64_t> offsets,
                                      std::vector<std::uint64_t> counts, std::size_t at) const {
    offsets.resize(page.segments.size());
    counts.resize(page.segments.size());
    HandPage whole = page;
    bool tiled = false;
    for (const HandPage::Tag& tag : page.tags) tiled = tiled || tag.number == TIFFTAG_TILEWIDTH;
    const std::uint16_t type = big ? TIFF_LONG8 : TIFF_LONG;
    whole.set(tiled ? TIFFTAG_TILEOFFSETS : TIFFTAG_STRIPOFFSETS, type, std::move(offsets));
    whole.set(tiled ? TIFFTAG_TILEBYTECOUNTS : TIFFTAG_STRIPBYTECOUNTS, type, std::move(counts));
    std::string table;
    std::string values;
    put(table, big ? 8 : 2, whole.tags.size());
    const std::size_t values_at = at + table.size() + whole.tags.size() * (4 + 2 * word()) + word();
    for (const HandPage::Tag& tag : whole.tags) {
      put(table, 2, tag.number);
      put(table, 2, tag.type);
      put(table, word(), tag.type == TIFF_RATIONAL ? tag.values.size() / 2 : tag.values.size());
      std::string bytes;
      for (const std::uint64_t value : tag.values) put(bytes, width_of(tag.type), value);
      if (bytes.size() > word()) {
        put(table, word(), values_at + values.size());
        values += bytes;
      } else {
        bytes.resize(word(), '\0');
        table += bytes;
      }
    }
    put(table, word(), 0);
    return table + values;
  }
};

}  // namespace tamis::io
