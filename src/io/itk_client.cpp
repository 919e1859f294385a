#include "io/itk_client.hpp"

#include "io/mapped_file.hpp"
#include "io/samples.hpp"

namespace tamis::io {

bool ItkClient::ask(ItkQuestion question, ItkFormat format, const std::string& path) const {
  const Wire wire = process_.wire();
  return wire.put(question) && wire.put(format) && wire.put(path);
}

ItkHeader ItkClient::header(ItkFormat format, const std::string& path) {
  process_.begin(path, file_length(path), 0);
  ItkHeader header;
  process_.require(ask(ItkQuestion::Header, format, path));
  process_.wait();
  process_.require(get(process_.wire(), header));
  return header;
}

void ItkClient::samples(ItkFormat format, const std::string& path, Type type, const std::array<std::int64_t, 3>& sizes,
                        std::byte* out) {
  const std::int64_t bytes = checked_bytes(path, {type, {sizes[2], sizes[1], sizes[0], 3}, 1, {}});
  process_.begin(path, file_length(path), bytes);
  const Wire wire = process_.wire();
  process_.require(ask(ItkQuestion::Samples, format, path) && wire.put(type) && wire.put(sizes));
  process_.wait();
  process_.require(wire.receive(out, static_cast<std::size_t>(bytes)));
}

}  // namespace tamis::io
