// One call of tamis_run(): what was given, and what operations are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image/view.hpp>
#include <tamis/operations.hpp>
#include <tamis/threshold.hpp>

#include "c/outputs.hpp"
#include "c/parameters.hpp"
#include "c/result.hpp"
#include "c/view.hpp"

namespace tamis::c {

/// The images of a call, each under its name.
class Images {
 public:
  /// Throws InputError for names that the operation does not know, for too many and too few.
  Images(const OperationDescription& operation, const tamis_view* views, std::size_t count);

  /// The first that the operation takes.
  [[nodiscard]] const ConstImageView& first() const { return given_.front().second; }
  /// What the operation takes, in its order.
  [[nodiscard]] std::vector<ConstImageView> taken() const;
  /// Null where none of that name was given.
  [[nodiscard]] const ConstImageView* find(std::string_view name) const;
  /// In whose memory all of them are; nothing: in that of the host.
  [[nodiscard]] const std::optional<int>& gpu() const { return gpu_; }

 private:
  void require_all(const OperationDescription& operation);
  std::optional<int> gpu_;
  std::vector<std::pair<std::string, ConstImageView>> given_;
  std::size_t taken_ = 0;
};

struct Call {
  const OperationDescription& operation;
  const Context& context;
  const Parameters& parameters;
  const Images& images;
  Outputs& outputs;
  tamis_result& result;

  template <class Options>
  [[nodiscard]] const Options& as() const {
    return parameters.arguments.as<Options>();
  }
  /// The first image as a source of slices.
  [[nodiscard]] std::unique_ptr<SliceSource> source() const { return source_of(images.first()); }
  /// A view in memory of the library, of a type that filters compute with; a stack of images stays one.
  [[nodiscard]] Image read(const ConstImageView& view) const;
  /// The first image, which is one or a volume: of a stack its operation would be one of a volume.
  void refuse_stack() const;
  /// The object of the first image, inside of "roi", with its spacing. Outputs have its shape.
  [[nodiscard]] Binary object(const ThresholdOptions& threshold) const;

  /// Where an image that is made goes: memory of the caller, or of the result. A map of sizes may go to wider samples.
  [[nodiscard]] ImageView place_for(std::string name, Type type, const Shape& shape, const Spacing& spacing,
                                    bool may_be_wider = false) const;
  /// Puts an image there.
  void give(std::string name, Image image, bool may_be_wider = false) const;
  /// The same in the memory of the GPU where the images are, without wider samples.
  [[nodiscard]] GpuOutput place_on_gpu(std::string name, Type type, const Shape& shape) const;
  /// The figures' "machine" is that GPU.
  void tell_gpu() const;
};

/// 0 and 255.
[[nodiscard]] Image black_and_white(const Context& context, const Image& bits);

/// What was chosen among samples of read(), of the type that a result has.
[[nodiscard]] Image back_to(const Context& context, Type type, Image chosen);

/// All slices of a source.
[[nodiscard]] Image read_all(const Context& context, SliceSource& source);

// Each operation that is no filter.
void run_granulometry(const Call& call);
void run_size_map(const Call& call);
void run_thickness(const Call& call);
void run_porosimetry(const Call& call);
void run_distance(const Call& call);
void run_threshold(const Call& call);
void run_threshold_value(const Call& call);
void run_convert(const Call& call);
void run_resample(const Call& call);
void run_orientation(const Call& call);
void run_deskew(const Call& call);
void run_skew(const Call& call);
void run_rotate(const Call& call);
void run_foam(const Call& call);
void run_octahedra(const Call& call);
/// And all that are.
void run_filter(const Call& call);

// The same of images in the memory of a GPU, where the library has it.
void run_filter_on_gpu(const Call& call);
void run_granulometry_on_gpu(const Call& call);
void run_size_map_on_gpu(const Call& call);
void run_thickness_on_gpu(const Call& call);
void run_distance_on_gpu(const Call& call);
void run_threshold_on_gpu(const Call& call);
void run_threshold_value_on_gpu(const Call& call);

}  // namespace tamis::c
