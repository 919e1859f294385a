// From a Type known at run time to a C++ type known at compile time.
#pragma once

#include <cstdint>
#include <utility>

#include <tamis/image.hpp>

namespace tamis {

/// Calls function(T{}) with the type of one sample as a source delivers it; Bool comes as bytes, std::uint8_t.
template <class Function>
decltype(auto) visit_type(Type type, Function&& function) {
  switch (type) {
    case Type::Bool:
    case Type::U8:
      break;
    case Type::U16:
      return std::forward<Function>(function)(std::uint16_t{});
    case Type::I16:
      return std::forward<Function>(function)(std::int16_t{});
    case Type::F32:
      return std::forward<Function>(function)(float{});
    case Type::I8:
      return std::forward<Function>(function)(std::int8_t{});
    case Type::U32:
      return std::forward<Function>(function)(std::uint32_t{});
    case Type::I32:
      return std::forward<Function>(function)(std::int32_t{});
    case Type::U64:
      return std::forward<Function>(function)(std::uint64_t{});
    case Type::I64:
      return std::forward<Function>(function)(std::int64_t{});
    case Type::F64:
      return std::forward<Function>(function)(double{});
  }
  return std::forward<Function>(function)(std::uint8_t{});
}

/// The same of squares of distances: U16, U32, U64.
template <class Function>
decltype(auto) visit_square_type(Type type, Function&& function) {
  if (type == Type::U16) return std::forward<Function>(function)(std::uint16_t{});
  if (type == Type::U32) return std::forward<Function>(function)(std::uint32_t{});
  return std::forward<Function>(function)(std::uint64_t{});
}

/// The same of an image that a filter takes and that is not of bits: U8, U16, I16, F32.
template <class Function>
decltype(auto) visit_filter_type(Type type, Function&& function) {
  if (type == Type::U8) return std::forward<Function>(function)(std::uint8_t{});
  if (type == Type::U16) return std::forward<Function>(function)(std::uint16_t{});
  if (type == Type::I16) return std::forward<Function>(function)(std::int16_t{});
  return std::forward<Function>(function)(float{});
}

}  // namespace tamis
