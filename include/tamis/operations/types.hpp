// Filters of images of types that filters do not compute with.
#pragma once

#include <tamis/compiler.hpp>

#include <span>
#include <string>

#include <tamis/image.hpp>
#include <tamis/operations.hpp>

namespace TAMIS_PUBLIC tamis {

/// How samples get into a filter and out of it.
struct SampleTypes {
  Type inside = Type::U8;  ///< what the filter computes with; F32 where as_f32() of convert.hpp makes the samples
  Type result = Type::U8;  ///< what it gives; where it is not `inside`, from_f32() makes it
  std::string note;        ///< what is converted, for people; empty where nothing is

  [[nodiscard]] bool converts() const { return !note.empty(); }
};

/// Of images of these types, as many as the operation takes. Bool, U8, U16, I16 and F32 are computed with as they are.
/// F64 is rounded to F32, which is what the filter gives. Other whole numbers are taken as F32, if that has them all;
/// of them a filter that chooses samples gives the type that they have, one of differences F32 (gives_new_values).
/// Throws InputError for images of several types, F32 and F64 apart, and for a border whose constant is no value of
/// whole numbers of the type.
[[nodiscard]] SampleTypes sample_types(const OperationDescription& operation, const Arguments& arguments,
                                       std::span<const Type> images);

}  // namespace tamis
