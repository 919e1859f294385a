// How files are written, for people and front ends.
#include <tamis/io.hpp>

#include "core/operation/operation.hpp"

namespace tamis {
namespace {

constexpr Choice<TiffCompression> compressions[] = {{"deflate", TiffCompression::Deflate}, {"zstd", TiffCompression::Zstd}};
constexpr Choice<OmeZarrVersion> versions[] = {{"0.4", OmeZarrVersion::V0_4}, {"0.5", OmeZarrVersion::V0_5}};

OperationDescription describe_writing() {
  OperationDescription writing;
  writing.name = "writing";
  writing.text = "how files are written";
  return describe(std::move(writing), WriteOptions(), "Writing",
                  parameter(&WriteOptions::compress, "compress")
                      .choices(compressions)
                      .text("compress the samples of a TIFF file: deflate, which all that read TIFF read, or zstd, sooner and "
                            "smaller")
                      .example("deflate"),
                  parameter(&WriteOptions::ome_zarr, "ome_zarr")
                      .choices(versions)
                      .text("version of an OME-Zarr image: 0.4, which lies on Zarr 2 and which it is without, or 0.5 on Zarr 3")
                      .example("0.5"));
}

}  // namespace

const OperationDescription& writing() {
  static const OperationDescription description = describe_writing();
  return description;
}

}  // namespace tamis
