// What NumPy calls types of samples, without the order of their bytes, in .npy files and in Zarr 2.
#pragma once

#include <array>
#include <string_view>

#include "io/samples.hpp"

namespace tamis::io {

struct NumpyType {
  std::string_view code;
  Type type;
  bool halves = false;  ///< the samples are half floats, read as f32
};
inline constexpr std::array<NumpyType, 12> numpy_types{{{"b1", Type::Bool},
                                                        {"u1", Type::U8},
                                                        {"u2", Type::U16},
                                                        {"i2", Type::I16},
                                                        {"f4", Type::F32},
                                                        {"i1", Type::I8},
                                                        {"u4", Type::U32},
                                                        {"i4", Type::I32},
                                                        {"u8", Type::U64},
                                                        {"i8", Type::I64},
                                                        {"f8", Type::F64},
                                                        {"f2", Type::U16, true}}};

}  // namespace tamis::io
