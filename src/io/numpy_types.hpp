// What NumPy calls types of samples, without the order of their bytes, in .npy files and in Zarr 2.
#pragma once

#include <array>
#include <string_view>

#include "io/samples.hpp"

namespace tamis::io {

struct NumpyType {
  std::string_view code;
  Type type;
};
inline constexpr std::array<NumpyType, 11> numpy_types{{{"b1", Type::Bool},
                                                        {"u1", Type::U8},
                                                        {"u2", Type::U16},
                                                        {"i2", Type::I16},
                                                        {"f4", Type::F32},
                                                        {"i1", Type::I8},
                                                        {"u4", Type::U32},
                                                        {"i4", Type::I32},
                                                        {"u8", Type::U64},
                                                        {"i8", Type::I64},
                                                        {"f8", Type::F64}}};

}  // namespace tamis::io
