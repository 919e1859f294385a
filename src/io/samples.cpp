#include "io/samples.hpp"

#include "io/checked.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

template <class Word>
void swap_words(std::byte* samples, std::int64_t count, Word (*swap)(Word)) {
  for (std::int64_t i = 0; i < count; ++i, samples += sizeof(Word)) {
    Word word;
    std::memcpy(&word, samples, sizeof word);  // samples need not be aligned
    word = swap(word);
    std::memcpy(samples, &word, sizeof word);
  }
}

/// `count` samples to every stride-th place of `out`.
template <std::size_t width>
void scatter(const std::byte* from, std::int64_t from_stride, std::byte* out, std::int64_t stride, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i, from += from_stride, out += stride) std::memcpy(out, from, width);
}

std::optional<FileType> type_called(std::string_view name, std::string (*name_of)(Type)) {
  for (int i = 0; i <= static_cast<int>(Type::F64); ++i) {
    if (name_of(static_cast<Type>(i)) == name) return FileType{static_cast<Type>(i)};
  }
  return std::nullopt;
}

}  // namespace

std::string numpy_name(Type type) {
  return type == Type::Bool ? "b1" : fmt::format("{}{}", name(type)[0], sample_bytes(type));
}

std::optional<FileType> numpy_type(std::string_view name) {
  return name == "f2" ? FileType{Type::U16, true} : type_called(name, numpy_name);
}

std::string zarr_name(Type type) {
  const std::string_view word = name(type);
  if (type == Type::Bool) return "bool";
  return fmt::format("{}{}", word[0] == 'u' ? "uint" : word[0] == 'i' ? "int" : "float", word.substr(1));
}

std::optional<FileType> zarr_type(std::string_view name) {
  return name == "float16" ? FileType{Type::U16, true} : type_called(name, zarr_name);
}

std::optional<Type> type_of_kind(char kind, std::uint64_t bytes) {
  return bytes > 8 ? std::nullopt : type_from_name(fmt::format("{}{}", kind, 8 * bytes));
}

std::int64_t checked_bytes(const std::string& path, const Layout& layout) {
  const Shape& shape = layout.shape;
  if (shape.x <= 0 || shape.y <= 0 || shape.z <= 0) {
    refuse("{}: a shape of {}; every edge has to be at least 1", path, to_string(shape));
  }
  const Checked bytes = Checked(sample_bytes(layout.type)) * layout.channels * shape.x * shape.y * shape.z;
  if (!bytes.ok()) refuse("{}: a shape of {} is larger than any file", path, to_string(shape));
  return bytes.value_or(0);
}

void check_expansion(const std::string& path, const Layout& layout, std::int64_t file_bytes, std::int64_t ratio) {
  constexpr std::int64_t allowance = 1 << 20;  // a tiny file is mostly header
  const std::int64_t bytes = checked_bytes(path, layout);
  if ((bytes - allowance) / ratio > file_bytes) {
    refuse("{}: the header asks for {} bytes of samples ({} {}), the file has only {} bytes", path, bytes,
           to_string(layout.shape), name(layout.type), file_bytes);
  }
}

void copy_row(std::int64_t width, const std::byte* from, std::int64_t from_stride, std::byte* out, std::int64_t stride,
              std::int64_t count) {
  if (from_stride == width && stride == width) {
    std::memcpy(out, from, static_cast<std::size_t>(count * width));
  } else if (width == 1) {
    scatter<1>(from, from_stride, out, stride, count);
  } else if (width == 2) {
    scatter<2>(from, from_stride, out, stride, count);
  } else if (width == 4) {
    scatter<4>(from, from_stride, out, stride, count);
  } else if (width == 8) {
    scatter<8>(from, from_stride, out, stride, count);
  } else {
    for (; count > 0; --count, from += from_stride, out += stride) {
      std::memcpy(out, from, static_cast<std::size_t>(width));
    }
  }
}

void swap_bytes(std::byte* samples, std::int64_t count, std::int64_t width) {
  if (width == 2) swap_words<std::uint16_t>(samples, count, [](std::uint16_t v) { return __builtin_bswap16(v); });
  if (width == 4) swap_words<std::uint32_t>(samples, count, [](std::uint32_t v) { return __builtin_bswap32(v); });
  if (width == 8) swap_words<std::uint64_t>(samples, count, [](std::uint64_t v) { return __builtin_bswap64(v); });
}

void normalise_bool(std::byte* samples, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) samples[i] = static_cast<std::byte>(samples[i] != std::byte{0});
}

void unpack_bits(const std::byte* packed, std::int64_t count, int bits, std::byte* out) {
  const std::int64_t in_byte = 8 / bits;
  const unsigned mask = (1U << bits) - 1U;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto shift = static_cast<int>(8 - bits * (i % in_byte + 1));
    out[i] = static_cast<std::byte>((std::to_integer<unsigned>(packed[i / in_byte]) >> shift) & mask);
  }
}

void unpack_words(const std::byte* packed, std::int64_t count, int bits, std::byte* out) {
  std::uint32_t window = 0;  // the last of its `held` bits are not used yet
  int held = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    for (; held < bits; held += 8) window = window << 8U | std::to_integer<std::uint32_t>(*packed++);
    held -= bits;
    const auto sample = static_cast<std::uint16_t>(window >> held & ((1U << bits) - 1U));
    std::memcpy(out + 2 * i, &sample, sizeof sample);
  }
}

void pack_bits(const std::byte* samples, std::int64_t count, std::byte* out) {
  std::fill_n(out, (count + 7) / 8, std::byte{0});
  for (std::int64_t i = 0; i < count; ++i) out[i / 8] |= samples[i] << (7 - i % 8);
}

void pack_row(const std::byte* samples, std::int64_t count, std::uint64_t* words) {
  std::int64_t i = 0;
  if constexpr (native_little) {
    for (; i + 8 <= count; i += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, samples + i, sizeof eight);
      // Byte k holds bit k; the product gathers all eight in the top byte, where no two partial products meet.
      words[i / 64] |= ((eight * 0x0102040810204080U) >> 56) << (i % 64);
    }
  }
  for (; i < count; ++i) words[i / 64] |= std::to_integer<std::uint64_t>(samples[i]) << (i % 64);
}

}  // namespace tamis::io
