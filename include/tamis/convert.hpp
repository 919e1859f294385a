// Conversion between sample types, with a window.
#pragma once

#include <tamis/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/image/rows.hpp>

namespace TAMIS_PUBLIC tamis {

/// Values low .. high of the source are mapped linearly onto the whole range of an integer type (0 .. 1 for F32),
/// clamped, rounded half away from zero.
struct Window {
  double low = 0;
  double high = 1;
};

/// A source of another sample type: U8, U16, I16 or F32. Without a window values are kept: rounded half away from
/// zero and clamped to the range of the type. NaN becomes 0 in an integer type only if a window is given, otherwise
/// reading throws InputError. The source moves into the result.
[[nodiscard]] std::unique_ptr<SliceSource> convert(std::unique_ptr<SliceSource> source, Type type,
                                                   const std::optional<Window>& window = {});

/// What lies between samples. With c the place between them:
///   Nearest  the sample whose voxel c lies in; of a boundary the one behind it. For masks and labels.
///   Linear   weights that fall linearly with the distance, of two samples along each axis
///   Cubic    cubic convolution of four samples along each axis, a = -1/2 (Keys 1981; Catmull-Rom)
enum class Interpolation : std::uint8_t { Nearest, Linear, Cubic };
[[nodiscard]] std::string_view name(Interpolation interpolation);

/// The shape of an image whose voxels become those of `spacing`: along each axis its length over the new side, rounded,
/// and at least 1. Throws InputError where a spacing or a unit is not known, or an edge would be above 10^9.
[[nodiscard]] Shape resampled_shape(const Layout& layout, const Spacing& spacing);

/// A source with voxels of other sides, whose outer edges at the low ends stay where they are: sample i lies at
/// (i + 1/2) * new side / old side - 1/2, counted in old samples. Along x, then y, then z, in 64-bit floats; beyond the
/// last sample it goes on as it is. Whole numbers are rounded half away from zero and clamped. A sample of weight 0
/// does not count, even if it is NaN. Nothing is smoothed: where voxels become larger, what is smaller than they are is
/// left to chance. Reading takes memory for 1, 2 or 4 slices of the new width and height, of 8 bytes a sample. The
/// source moves into the result. U64 and I64, which 64-bit floats do not hold, go as_f32() and become F32, unless
/// Nearest. Throws as resampled_shape(); also for Bool, unless Nearest.
[[nodiscard]] std::unique_ptr<SliceSource> resample(const Context& context, std::unique_ptr<SliceSource> source,
                                                    const Spacing& spacing,
                                                    Interpolation interpolation = Interpolation::Linear);

/// The samples as a type that filters compute with: the source itself of Bool, U8, U16, I16 and F32, F32 of others. F64 is
/// rounded to the nearest float, halves to the even one; a filter that chooses samples gives then what it gives of the
/// doubles, rounded. Whole numbers have to be such that F32 has: up to 2^24, and of more digits those that end with zeros.
/// Reading throws InputError, with the position, for the first other one and for F64 beyond the range of F32. NaN and
/// infinity are what they were. The source moves into the result.
[[nodiscard]] std::unique_ptr<SliceSource> as_f32(std::unique_ptr<SliceSource> source);

/// Back to `type`: samples of F32 that a filter has chosen among such numbers. Infinity, which an erosion gives where it
/// sees nothing, becomes the greatest value of a type of whole numbers. A source of that type is the result itself, one
/// of another type than F32 an InputError. The source moves into it.
[[nodiscard]] std::unique_ptr<SliceSource> from_f32(std::unique_ptr<SliceSource> source, Type type);

/// Whether whole numbers would keep next to nothing of an image of floats: without a window every sample becomes 0 or
/// 1, and some lie between whole numbers, as in an image of 0 ... 1. Reads the source up to the first sample that shows
/// it to be another.
[[nodiscard]] bool becomes_zeros_and_ones(const Context& context, SliceSource& source);

/// The same of an image in memory, `layout` says what `in` holds, by the threads of the context. `out` has room for all
/// rows of it in the new type. Throws InputError as the source does, for the first NaN in the order of samples; `out`
/// is partly written then.
void convert(const Context& context, const MappedSlices& in, const Layout& layout, Type type,
             const std::optional<Window>& window, const ImageRows& out);

}  // namespace tamis
