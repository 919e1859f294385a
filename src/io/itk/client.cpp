#include "io/itk/client.hpp"

#include <fmt/format.h>

#include <string_view>

#include <tamis/error.hpp>

#include "io/checked.hpp"
#include "io/mapped_file.hpp"
#include "io/samples.hpp"

namespace tamis::io {

namespace {

SharedMemory copy_with_monochrome2(const std::string& path, std::int64_t place) {
  const MappedFile file(path);
  SharedMemory copy(file.size());
  constexpr std::string_view word = "MONOCHROME1";
  const auto digit = place + static_cast<std::int64_t>(word.size()) - 1;
  if (!within(digit, 1, file.size())) {
    throw InputError(fmt::format("{}: the file has changed since it was opened", path));
  }
  copy.write(0, file.data(), file.size());
  copy.write(digit, reinterpret_cast<const std::byte*>("2"), 1);
  return copy;
}

}  // namespace

bool ItkClient::ask(ItkQuestion question, const std::string& path) const {
  const Wire wire = process_.wire();
  return wire.put(question) && wire.put(path);
}

ItkHeader ItkClient::header(const std::string& path) {
  process_.begin(path, file_length(path), 0);
  ItkHeader header;
  process_.require(ask(ItkQuestion::Header, path));
  process_.wait();
  process_.require(get(process_.wire(), header));
  return header;
}

void ItkClient::samples(const std::string& path, std::int64_t monochrome1, Type type,
                        const std::array<std::int64_t, 3>& sizes, std::byte* out) {
  const std::int64_t bytes = checked_bytes(path, {type, {sizes[2], sizes[1], sizes[0], 3}, 1, {}});
  process_.begin(path, file_length(path), bytes);
  if (monochrome1 >= 0) process_.substitute(copy_with_monochrome2(path, monochrome1));
  const Wire wire = process_.wire();
  process_.require(ask(ItkQuestion::Samples, path) && wire.put(type) && wire.put(sizes));
  process_.wait();
  process_.require(wire.receive(out, static_cast<std::size_t>(bytes)));
}

}  // namespace tamis::io
