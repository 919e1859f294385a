// The program that has GDCM decode the pixel data of DICOM files on behalf of tamis: questions come and answers go on
// its standard input, a socket, until that is closed. It confines itself before the first question. The only source
// that includes GDCM.
#include <gdcmGlobal.h>
#include <gdcmImageReader.h>
#include <unistd.h>

#include <new>
#include <stdexcept>
#include <utility>

#include <tamis/error.hpp>

#include "io/confined/program.hpp"
#include "io/dicom/dicom.hpp"

namespace tamis::io {
namespace {

std::vector<char> decoded(const std::string& path, const DicomQuestion& question) {
  gdcm::ImageReader reader;
  reader.SetFileName(path.c_str());
  if (!reader.Read()) throw std::runtime_error("it finds no image");
  const gdcm::Image& image = reader.GetImage();
  const gdcm::PixelFormat& format = image.GetPixelFormat();
  const auto& [x, y, z] = question.sizes;
  const bool frames = image.GetNumberOfDimensions() == 3 ? std::cmp_equal(image.GetDimension(2), z) : z == 1;
  const bool same = std::cmp_equal(image.GetDimension(0), x) && std::cmp_equal(image.GetDimension(1), y) && frames &&
                    format.GetSamplesPerPixel() == 1 && format.GetBitsAllocated() == 8 * question.width &&
                    (format.GetPixelRepresentation() == 1) == (question.is_signed == 1) &&
                    image.GetBufferLength() == static_cast<std::size_t>(x * y * z * question.width);
  if (!same) throw std::runtime_error("it takes the samples for others than the elements say");
  std::vector<char> samples(image.GetBufferLength());
  if (!image.GetBuffer(samples.data())) throw std::runtime_error("its samples are damaged");
  return samples;
}

/// False when the other end is gone. What GDCM throws becomes an error about the file.
bool serve(const Wire& wire) {
  std::string path;
  DicomQuestion question;
  if (!wire.get(path, question)) return false;
  return answer(wire, [&] {
    try {
      return std::tuple(decoded(path, question));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      throw InputError(path + ": GDCM cannot decode it: " + error.what());
    }
  });
}

/// What GDCM sets up at its first use, before the process gives up its rights.
void warm_up() {
  static_cast<void>(gdcm::Global::GetInstance().GetDicts());
  static_cast<void>(gdcm::ImageReader());
}

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
