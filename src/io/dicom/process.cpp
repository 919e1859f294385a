// The program that has GDCM decode the pixel data of DICOM files on behalf of tamis: questions come and answers go on
// its standard input, a socket, until that is closed. It confines itself before the first question. The only source
// that includes GDCM.
#include <gdcmGlobal.h>
#include <gdcmImageReader.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "io/confined/program.hpp"
#include "io/dicom/wire.hpp"

namespace tamis::io {
namespace {

std::vector<char> decoded(const std::string& path, const DicomQuestion& question) {
  gdcm::ImageReader reader;
  reader.SetFileName(path.c_str());
  if (!reader.Read()) throw InputError(path + ": GDCM cannot read it");
  const gdcm::Image& image = reader.GetImage();
  const gdcm::PixelFormat& format = image.GetPixelFormat();
  const auto& [x, y, z] = question.sizes;
  const bool frames = image.GetNumberOfDimensions() == 3 ? std::cmp_equal(image.GetDimension(2), z) : z == 1;
  const bool same = std::cmp_equal(image.GetDimension(0), x) && std::cmp_equal(image.GetDimension(1), y) && frames &&
                    format.GetSamplesPerPixel() == 1 && format.GetBitsAllocated() == 8 * question.width &&
                    (format.GetPixelRepresentation() == 1) == (question.is_signed == 1) &&
                    image.GetBufferLength() == static_cast<std::size_t>(x * y * z * question.width);
  if (!same)
    throw InputError(path + ": an ambiguous DICOM file: GDCM takes its samples for others than its elements say");
  std::vector<char> samples(image.GetBufferLength());
  if (!image.GetBuffer(samples.data())) throw InputError(path + ": GDCM cannot decode its samples");
  return samples;
}

/// What GDCM throws becomes an error of one line about the file.
std::vector<char> decoded_or_refused(const std::string& path, const DicomQuestion& question) {
  try {
    return decoded(path, question);
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(path + ": GDCM cannot read it: " + error.what());
  } catch (...) {
    throw InputError(path + ": GDCM cannot read it: unknown reason");
  }
}

/// False when the other end is gone.
bool serve(const Wire& wire) {
  std::string path;
  DicomQuestion question;
  if (!wire.get(path) || !wire.get(question.width) || !wire.get(question.is_signed) || !wire.get(question.sizes))
    return false;
  return answer(wire, [&] {
    auto samples = decoded_or_refused(path, question);
    return [samples = std::move(samples)](const Wire& to) {
      return to.send(reinterpret_cast<const std::byte*>(samples.data()), samples.size());
    };
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
