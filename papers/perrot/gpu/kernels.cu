#include "papers/perrot/gpu/kernels.hpp"

#include <tamis/error.hpp>

#include "core/gpu/launch.hpp"
#include "papers/perrot/gpu/histograms.cuh"
#include "papers/perrot/gpu/registers.cuh"
#include "papers/perrot/gpu/smoother.cuh"

namespace tamis::perrot::gpu {

using cuda::check;

namespace {

constexpr std::int64_t pitch_samples = 64;  // textures want rows at multiples of 32 bytes, transactions of 128

using Launched = void (*)(Job);

Launched forgetful(const Version& version) {
  switch (10 * version.edge + version.outputs) {
    case 31:
      return forgetful_median_1<3>;
    case 32:
      return forgetful_median_2<3>;
    case 51:
      return forgetful_median_1<5>;
    case 52:
      return forgetful_median_2<5>;
    case 71:
      return forgetful_median_1<7>;
    case 72:
      return forgetful_median_2<7>;
    case 91:
      return forgetful_median_1<9>;
  }
  return nullptr;
}

Launched kernel_of(const Version& version) {
  switch (version.kernel) {
    case Kernel::Identity:
      return identity;
    case Kernel::Histogram:
      return histogram_median;
    case Kernel::HistogramShared:
      return histogram_median_shared;
    case Kernel::Sort:
      return version.edge == 3 ? sorted_median_3 : nullptr;
    case Kernel::Forgetful:
      return forgetful(version);
    case Kernel::ForgetfulShared:
      return version.edge == 5 ? forgetful_median_shared<5> : nullptr;
    case Kernel::Smoother:
      return version.outputs == 2 ? smooth_turned<2> : smooth_turned<1>;
  }
  return nullptr;
}

/// Bytes of the samples that a block keeps in shared memory.
std::size_t shared_bytes(const Version& version, const Block& block) {
  const int halo = version.edge - 1;
  int samples = 0;
  if (version.kernel == Kernel::HistogramShared || version.kernel == Kernel::ForgetfulShared) {
    samples = (block.x + halo) * (block.y + halo);
  } else if (version.kernel == Kernel::Smoother) {
    samples = block.x * (block.y * version.outputs + halo);
  }
  return sizeof(std::uint16_t) * static_cast<std::size_t>(samples);
}

class Texture {
 public:
  explicit Texture(const cudaResourceDesc& resource) {
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    check(cudaCreateTextureObject(&object_, &resource, &how, nullptr), "make a texture");
  }
  ~Texture() { static_cast<void>(cudaDestroyTextureObject(object_)); }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  [[nodiscard]] cudaTextureObject_t get() const { return object_; }

 private:
  cudaTextureObject_t object_ = 0;
};

/// What a texture of the paper lies in.
class Array {
 public:
  explicit Array(const Shape& shape) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<std::uint16_t>();
    check(cudaMallocArray(&array_, &format, static_cast<std::size_t>(shape.x), static_cast<std::size_t>(shape.y)),
          "allocate a texture");
  }
  ~Array() { static_cast<void>(cudaFreeArray(array_)); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  [[nodiscard]] cudaArray_t get() const { return array_; }

 private:
  cudaArray_t array_ = nullptr;
};

cudaResourceDesc resource_of(const Array& array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array.get();
  return resource;
}

cudaResourceDesc resource_of(const std::uint16_t* samples, std::int64_t width, std::int64_t height,
                             std::int64_t pitch) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = const_cast<std::uint16_t*>(samples);
  resource.res.pitch2D.desc = cudaCreateChannelDesc<std::uint16_t>();
  resource.res.pitch2D.width = static_cast<std::size_t>(width);
  resource.res.pitch2D.height = static_cast<std::size_t>(height);
  resource.res.pitch2D.pitchInBytes = static_cast<std::size_t>(pitch) * sizeof(std::uint16_t);
  return resource;
}

unsigned parts_of(std::int64_t samples, int each) { return static_cast<unsigned>((samples + each - 1) / each); }

}  // namespace

std::string_view name(Kernel kernel) {
  switch (kernel) {
    case Kernel::Identity:
      return "identity";
    case Kernel::Histogram:
      return "histogram";
    case Kernel::HistogramShared:
      return "histogram_shared";
    case Kernel::Sort:
      return "sort";
    case Kernel::Forgetful:
      return "forgetful";
    case Kernel::ForgetfulShared:
      return "forgetful_shared";
    case Kernel::Smoother:
      return "smoother";
  }
  return "";
}

std::vector<Block> blocks_of(const Version& version) {
  if (is_histogram(version.kernel)) return {{histogram_block, histogram_block}};
  // What is written turned likes blocks that are high.
  if (version.kernel == Kernel::Smoother) return {{32, 8}, {16, 16}, {8, 32}};
  if (version.outputs == 2) return {{32, 4}, {16, 8}, {16, 16}};
  return {{32, 4}, {32, 8}, {16, 16}};
}

struct Paper::Parts {
  Parts(const cuda::Stream& of, const Shape& image)
      : stream(of),
        shape(image),
        turned_pitch((image.y + pitch_samples - 1) / pitch_samples * pitch_samples),
        array(image),
        texture(resource_of(array)),
        turned(of, turned_pitch * image.x),
        turned_texture(resource_of(turned.data(), image.y, image.x, turned_pitch)),
        out(of, image.count()) {
    of.synchronize();
  }

  [[nodiscard]] cuda::LaunchShape launch(std::int64_t width, std::int64_t height) const {
    const int across = version.kernel == Kernel::Smoother ? 1 : version.outputs;
    const int down = version.kernel == Kernel::Smoother ? version.outputs : 1;
    return {dim3(parts_of(width, block.x * across), parts_of(height, block.y * down)),
            dim3(static_cast<unsigned>(block.x), static_cast<unsigned>(block.y)), shared_bytes(version, block)};
  }
  [[nodiscard]] Job job(cudaTextureObject_t image, std::uint16_t* to, std::int64_t pitch, std::int64_t width,
                        std::int64_t height) const {
    return {image, to, pitch, static_cast<int>(width), static_cast<int>(height), version.edge / 2};
  }

  const cuda::Stream& stream;
  Shape shape;
  std::int64_t turned_pitch;
  Array array;
  Texture texture;
  cuda::DeviceBuffer<std::uint16_t> turned;  ///< the smoother's, between its launches
  Texture turned_texture;
  cuda::DeviceBuffer<std::uint16_t> out;
  Version version;
  Block block;
  Launched kernel = identity;
};

Paper::Paper(const cuda::Stream& stream, const Shape& shape) : parts_(std::make_unique<Parts>(stream, shape)) {}
Paper::~Paper() = default;

void Paper::prepare(const Version& version, const Block& block) {
  Parts& parts = *parts_;
  parts.kernel = kernel_of(version);
  if (parts.kernel == nullptr) throw InputError(std::string(name(version.kernel)) + ": the paper has no such edge");
  parts.version = version;
  parts.block = block;
  parts.out.clear();  // what is compared must not be there already
}

void Paper::upload(const void* samples) const {
  const Parts& parts = *parts_;
  const std::size_t row = static_cast<std::size_t>(parts.shape.x) * sizeof(std::uint16_t);
  check(cudaMemcpy2DToArrayAsync(parts.array.get(), 0, 0, samples, row, row, static_cast<std::size_t>(parts.shape.y),
                                 cudaMemcpyHostToDevice, parts.stream.get()),
        "fill a texture");
}

void Paper::run() const {
  const Parts& parts = *parts_;
  const std::int64_t width = parts.shape.x, height = parts.shape.y;
  constexpr const char* what = "the paper's kernel";
  const cuda::LaunchShape upright = parts.launch(width, height);
  if (parts.version.kernel != Kernel::Smoother) {
    const Job job = parts.job(parts.texture.get(), parts.out.data(), width, width, height);
    cuda::launch(parts.stream, upright, what, parts.kernel, job);
    return;
  }
  const Job down = parts.job(parts.texture.get(), parts.turned.data(), parts.turned_pitch, width, height);
  cuda::launch(parts.stream, upright, what, parts.kernel, down);
  const Job across = parts.job(parts.turned_texture.get(), parts.out.data(), width, height, width);
  cuda::launch(parts.stream, parts.launch(height, width), what, parts.kernel, across);
}

void Paper::download(void* samples) const {
  const Parts& parts = *parts_;
  check(cudaMemcpyAsync(samples, parts.out.data(), parts.out.bytes(), cudaMemcpyDeviceToHost, parts.stream.get()),
        "copy an answer");
}

}  // namespace tamis::perrot::gpu
