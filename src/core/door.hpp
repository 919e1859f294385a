// The door of the library. Every public call asks here whether what it is given can be used at all, before it looks at
// any of it, and lets out here what it throws.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis::door {

[[noreturn]] void refuse_moved(std::string_view what);
[[noreturn]] void refuse_value(std::int64_t value, std::int64_t last, std::string_view what);

/// Throws InputError for a value that is no enumerator; `last` is the last one, and the first is 0.
template <class Enum>
void require_known(Enum value, Enum last, std::string_view what) {
  using Number = std::underlying_type_t<Enum>;
  if (static_cast<Number>(value) > static_cast<Number>(last)) {
    refuse_value(static_cast<Number>(value), static_cast<Number>(last), what);
  }
}

/// Throws InputError for a context that is none: an unknown device or instruction set, a number below 0.
void require_context(const Context& context);
/// Throws InputError for a type that is none.
inline void require_type(Type type, std::string_view what) { require_known(type, Type::F64, what); }
/// Throws InputError for another rank than that of an image or a volume.
void require_rank(int rank, std::string_view what);
/// Throws InputError for a shape that no image of the type has: edges below 1, another rank, more bytes than a process
/// can address. Sums of a few of what is left are numbers of 64 bits.
void require_shape(Type type, const Shape& shape, std::string_view what);
/// Throws InputError for sides of a voxel that are not finite and above 0. Of an image z is not looked at.
void require_spacing(const Spacing& spacing, int rank, std::string_view what);
/// Throws InputError for strides in bytes that lead out of all memory; `room`: and that lay samples on each other.
void require_strides(const void* data, Type type, const Shape& shape, const MappedSlices& along_zy,
                     std::int64_t along_x, bool room, std::string_view what);
/// Throws InputError unless slices z0 ... z0+count-1 are there, and memory for them.
void require_slices(const Shape& shape, std::int64_t z0, std::int64_t count, const void* memory);
/// Throws InputError unless there is a row of that number.
void require_row(std::int64_t row, std::int64_t rows);
/// Throws InputError unless it leads somewhere.
void require_pointer(const void* pointer, std::string_view what);
/// Throws InputError unless there are both functions that take a map.
void require_map(bool start, bool sink, std::string_view what);
/// Throws InputError for no source, and for one whose layout is none.
void require_source(const SliceSource* source, std::string_view what);

/// Gives what an object works with, of its smart pointer. Throws InputError where it has been moved elsewhere.
template <class Pointer>
auto& require_there(const Pointer& work, std::string_view what) {
  if (!work) refuse_moved(what);
  return *work;
}

/// Throws the exception that is being handled again: memory that is short and threads that cannot be had as
/// ResourceError, functions of the caller's that are empty as InputError, all others as they are.
[[noreturn]] void rethrow(std::string_view what);

/// Does the work of a call that is given no context. `what` names it in messages.
template <class Work>
decltype(auto) guarded(std::string_view what, const Work& work) {
  try {
    return work();
  } catch (...) {
    rethrow(what);
  }
}

/// Does the work of a call. Throws InputError first for a context that is none.
template <class Work>
decltype(auto) enter(const Context& context, std::string_view what, const Work& work) {
  require_context(context);
  return guarded(what, work);
}

/// The same of a call that computes: what require_device() throws comes first.
template <class Work>
decltype(auto) compute(const Context& context, std::string_view what, const Work& work) {
  return guarded(what, [&]() -> decltype(auto) {
    require_device(context);
    return work();
  });
}

}  // namespace tamis::door
