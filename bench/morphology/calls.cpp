// The library behind C functions, so that run.py can time it and its peers in turn in one process.
#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/morphology.hpp>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

tamis::Border border_of(int kind, double value) { return {static_cast<tamis::Border::Kind>(kind), value}; }

}  // namespace

extern "C" {

/// An image of a type by name, with a copy of dense samples; bool samples are bytes.
void* bench_image(const char* type, int rank, long z, long y, long x, const void* samples) {
  const tamis::Type as = *tamis::type_from_name(type);
  auto* const image = new tamis::Image(as, tamis::Shape{z, y, x, rank});
  if (as != tamis::Type::Bool) {
    std::memcpy(image->data(), samples, static_cast<std::size_t>(image->bytes()));
    return image;
  }
  const auto* bytes = static_cast<const unsigned char*>(samples);
  for (long row = 0; row < z * y; ++row) {
    for (long i = 0; i < x; ++i, ++bytes) {
      image->row<std::uint64_t>(row / y, row % y)[i / 64] |= std::uint64_t{*bytes != 0} << (i % 64);
    }
  }
  return image;
}

void bench_free(void* image) { delete static_cast<tamis::Image*>(image); }

/// Copies samples out, dense; bool as bytes.
void bench_samples(const void* handle, void* out) {
  const auto& image = *static_cast<const tamis::Image*>(handle);
  const tamis::Shape& shape = image.shape();
  if (image.type() != tamis::Type::Bool) {
    std::memcpy(out, image.data(), static_cast<std::size_t>(image.bytes()));
    return;
  }
  auto* bytes = static_cast<unsigned char*>(out);
  for (long z = 0; z < shape.z; ++z) {
    for (long y = 0; y < shape.y; ++y) {
      for (long x = 0; x < shape.x; ++x) *bytes++ = image.bit(z, y, x);
    }
  }
}

/// One operation (its number in tamis::Operation); 0 if it went well.
int bench_run(int operation, const void* in, void* out, const char* element, int border, double value, int threads) {
  try {
    tamis::Context context;
    context.device = tamis::Device::Cpu;
    context.threads = threads;
    tamis::morphology(context, static_cast<tamis::Operation>(operation), *static_cast<const tamis::Image*>(in),
                      {.element = element, .border = border_of(border, value)}, *static_cast<tamis::Image*>(out));
    return 0;
  } catch (const tamis::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

const char* bench_machine() {
  static const std::string text = tamis::Context{}.describe(tamis::Device::Cpu);
  return text.c_str();
}
}
