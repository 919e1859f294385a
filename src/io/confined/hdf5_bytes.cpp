#include "io/confined/hdf5_bytes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/system/descriptor.hpp"
#include "io/checked.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

/// The two forms of an object header: how long its parts are.
struct HeaderForm {
  std::size_t prefix = 16;     ///< in front of the first message
  std::uint64_t messages = 0;  ///< all of the first block
  std::size_t around = 0;      ///< in front of the messages of a later block, and behind those of each
  std::size_t kind = 2;        ///< of the number that says what a message is
  std::size_t head = 8;        ///< of a message
};

HeaderForm form_of(const Hdf5Bytes& file, std::uint64_t address) {
  constexpr std::uint64_t longest_prefix = 34;
  const std::vector<std::byte> bytes = file.read({address, longest_prefix});
  HeaderForm form;
  if (std::memcmp(bytes.data(), "OHDR", 4) != 0) {
    form.messages = hdf5_number(bytes.data() + 8, 4);
    return form;
  }
  const std::uint64_t flags = hdf5_number(bytes.data() + 5, 1);
  const std::size_t width = std::size_t{1} << (flags & 3U);
  const std::size_t at = 6 + ((flags & 0x20U) != 0 ? 16U : 0U) + ((flags & 0x10U) != 0 ? 4U : 0U);
  form.messages = hdf5_number(bytes.data() + at, width);
  form.prefix = at + width;
  form.around = 4;
  form.kind = 1;
  form.head = (flags & 4U) != 0 ? 6 : 4;
  return form;
}

}  // namespace

Hdf5Bytes::Hdf5Bytes(std::string path, hid_t dataset) : path_(std::move(path)) {
  const Hdf5Id file(H5Iget_file_id(dataset));
  const Hdf5Id creation(H5Fget_create_plist(file.get()));
  void* descriptor = nullptr;
  hsize_t in_front = 0;
  unsigned half = 0;
  struct stat status {};
  if (H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &descriptor) < 0 || !descriptor ||
      H5Pget_userblock(creation.get(), &in_front) < 0 ||
      H5Pget_sizes(creation.get(), &address_width_, &length_width_) < 0 || H5Pget_istore_k(creation.get(), &half) < 0 ||
      std::max(address_width_, length_width_) > 8 || ::fstat(file_ = *static_cast<int*>(descriptor), &status) != 0) {
    refuse(hdf5_message());
  }
  haddr_t image = HADDR_UNDEF;
  hsize_t image_bytes = 0;
  if (H5Fget_mdc_image_info(file.get(), &image, &image_bytes) >= 0 && image != HADDR_UNDEF) {
    io::refuse("{}: got HDF5 with an image of a cache, wanted one without, as h5repack writes it", path_);
  }
  in_front_ = in_front;
  bytes_ = status.st_size;
  most_children_ = 2 * std::uint64_t{half};
}

void Hdf5Bytes::refuse(const std::string& what) const { io::refuse("{}: corrupt HDF5 file: {}", path_, what); }

void Hdf5Bytes::require_within(const Hdf5Part& part) const {
  if (within(Checked(in_front_) + part.address, part.bytes, bytes_)) return;
  refuse(fmt::format("got {} bytes at {} that belong to a dataset, wanted them within the file's {}", part.bytes,
                     part.address, bytes_));
}

std::vector<std::byte> Hdf5Bytes::read(const Hdf5Part& part) const {
  require_within(part);
  std::vector<std::byte> bytes(part.bytes);
  const auto place = static_cast<std::int64_t>(in_front_ + part.address);
  if (read_at(file_, bytes.data(), std::ssize(bytes), place) != std::ssize(bytes)) {
    refuse("it cannot be read, or was shortened meanwhile");
  }
  return bytes;
}

std::vector<std::byte> hdf5_layout_message(const Hdf5Bytes& file, hid_t dataset, std::vector<Hdf5Part>& parts) {
  constexpr std::uint64_t layout_kind = 8;
  constexpr std::uint64_t continuation_kind = 16;
  H5O_info_t info{};
  if (H5Oget_info2(dataset, &info, H5O_INFO_BASIC) < 0) file.refuse(hdf5_message());
  const HeaderForm form = form_of(file, info.addr);
  parts.push_back({info.addr, form.prefix + form.messages + form.around});
  std::vector<Hdf5Part> blocks{{info.addr + form.prefix, form.messages}};
  std::vector<std::byte> layout;
  std::uint64_t total = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    file.require_within({0, total += blocks[b].bytes});  // blocks that refer to one another would never end
    const std::vector<std::byte> block = file.read(blocks[b]);
    for (std::size_t at = 0; at + form.head <= block.size();) {
      const std::uint64_t kind = hdf5_number(block.data() + at, form.kind);
      const std::uint64_t bytes = hdf5_number(block.data() + at + form.kind, 2);
      at += form.head;
      if (bytes > block.size() - at) file.refuse("a message of an object header is longer than its block");
      const std::byte* const message = block.data() + at;
      at += bytes;
      if (kind == layout_kind) layout.assign(message, message + bytes);
      if (kind != continuation_kind || bytes < file.address_width() + file.length_width()) continue;
      parts.push_back({hdf5_number(message, file.address_width()),
                       hdf5_number(message + file.address_width(), file.length_width())});
      file.require_within(parts.back());
      if (parts.back().bytes < 2 * form.around) file.refuse("a block of an object header has no room");
      blocks.push_back({parts.back().address + form.around, parts.back().bytes - 2 * form.around});
    }
  }
  return layout;
}

}  // namespace tamis::io
