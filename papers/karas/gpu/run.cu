#include "papers/karas/gpu/run.hpp"

#include <algorithm>

#include "core/gpu/launch.hpp"
#include "line/traced/lines.hpp"
#include "papers/karas/gpu/kernels.cuh"

namespace tamis::karas::gpu {

using cuda::check;

namespace {

constexpr int grey_levels = 256;  // a stack holds rising values: no more of them

int power_of_two_from(std::int64_t least) {
  int power = 1;
  while (power < least) power *= 2;
  return power;
}

bool is_morard(Version version) { return version == Version::BasicMorard || version == Version::Morard; }

using Kernel = void (*)(Job);
Kernel kernel_of(Version version) {
  switch (version) {
    case Version::BasicMorard:
      return basic_morard;
    case Version::BasicBartovsky:
      return basic_bartovsky;
    case Version::Morard:
      return optimised_morard;
    case Version::Bartovsky:
      return optimised_bartovsky;
  }
  return nullptr;
}

/// The image as a texture.
class Texture {
 public:
  Texture(const cuda::Stream& stream, const Image& image) {
    const auto width = static_cast<std::size_t>(image.shape().x);
    const auto height = static_cast<std::size_t>(image.shape().y);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    check(cudaMallocArray(&array_, &format, width, height), "allocate a texture");
    check(cudaMemcpy2DToArrayAsync(array_, 0, 0, image.data(), width, width, height, cudaMemcpyHostToDevice,
                                   stream.get()),
          "fill a texture");
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    check(cudaCreateTextureObject(&object_, &resource, &how, nullptr), "make a texture");
  }
  ~Texture() {
    static_cast<void>(cudaDestroyTextureObject(object_));
    static_cast<void>(cudaFreeArray(array_));
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  [[nodiscard]] cudaTextureObject_t get() const { return object_; }

 private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

std::int64_t pitch_of(std::int64_t samples) { return (samples + 31) / 32 * 32; }

}  // namespace

std::string_view name(Version version) {
  switch (version) {
    case Version::BasicMorard:
      return "basic_morard";
    case Version::BasicBartovsky:
      return "basic_bartovsky";
    case Version::Morard:
      return "morard";
    case Version::Bartovsky:
      return "bartovsky";
  }
  return "";
}

int most_zones(std::int64_t along, std::int64_t length) {
  return static_cast<int>(std::max<std::int64_t>(along / (2 * length), 1));
}

Configuration table_1(std::int64_t across, std::int64_t along, std::int64_t length, int multiprocessors) {
  Configuration configuration{96, 1, 16};
  if (across < std::int64_t{64} * multiprocessors) {
    configuration = {32, 4, 32};
  } else if (across < std::int64_t{192} * multiprocessors) {
    configuration.zones = 4;
  } else if (across < std::int64_t{384} * multiprocessors) {
    configuration.zones = 2;
  }
  configuration.zones = std::min(configuration.zones, most_zones(along, length));
  return configuration;
}

struct Paper::Parts {
  Parts(const cuda::Stream& of, const Image& image)
      : stream(of), shape(image.shape()), texture(of, image), input(of, pitch_of(shape.x) * shape.y) {
    const auto row = static_cast<std::size_t>(shape.x);
    check(cudaMemcpy2DAsync(input.data(), static_cast<std::size_t>(pitch_of(shape.x)), image.data(), row, row,
                            static_cast<std::size_t>(shape.y), cudaMemcpyHostToDevice, of.get()),
          "copy an image");
    of.synchronize();
  }

  /// The lines of all angles, on the device. Returns the most lines of one of them.
  int put_lines(const std::vector<double>& degrees) {
    std::vector<AngleLines> lines(degrees.size());
    std::vector<int> shifts;
    std::vector<std::size_t> places;
    int most = 0;
    for (std::size_t i = 0; i < degrees.size(); ++i) {
      const line_detail::TracedLines traced = line_detail::trace_lines(degrees[i], shape);
      lines[i].steep = traced.steep ? 1 : 0;
      lines[i].first = static_cast<int>(traced.first);
      lines[i].last = static_cast<int>(traced.last);
      most = std::max(most, lines[i].last - lines[i].first + 1);
      places.push_back(shifts.size());
      shifts.insert(shifts.end(), traced.shift.begin(), traced.shift.end());
    }
    shift = cuda::DeviceBuffer<int>(stream, static_cast<std::int64_t>(shifts.size()));
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].shift = shift.data() + places[i];
    angles = cuda::DeviceBuffer<AngleLines>(stream, static_cast<std::int64_t>(lines.size()));
    check(cudaMemcpyAsync(shift.data(), shifts.data(), shift.bytes(), cudaMemcpyHostToDevice, stream.get()), "copy");
    check(cudaMemcpyAsync(angles.data(), lines.data(), angles.bytes(), cudaMemcpyHostToDevice, stream.get()), "copy");
    stream.synchronize();
    return most;
  }

  void put_results(std::int64_t count) {
    job.to_pitch = pitch_of(shape.x);
    job.to_slice = job.to_pitch * shape.y;
    job.turned_pitch = pitch_of(shape.y);
    job.turned_slice = job.turned_pitch * shape.x;
    if (output.size() < job.to_slice * count) {
      output = cuda::DeviceBuffer<std::uint8_t>(stream, job.to_slice * count);
      turned = cuda::DeviceBuffer<std::uint8_t>(stream, job.turned_slice * count);
    }
    job.to = output.data();
    job.turned = turned.data();
    output.clear();  // what is compared must not be there already
  }

  const cuda::Stream& stream;
  Shape shape;
  Texture texture;
  cuda::DeviceBuffer<std::uint8_t> input, output, turned;
  cuda::DeviceBuffer<int> shift;
  cuda::DeviceBuffer<AngleLines> angles;
  cuda::DeviceBuffer<std::uint32_t> far;
  Job job;
  Kernel kernel = nullptr;
  cuda::LaunchShape launch, turn;
  bool turns = false;
};

Paper::Paper(const cuda::Stream& stream, const Image& image) : parts_(std::make_unique<Parts>(stream, image)) {}
Paper::~Paper() = default;

void Paper::prepare(Version version, const Task& task, const Configuration& configuration) {
  Parts& parts = *parts_;
  const Shape& shape = parts.shape;
  const bool optimised = is_optimised(version);
  const auto count = static_cast<std::int64_t>(task.angles.size());
  Job& job = parts.job = Job();
  const int lines = parts.put_lines(task.angles);
  parts.put_results(count);
  job.from = parts.input.data();
  job.from_pitch = pitch_of(shape.x);
  job.texture = parts.texture.get();
  job.nx = static_cast<int>(shape.x);
  job.ny = static_cast<int>(shape.y);
  job.angles = parts.angles.data();
  job.length = static_cast<int>(task.length);
  const int origin = job.length / 2;
  const int ahead = job.length - 1 - origin;
  job.flip = task.dark ? 255 : 0;
  if (!task.fit) {
    job.before = task.dark ? ahead : origin;
    job.after = task.dark ? origin : ahead;
  }
  job.zones = optimised ? configuration.zones : 1;
  job.near_capacity = optimised ? configuration.near_capacity : 0;
  const std::int64_t longest = std::max(shape.x, shape.y);  // no line has more plateaus
  job.far_capacity = is_morard(version) ? grey_levels : power_of_two_from(std::min(task.length, longest) + 2);
  const int block = configuration.block;
  const int blocks = (lines + block - 1) / block;
  job.far_stride = std::int64_t{blocks} * block * job.zones * count;
  if (parts.far.size() < job.far_stride * job.far_capacity) {
    parts.far = cuda::DeviceBuffer<std::uint32_t>();  // the old one first: both may not fit
    parts.far = cuda::DeviceBuffer<std::uint32_t>(parts.stream, job.far_stride * job.far_capacity);
  }
  job.far = parts.far.data();
  parts.kernel = kernel_of(version);
  parts.launch = {dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(job.zones), static_cast<unsigned>(count)),
                  dim3(static_cast<unsigned>(block)), std::size_t{4} * job.near_capacity * block};
  const auto tiles = [](int samples) { return static_cast<unsigned>((samples + tile - 1) / tile); };
  parts.turn = {dim3(tiles(job.nx), tiles(job.ny), static_cast<unsigned>(count)), dim3(tile, tile_rows), 0};
  parts.turns = optimised && std::any_of(task.angles.begin(), task.angles.end(),
                                         [](double angle) { return !line_detail::slope_of(angle).steep; });
  parts.stream.synchronize();
}

void Paper::run() const {
  const Parts& parts = *parts_;
  cuda::launch(parts.stream, parts.launch, "the paper's openings", parts.kernel, parts.job);
  if (parts.turns) cuda::launch(parts.stream, parts.turn, "turn openings back", turn_back, parts.job);
}

Image Paper::result(std::size_t angle) const {
  const Parts& parts = *parts_;
  Image image(Type::U8, parts.shape);
  const auto row = static_cast<std::size_t>(parts.shape.x);
  check(cudaMemcpy2DAsync(image.data(), row, parts.job.to + static_cast<std::int64_t>(angle) * parts.job.to_slice,
                          static_cast<std::size_t>(parts.job.to_pitch), row, static_cast<std::size_t>(parts.shape.y),
                          cudaMemcpyDeviceToHost, parts.stream.get()),
        "copy an opening");
  parts.stream.synchronize();
  return image;
}

}  // namespace tamis::karas::gpu
