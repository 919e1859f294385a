// The program that asks ITK's image IO on behalf of tamis about DICOM: questions come and answers go on its standard
// input, a socket, until that is closed. It confines itself before the first question. The only source that includes
// ITK.
#include "io/itk/wire.hpp"

#include <itkGDCMImageIO.h>
#include <itkMetaDataObject.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "io/confined/program.hpp"

namespace tamis::io {
namespace {

using IO = itk::ImageIOBase;

// Made by hand: ITK's factories would load and ask all the formats that it knows.
IO::Pointer make_io() { return itk::GDCMImageIO::New().GetPointer(); }

std::optional<Type> type_of(const IO& io) {
  using Component = std::decay_t<decltype(io.GetComponentType())>;
  const auto integer = [](std::size_t bytes) {
    return bytes == 8 ? Type::I64 : bytes == 4 ? Type::I32 : bytes == 2 ? Type::I16 : Type::I8;
  };
  const Component type = io.GetComponentType();
  // No switch: the enumeration became scoped in ITK 5.1, and these names serve before and after.
  if (type == IO::UCHAR) return Type::U8;
  if (type == IO::USHORT) return Type::U16;
  if (type == IO::UINT) return Type::U32;
  if (type == IO::ULONG) return sizeof(unsigned long) == 8 ? Type::U64 : Type::U32;
  if (type == IO::ULONGLONG) return Type::U64;
  if (type == IO::CHAR) return integer(1);
  if (type == IO::SHORT) return integer(2);
  if (type == IO::INT) return integer(4);
  if (type == IO::LONG) return integer(sizeof(long));
  if (type == IO::LONGLONG) return integer(8);
  if (type == IO::FLOAT) return Type::F32;
  if (type == IO::DOUBLE) return Type::F64;
  return std::nullopt;
}

std::string tag(const IO& io, const char* name) {
  std::string value;
  itk::ExposeMetaData<std::string>(io.GetMetaDataDictionary(), name, value);
  const std::size_t end = value.find_last_not_of(std::string(" \t\0", 3));
  return end == std::string::npos ? std::string() : value.substr(0, end + 1);
}

ItkHeader read_header(IO& io, const std::string& path) {
  io.SetFileName(path);
  io.ReadImageInformation();
  ItkHeader header;
  const std::optional<Type> type = type_of(io);
  if (!type || io.GetNumberOfComponents() != 1 || io.GetPixelType() != IO::SCALAR) {
    throw std::runtime_error("a voxel is " + std::to_string(io.GetNumberOfComponents()) + " x " +
                             IO::GetComponentTypeAsString(io.GetComponentType()) + " (" +
                             IO::GetPixelTypeAsString(io.GetPixelType()) + "); wanted one number a voxel");
  }
  header.type = *type;
  for (unsigned d = 0; d < io.GetNumberOfDimensions(); ++d) {
    const auto size = static_cast<std::int64_t>(io.GetDimensions(d));
    if (d >= 3 && size != 1) {
      throw std::runtime_error("got " + std::to_string(io.GetNumberOfDimensions()) + " dimensions, wanted 2 or 3");
    }
    if (d >= 3) continue;
    header.sizes[d] = size;
    header.spacing[d] = io.GetSpacing(d);
  }
  header.series = tag(io, "0020|000e");
  header.number = tag(io, "0020|0013");
  header.position = tag(io, "0020|0032");
  header.orientation = tag(io, "0020|0037");
  return header;
}

std::vector<std::byte> read_samples(const std::string& path, Type type, const std::array<std::int64_t, 3>& sizes) {
  const IO::Pointer io = make_io();
  const ItkHeader now = read_header(*io, path);
  if (now.type != type || now.sizes != sizes) throw std::runtime_error("the file has changed since it was opened");
  itk::ImageIORegion region(io->GetNumberOfDimensions());
  for (unsigned d = 0; d < io->GetNumberOfDimensions(); ++d) {
    region.SetIndex(d, 0);
    region.SetSize(d, io->GetDimensions(d));
  }
  io->SetIORegion(region);
  std::vector<std::byte> samples(static_cast<std::size_t>(io->GetImageSizeInBytes()));
  io->Read(samples.data());
  return samples;
}

/// ITK's description without the class and address in front ("itk::ERROR: NrrdImageIO(0x55..): "), on one line.
std::string one_line(std::string text) {
  const std::size_t head =
      text.starts_with("itk::ERROR") || text.starts_with("ITK ERROR") ? text.find("): ") : text.npos;
  if (head != std::string::npos) text.erase(0, head + 3);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 32; }, ' ');
  const std::size_t first = text.find_first_not_of(' ');
  const std::size_t last = text.find_last_not_of(' ');
  return first == std::string::npos ? "unknown reason" : text.substr(first, last - first + 1);
}

/// Does the work; what ITK throws becomes an error of one line about the file.
template <class Work>
auto in_words(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const itk::ExceptionObject& error) {
    throw InputError(path + ": ITK cannot read it: " + one_line(error.GetDescription()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(path + ": ITK cannot read it: " + one_line(error.what()));
  } catch (...) {
    throw InputError(path + ": ITK cannot read it: unknown reason");  // GDCM throws what it likes
  }
}

/// False when the other end is gone.
bool serve(const Wire& wire) {
  ItkQuestion question{};
  std::string path;
  if (!wire.get(question) || !wire.get(path)) return false;
  if (question == ItkQuestion::Header) {
    return answer(wire, [&] {
      const auto header = in_words(path, [&] { return read_header(*make_io(), path); });
      return [header](const Wire& to) { return put(to, header); };
    });
  }
  Type type{};
  std::array<std::int64_t, 3> sizes{};
  if (!wire.get(type) || !wire.get(sizes)) return false;
  return answer(wire, [&] {
    auto samples = in_words(path, [&] { return read_samples(path, type, sizes); });
    return [samples = std::move(samples)](const Wire& to) { return to.send(samples.data(), samples.size()); };
  });
}

/// What ITK and GDCM set up at their first use, before the process gives up its rights.
void warm_up() { static_cast<void>(make_io()); }

}  // namespace
}  // namespace tamis::io

int main() {
  using namespace tamis::io;
  const Wire wire(STDIN_FILENO);
  warm_up();
  if (!become_confined(wire)) return 1;
  while (serve(wire)) continue;
  ::_exit(0);  // nothing is left to do, and libraries that tidy up may meet what the filter refuses
}
