#include "cli/input/image.hpp"

#include <fmt/format.h>

#include <filesystem>

#include <tamis/image/crop.hpp>

#include "cli/input/files.hpp"

namespace tamis::cli {
namespace {

Box box_in(const CropRanges& crop, const Shape& shape) {
  const Box box = crop.of(shape);
  if (box.x1 > shape.x || box.y1 > shape.y || box.z1 > shape.z) {
    throw InputError(fmt::format("--crop {}:{},{}:{},{}:{} reaches outside the image, wanted ranges within {}", box.x0,
                                 box.x1, box.y0, box.y1, box.z0, box.z1, to_string(shape)));
  }
  return box;
}

std::unique_ptr<SliceSource> open_mask_in(const std::string& path, const ReadOptions& read, const Shape& whole,
                                          const std::optional<Box>& box) {
  std::unique_ptr<SliceSource> mask = open_noted(path, for_any_file(read, read.cancel));
  const Shape shape = mask->layout().shape;
  // A mask of the whole image is cropped with it; one that was made for the crop is taken as it is.
  if (box && shape.x == whole.x && shape.y == whole.y && (shape.z == whole.z || shape.z == 1)) {
    Box part = *box;
    if (shape.z == 1) {
      part.z0 = 0;
      part.z1 = 1;
    }
    mask = crop(std::move(mask), part);
  }
  return mask;
}

}  // namespace

ReadOptions for_any_file(const ReadOptions& read, const std::stop_token& cancel) {
  ReadOptions options;
  options.follow = read.follow;
  options.unconfined = read.unconfined;
  options.cancel = cancel;
  return options;
}

Input open_input(const std::string& path, ReadOptions read, const RegionFlags& region, const std::stop_token& cancel) {
  read.cancel = cancel;
  Input input;
  input.path = path;
  std::optional<Box> box;
  about_file(path, [&] {
    std::unique_ptr<FileSource> file = open_noted(path, read);
    input.description = file->description();
    input.file = file->layout();
    input.source = std::move(file);
    if (region.crop) {
      box = box_in(*region.crop, input.file.shape);
      input.source = crop(std::move(input.source), *box);
    }
  });
  const Shape& whole = input.file.shape;
  if (region.roi == "cylinder") {
    if (!box) {
      input.region.kind = Region::Kind::Cylinder;
      return input;
    }
    // The field of view is that of the whole slice, wherever the crop lies in it.
    input.disk = std::make_unique<Image>(inscribed_disk(whole.y, whole.x));
    input.mask = crop(source_of(*input.disk), Box{0, 1, box->y0, box->y1, box->x0, box->x1});
  } else if (!region.roi.empty()) {
    if (!std::filesystem::exists(region.roi) && region.roi.find('.') == std::string::npos) {
      throw InputError(fmt::format("--roi {}: wanted cylinder or the file of a mask", region.roi));
    }
    input.mask = about_file("--roi " + region.roi, [&] { return open_mask_in(region.roi, read, whole, box); });
  }
  if (input.mask) {
    input.region.kind = Region::Kind::Mask;
    input.region.mask = input.mask.get();
  }
  return input;
}

std::unique_ptr<SliceSource> open_mask(const std::string& path, ReadOptions read, const Input& input,
                                       const RegionFlags& region, const std::stop_token& cancel) {
  read.cancel = cancel;
  const Shape& whole = input.file.shape;
  const std::optional<Box> box = region.crop ? std::optional(box_in(*region.crop, whole)) : std::nullopt;
  return open_mask_in(path, read, whole, box);
}

std::string unit_text(const std::string& unit) { return unit == "um" ? "µm" : unit; }

std::string spacing_text(const Spacing& spacing, int rank) {
  if (!scales(spacing)) return "not known";
  const std::string unit = unit_text(length_unit(spacing));
  if (spacing.isotropic(rank)) return fmt::format("{:.6g} {}", spacing.x, unit);
  const std::string plane = fmt::format("{:.6g} x {:.6g}", spacing.x, spacing.y);
  return rank == 2 ? fmt::format("{} {}", plane, unit) : fmt::format("{} x {:.6g} {}", plane, spacing.z, unit);
}

}  // namespace tamis::cli
