// For the matrices of GPU filters: one filter by every call that leads to a GPU, against the CPU, whole images.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/frames.hpp>
#include <tamis/gpu/prepared.hpp>

#include "core/gpu/callers/host.hpp"
#include "core/test/gpu_test.hpp"
#include "morphology/test/device_images.hpp"

namespace tamis::morphology_testing {

/// A filter by each of its callers; those that it does not have are empty.
struct FilterCalls {
  std::string what;
  std::function<Image(const Context&, const Image&)> image;
  /// What `image` runs on a GPU, so that it can be run with other sizes of slabs and pieces.
  std::function<cuda::GpuFilter(Type, const Shape&)> gpu_filter = {};
  std::function<void(const Context&, const GpuArray&, const GpuOutput&)> array = {};
  std::function<std::shared_ptr<GpuPrepared>(Type, const Shape&, void* stream)> prepared = {};
  std::function<std::unique_ptr<Frames>(Type, const Shape&)> frames = {};
};

inline Context on_gpu(std::int64_t device_memory_bytes = 0) {
  Context context;
  context.device = Device::Cuda;
  context.device_memory_bytes = device_memory_bytes;
  return context;
}

/// The least limit of device memory with which an image of the host is filtered.
inline std::int64_t smallest_limit(const FilterCalls& filter, const Image& image) {
  std::int64_t fails = 0;
  // Of a tiny image what its border shows around it is much more than itself.
  std::int64_t works = 100 * (image.bytes() + 16 * image.shape().y * image.shape().z) + (std::int64_t{4} << 20);
  while (works - fails > 1) {
    const std::int64_t middle = fails + (works - fails) / 2;
    try {
      static_cast<void>(filter.image(on_gpu(middle), image));
      works = middle;
    } catch (const ResourceError&) {
      fails = middle;
    }
  }
  return works;
}

/// Bit by bit, unused bits of bool images too; of F32 but for which NaN it is.
inline bool same_image(const Image& got, const Image& wanted) {
  if (got.type() != wanted.type() || !(got.shape() == wanted.shape())) return false;
  if (std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())) == 0) return true;
  return wanted.type() == Type::F32 && differences(Type::F32, dense_samples(got), dense_samples(wanted)) == 0;
}

/// Sizes with which the smallest image goes by page-locked memory in pieces that are no whole rows, and cut.
inline std::vector<cuda::HostTuning> tiny_tunings() {
  cuda::HostTuning slabs_of_a_row{.staged_from = 0, .cut_from = 0, .least_slab = 1, .most_slab = 1};
  slabs_of_a_row.results_of_reach = 0;
  slabs_of_a_row.piece = 100;
  slabs_of_a_row.pieces = 2;
  cuda::HostTuning slabs_of_some = slabs_of_a_row;
  slabs_of_some.least_slab = slabs_of_some.most_slab = 700;
  slabs_of_some.piece = 300;
  slabs_of_some.pieces = 3;
  cuda::HostTuning whole{.staged_from = 0};
  whole.piece = 1000;
  return {slabs_of_a_row, slabs_of_some, whole};
}

inline void expect_in_tiny_pieces(const FilterCalls& filter, const Image& image, const Image& wanted) {
  for (const cuda::HostTuning& tuning : tiny_tunings()) {
    Image out(image.type(), image.shape());
    cuda::filter_image(on_gpu(), filter.gpu_filter(image.type(), image.shape()), image, out, tuning);
    EXPECT_TRUE(same_image(out, wanted)) << "slabs of " << tuning.most_slab << " bytes in pieces of " << tuning.piece;
  }
}

inline void expect_of_host(const FilterCalls& filter, const Image& image, const Image& wanted) {
  EXPECT_TRUE(same_image(filter.image(on_gpu(), image), wanted)) << "of the host";
  for (const std::size_t more : {1U, 2U}) {
    Context several = on_gpu();
    several.more_gpus = more_gpus(more);
    EXPECT_TRUE(same_image(filter.image(several, image), wanted)) << more + 1 << " GPUs";
  }
  if (filter.gpu_filter) expect_in_tiny_pieces(filter, image, wanted);
  const std::int64_t least = smallest_limit(filter, image);
  for (const std::int64_t limit : {least, 2 * least}) {
    EXPECT_TRUE(same_image(filter.image(on_gpu(limit), image), wanted)) << "in slabs, " << limit << " bytes";
  }
}

/// In every view, out into another one; then into itself.
inline void expect_of_arrays(const cuda::Stream& stream, const FilterCalls& filter, const Image& image,
                             const Image& wanted) {
  const Type type = image.type();
  const std::vector<std::byte> samples = dense_samples(image);
  const std::vector<std::byte> results = dense_samples(wanted);
  std::size_t number = 0;
  for (const testing::View view : testing::all_views) {
    testing::ViewedArray in(stream, type, image.shape(), view);
    in.upload(samples.data());
    const testing::View of_out = ++number % 3 == 0 ? testing::View::Dense : view;
    testing::ViewedArray out(stream, type, image.shape(), of_out);
    filter.array(testing::on_stream(stream), in.input(), out.array);
    EXPECT_EQ(differences(type, out.download(), results), 0) << "array, " << testing::describe(view);
    EXPECT_EQ(differences(type, in.download(), samples), 0) << "the image was written, " << testing::describe(view);
    in.upload(samples.data());
    filter.array(testing::on_stream(stream), in.input(), in.array);
    EXPECT_EQ(differences(type, in.download(), results), 0) << "array in place, " << testing::describe(view);
  }
}

inline void expect_of_prepared(const cuda::Stream& stream, const FilterCalls& filter, const Image& image,
                               const Image& wanted) {
  const auto prepared = filter.prepared(image.type(), image.shape(), stream.get());
  const testing::OnDevice in(stream, image);
  for (const bool again : {false, true}) {
    const testing::OnDevice out(stream, image);
    prepared->run(in.memory.data(), out.memory.data());
    prepared->wait();
    EXPECT_TRUE(same_image(out.download(image.type(), image.shape()), wanted))
        << "prepared" << (again ? ", again" : "");
  }
}

inline void expect_of_frames(const FilterCalls& filter, const Image& image, const Image& wanted) {
  constexpr std::size_t count = 4;
  std::vector<Image> results;
  for (std::size_t i = 0; i < count; ++i) results.emplace_back(image.type(), image.shape());
  const std::unique_ptr<Frames> frames = filter.frames(image.type(), image.shape());
  for (Image& result : results) {
    if (frames->full()) static_cast<void>(frames->take());
    frames->submit(image.data(), result.data());
  }
  while (frames->in_flight() > 0) static_cast<void>(frames->take());
  for (const Image& result : results) EXPECT_TRUE(same_image(result, wanted)) << "frames";
}

/// The CPU's answer from every caller.
inline void expect_of_every_caller(const cuda::Stream& stream, const FilterCalls& filter, const Image& image) {
  SCOPED_TRACE(filter.what + " of " + std::string(name(image.type())) + " " + to_string(image.shape()) + " rank " +
               std::to_string(image.shape().rank));
  const Image wanted = filter.image(on_cpu(), image);
  expect_of_host(filter, image, wanted);
  if (filter.array) expect_of_arrays(stream, filter, image, wanted);
  if (filter.prepared) expect_of_prepared(stream, filter, image, wanted);
  if (filter.frames) expect_of_frames(filter, image, wanted);
}

/// Every caller refuses an F32 image with NaN, names it in its own words, and arrays that are their own output stay.
inline void expect_refusal_of_every_caller(const cuda::Stream& stream, const FilterCalls& filter, const Image& image) {
  SCOPED_TRACE(filter.what);
  const auto expect = [&](const std::string& words, const std::function<void()>& work) {
    const std::string message = refusal(work);
    EXPECT_NE(message.find(words), std::string::npos) << message << " / " << words;
  };
  const std::string of_cpu = refusal([&] { static_cast<void>(filter.image(on_cpu(), image)); });
  expect("the image holds NaN at x ", [&] { throw InputError(of_cpu); });
  expect(of_cpu, [&] { static_cast<void>(filter.image(on_gpu(), image)); });
  const std::int64_t limit = smallest_limit(filter, Image(Type::F32, image.shape()));
  expect(of_cpu, [&] { static_cast<void>(filter.image(on_gpu(limit), image)); });
  testing::ViewedArray array(stream, Type::F32, image.shape(), testing::View::Dense);
  array.upload(dense_samples(image).data());
  if (filter.array) {
    expect("the array holds NaN", [&] { filter.array(testing::on_stream(stream), array.input(), array.array); });
    EXPECT_EQ(differences(Type::F32, array.download(), dense_samples(image)), 0) << "the array was overwritten";
  }
  const testing::OnDevice in(stream, image), out(stream, image);
  if (filter.prepared) {
    const auto prepared = filter.prepared(Type::F32, image.shape(), stream.get());
    prepared->run(in.memory.data(), out.memory.data());
    expect("an image holds NaN", [&] { prepared->wait(); });
  }
  if (filter.frames) {
    const std::unique_ptr<Frames> frames = filter.frames(Type::F32, image.shape());
    Image result(Type::F32, image.shape());
    frames->submit(image.data(), result.data());
    expect("a frame holds NaN", [&] { static_cast<void>(frames->take()); });
  }
}

/// How many parts of an image of the host are done one after the other under the smallest limit.
inline std::int64_t slabs_of(const FilterCalls& filter, const Image& image) {
  std::int64_t slabs = 0;
  std::int64_t done = 0;
  Context context = on_gpu(smallest_limit(filter, image));
  context.on_progress = [&](const Progress& progress) {
    if (progress.done > done) ++slabs;
    done = progress.done;
  };
  static_cast<void>(filter.image(context, image));
  return slabs;
}

}  // namespace tamis::morphology_testing
