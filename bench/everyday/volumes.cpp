// Rows of a volume: tamis through ImageView on the memory of an itk::Image, beside ITK's filters, which make an image of
// their own at each run. Answers are compared first, all but a voxel or two at the sides, where borders differ.
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include <itkBinaryMorphologicalOpeningImageFilter.h>
#include <itkBinaryThresholdImageFilter.h>
#include <itkFlatStructuringElement.h>
#include <itkGrayscaleErodeImageFilter.h>
#include <itkImage.h>
#include <itkMedianImageFilter.h>
#include <itkMultiThreaderBase.h>
#include <tamis/image/view.hpp>
#include <tamis/threshold.hpp>

#include "everyday/views.hpp"

namespace everyday {
namespace {

constexpr std::int64_t edge = 256;
constexpr tamis::Shape shape{edge, edge, edge, 3};

using Volume = itk::Image<std::uint8_t, 3>;
using Cube = itk::FlatStructuringElement<3>;
using Samples = std::vector<std::uint8_t>;

Volume::Pointer new_volume() {
  const auto volume = Volume::New();
  volume->SetRegions(Volume::SizeType{edge, edge, edge});
  volume->Allocate();
  return volume;
}

tamis::ConstImageView seen(const Volume& volume, tamis::Type type) {
  return tamis::view_of<const void>(volume.GetBufferPointer(), type, shape);
}

/// Noise, blurred along each axis twice, as wide as bytes are.
Volume::Pointer grey() {
  std::mt19937 random(7);
  std::vector<float> values(static_cast<std::size_t>(shape.count())), blurred(values.size());
  for (float& value : values) value = static_cast<float>(random() % 1000);
  for (const std::size_t step : {std::size_t{1}, std::size_t{edge}, std::size_t{edge * edge}}) {
    for (int turn = 0; turn < 2; ++turn) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        float sum = 0;
        for (std::size_t k = 0; k < 5; ++k) sum += values[(i + values.size() + k * step - 2 * step) % values.size()];
        blurred[i] = sum / 5;
      }
      values.swap(blurred);
    }
  }
  const auto volume = new_volume();
  for (std::size_t i = 0; i < values.size(); ++i) {
    volume->GetBufferPointer()[i] = static_cast<std::uint8_t>(std::clamp((values[i] - 500) * 3 + 127, 0.0F, 255.0F));
  }
  return volume;
}

void compare(const std::string& name, const Samples& ours, const std::uint8_t* theirs, std::int64_t margin) {
  for (std::int64_t z = margin; z < edge - margin; ++z) {
    for (std::int64_t y = margin; y < edge - margin; ++y) {
      const std::int64_t row = (z * edge + y) * edge;
      if (std::memcmp(&ours[static_cast<std::size_t>(row + margin)], theirs + row + margin, static_cast<std::size_t>(edge - 2 * margin)) == 0) continue;
      std::fprintf(stderr, "%s of 256^3: answers differ\n", name.c_str());
      std::exit(1);
    }
  }
}

/// `filter` of ITK has its input; Modified() makes it run again.
template <class Filter>
void compare_and_measure(const std::string& name, const std::function<void(const tamis::ImageView&)>& tamis, Filter& filter, std::int64_t margin) {
  Samples ours(static_cast<std::size_t>(shape.count()));
  const auto run_ours = [&] { tamis(tamis::view_of<void>(ours.data(), tamis::Type::U8, shape)); };
  const auto run_theirs = [&] {
    filter.Modified();
    filter.Update();
  };
  run_ours();
  run_theirs();
  compare(name, ours, filter.GetOutput()->GetBufferPointer(), margin);
  measure("256^3", name, run_ours, "ITK", run_theirs);
}

}  // namespace

void measure_volumes(int threads) {
  itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(static_cast<itk::ThreadIdType>(threads));
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(static_cast<itk::ThreadIdType>(threads));
  tamis::Context context;
  context.threads = threads;
  const Volume::Pointer u8 = grey();
  const tamis::ConstImageView grey_view = seen(*u8, tamis::Type::U8);
  const Cube cube = Cube::Box(Cube::RadiusType{1, 1, 1});

  const auto threshold = itk::BinaryThresholdImageFilter<Volume, Volume>::New();
  threshold->SetInput(u8);
  threshold->SetLowerThreshold(128);
  threshold->SetInsideValue(1);
  threshold->SetOutsideValue(0);
  compare_and_measure("threshold u8", [&](const tamis::ImageView& out) {
    const auto source = tamis::source_of(grey_view);
    static_cast<void>(tamis::binarise(context, *source, {.method = tamis::ThresholdMethod::Value, .value = 127}, {},
                                      {static_cast<std::byte*>(out.data), out.stride_y, out.stride_z}));
  }, *threshold, 0);

  const auto erode = itk::GrayscaleErodeImageFilter<Volume, Volume, Cube>::New();
  erode->SetInput(u8);
  erode->SetKernel(cube);
  compare_and_measure("erode u8 3x3x3", [&](const tamis::ImageView& out) {
    tamis::erode(context, grey_view, out, {.element = "cube:3"});
  }, *erode, 1);

  const auto open = itk::BinaryMorphologicalOpeningImageFilter<Volume, Volume, Cube>::New();
  const Volume::Pointer bits = threshold->GetOutput();
  open->SetInput(bits);
  open->SetKernel(cube);
  open->SetForegroundValue(1);
  const tamis::ConstImageView bits_view = seen(*bits, tamis::Type::Bool);
  compare_and_measure("open bits 3x3x3", [&](const tamis::ImageView& out) {
    tamis::ImageView result = out;
    result.type = tamis::Type::Bool;
    tamis::open(context, bits_view, result, {.element = "cube:3"});
  }, *open, 2);

  const auto median = itk::MedianImageFilter<Volume, Volume>::New();
  median->SetInput(u8);
  median->SetRadius(1);
  compare_and_measure("median u8 3x3x3", [&](const tamis::ImageView& out) {
    tamis::median(context, grey_view, out, {.window = "cube:3"});
  }, *median, 1);
}

}  // namespace everyday
