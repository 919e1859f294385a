// Voxel sizes of DICOM files: which of them the file says, and which GDCM made up.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tamis::io {

/// The elements of a file that hold voxel sizes, wherever they stand. GDCM gives 1 for what is missing, 0 or no number,
/// and at times the time between frames for a distance; a 1 counts only where the file has one itself.
class DicomLengths {
 public:
  /// Takes what matters; other elements are passed over.
  void note(std::uint32_t tag, std::string_view value);
  /// Can these be the edges of a pixel, and this the distance of frames, in mm?
  [[nodiscard]] bool has_in_plane(double x, double y) const;
  [[nodiscard]] bool has_between(double z) const;

 private:
  struct Lengths {
    bool any = false;  // above 0 and finite
    bool one = false;  // 1 mm
    void add(double length);
    [[nodiscard]] bool vouch_for(double length) const;
  };
  Lengths in_plane_;
  Lengths between_;
};

}  // namespace tamis::io
