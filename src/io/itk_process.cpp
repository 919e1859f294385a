// The program that asks ITK's image IO on behalf of tamis: questions come and answers go on its standard input, a
// socket, until that is closed. The only source that includes ITK.
#include "io/itk_wire.hpp"

#include <itkGDCMImageIO.h>
#include <itkMetaDataObject.h>
#include <itkMetaImageIO.h>
#include <itkNiftiImageIO.h>
#include <itkNrrdImageIO.h>
#include <sys/resource.h>

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace tamis::io {
namespace {

using IO = itk::ImageIOBase;

// Made by hand: ITK's factories would load and ask all the formats that it knows.
IO::Pointer make_io(ItkFormat format) {
  switch (format) {
    case ItkFormat::Nrrd:
      return itk::NrrdImageIO::New().GetPointer();
    case ItkFormat::Meta:
      return itk::MetaImageIO::New().GetPointer();
    case ItkFormat::Nifti:
      return itk::NiftiImageIO::New().GetPointer();
    case ItkFormat::Dicom:
      return itk::GDCMImageIO::New().GetPointer();
  }
  throw std::logic_error("no such format");
}

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

ItkHeader read_header(IO& io, ItkFormat format, const std::string& path) {
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
  if (format == ItkFormat::Dicom) {
    header.series = tag(io, "0020|000e");
    header.number = tag(io, "0020|0013");
    header.position = tag(io, "0020|0032");
    header.orientation = tag(io, "0020|0037");
  }
  return header;
}

std::vector<std::byte> read_samples(ItkFormat format, const std::string& path, Type type,
                                    const std::array<std::int64_t, 3>& sizes) {
  const IO::Pointer io = make_io(format);
  const ItkHeader now = read_header(*io, format, path);
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

/// Does the work and sends how it went; the answer's contents follow where it went well.
template <class Work>
bool answer(const ItkWire& wire, const Work& work) {
  std::string why = "unknown reason";
  try {
    const auto result = work();
    return wire.put(ItkAnswer::Done) && result(wire);
  } catch (const std::bad_alloc&) {
    return wire.put(ItkAnswer::NoMemory);
  } catch (const itk::ExceptionObject& error) {
    why = one_line(error.GetDescription());
  } catch (const std::exception& error) {
    why = one_line(error.what());
  } catch (...) {
    // GDCM throws what it likes; there is no more to tell.
  }
  return wire.put(ItkAnswer::Refused) && wire.put(why);
}

/// False when the other end is gone.
bool serve(const ItkWire& wire) {
  ItkQuestion question{};
  ItkFormat format{};
  std::string path;
  if (!wire.get(question) || !wire.get(format) || !wire.get(path)) return false;
  if (question == ItkQuestion::Header) {
    return answer(wire, [&] {
      return [header = read_header(*make_io(format), format, path)](const ItkWire& to) { return to.put(header); };
    });
  }
  Type type{};
  std::array<std::int64_t, 3> sizes{};
  if (!wire.get(type) || !wire.get(sizes)) return false;
  return answer(wire, [&] {
    return [samples = read_samples(format, path, type, sizes)](const ItkWire& to) {
      return to.send(samples.data(), samples.size());
    };
  });
}

}  // namespace
}  // namespace tamis::io

int main() {
  // An assertion of GDCM is an answer here, and no reason for a core file.
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const tamis::io::ItkWire wire(0);
  while (tamis::io::serve(wire)) continue;
  return 0;
}
