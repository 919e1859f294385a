#include "io/dicom/client.hpp"

#include "io/checked.hpp"
#include "io/mapped_file.hpp"

namespace tamis::io {

void DicomClient::samples(const std::string& path, const DicomQuestion& question, std::byte* out) {
  const auto& [x, y, z] = question.sizes;
  const std::int64_t bytes = (Checked(question.width) * x * y * z).value(path, "the size of its samples");
  process_.begin(path, file_length(path), bytes);
  const Wire wire = process_.wire();
  process_.require(wire.put(path) && wire.put(question.width) && wire.put(question.is_signed) &&
                   wire.put(question.sizes));
  process_.wait();
  process_.require(wire.receive(out, static_cast<std::size_t>(bytes)));
}

}  // namespace tamis::io
