// convert and resample.
#include <string>
#include <utility>

#include <tamis/operations/arguments.hpp>
#include <tamis/convert.hpp>
#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "c/call.hpp"

namespace tamis::c {
namespace {

/// Images of 0 ... 1, as many programs have them, would become 0 and 1.
void refuse_fractions(const Call& call, Type type) {
  if (type == Type::F32 || !becomes_zeros_and_ones(call.context, *call.source())) return;
  throw InputError("as=" + std::string(name(type)) +
                   ": all samples would become 0 or 1, and some lie between; wanted window=0:1 for the whole range");
}

/// A stack of images stays one; sources know volumes only.
void give(const Call& call, SliceSource& source) {
  Image image = read_all(call.context, source);
  call.give("out", std::move(image));
}

}  // namespace

void run_convert(const Call& call) {
  const auto& [type, window] = call.as<ConvertArguments>();
  if (!type) throw InputError("as: not given; wanted u8, u16, i16 or f32");
  call.refuse_stack();
  call.outputs.require_shape(call.images.first().shape);
  if (!window) refuse_fractions(call, *type);
  give(call, *convert(call.source(), *type, window));
}

void run_resample(const Call& call) {
  const std::string_view voxel = call.parameters.text("voxel");
  if (voxel.empty()) throw InputError("voxel: not given; wanted the sides of the new voxels, as in 2um");
  call.refuse_stack();
  const Interpolation interpolation = call.as<ResampleArguments>().of(call.images.first().type);
  give(call, *resample(call.context, call.source(), parse_spacing(voxel), interpolation));
}

}  // namespace tamis::c
