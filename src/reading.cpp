// How files are read, for people and front ends.
#include <tamis/io.hpp>

#include "core/operation/operation.hpp"

namespace tamis {
namespace {

constexpr Choice<ByteOrder> byte_orders[] = {{"little", ByteOrder::Little}, {"big", ByteOrder::Big}};

constexpr Choice<AxesOrder> axes_orders[] = {{"zyx", AxesOrder::ZYX}, {"tyx", AxesOrder::TYX}, {"cyx", AxesOrder::CYX}};

OperationDescription describe_reading() {
  OperationDescription reading;
  reading.name = "reading";
  reading.text = "what a file cannot say of itself, and what to take of it";
  return describe(std::move(reading), ReadOptions(), "Reading",
                  parameter(&ReadOptions::spacing, "spacing")
                      .text("size of a voxel, 2.5um or 1x1x2um (x first), or without a unit a ratio; overrides what the file says")
                      .example("2.5um"),
                  parameter(&ReadOptions::channel, "channel")
                      .placeholder("N|luma")
                      .text("what to take of a colour image or of a file of several channels: one of them, counted from 0, "
                            "or luma")
                      .example("luma"),
                  parameter(&ReadOptions::shape, "shape")
                      .placeholder("WxHxD")
                      .read_by(parse_shape)
                      .text("extent of a raw file in voxels, x first; otherwise read off its name, foam_600x600x250_u8.raw")
                      .example("600x600x250"),
                  parameter(&ReadOptions::dtype, "dtype")
                      .kind(ParameterKind::Choice)
                      .words({"u8", "u16", "i16", "f32", "i8", "u32", "i32", "u64", "i64", "f64"})
                      .by(parse_type, [](const std::optional<Type>& type) { return std::string(type ? name(*type) : ""); })
                      .text("sample type of a raw file; otherwise read off its name")
                      .example("u16"),
                  parameter(&ReadOptions::byte_order, "byte_order")
                      .choices(byte_orders)
                      .text("byte order of a raw file")
                      .example("big"),
                  parameter(&ReadOptions::skip, "skip")
                      .at_least(0)
                      .text("bytes of a raw file before its samples, such as a header")
                      .example("512"),
                  parameter(&ReadOptions::axes, "axes")
                      .choices(axes_orders)
                      .text("slices of a TIFF, OME-Zarr or NIfTI file are what it calls times (tyx) or channels (cyx), or "
                            "whichever it has several of (zyx)")
                      .example("zyx"),
                  parameter(&ReadOptions::time, "time")
                      .at_least(0)
                      .text("which time of a file that holds several, counted from 0")
                      .example("3"),
                  parameter(&ReadOptions::level, "level")
                      .at_least(0)
                      .text("which level of an OME-Zarr image, 0 the finest, which it is without")
                      .example("1"),
                  parameter(&ReadOptions::only, "only")
                      .placeholder("PATTERN")
                      .text("which files of a folder are its slices, a pattern as the shell has them")
                      .example("*.tif"),
                  parameter(&ReadOptions::upright, "upright")
                      .text("turn pictures as their EXIF orientation says, as viewers do"),
                  parameter(&ReadOptions::follow, "follow")
                      .text("open what a file refers to (external data of HDF5, of .nhdr and .mhd) also outside its own "
                            "folder, and symbolic links in a Zarr store"),
                  parameter(&ReadOptions::unconfined, "unconfined")
                      .text("decode files in a process that is not confined, where this system cannot confine one"));
}

}  // namespace

const OperationDescription& reading() {
  static const OperationDescription description = describe_reading();
  return description;
}

}  // namespace tamis
