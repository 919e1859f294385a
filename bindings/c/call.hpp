// One call of tamis_run(): what was given, and what operations are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/tamis.h>
#include <tamis/image.hpp>
#include <tamis/image/view.hpp>
#include <tamis/operations.hpp>
#include <tamis/threshold.hpp>

#include "c/result.hpp"

namespace tamis::c {

// Parameters as texts, in the order name, value, name, value, and a null pointer.

/// The parameters of one call.
struct Parameters {
  Arguments arguments;
  std::vector<std::pair<std::string, std::string>> own;  ///< those that the interface adds, which are read already

  /// Of the interface's own; empty where it was not given.
  [[nodiscard]] std::string_view text(std::string_view name) const;
};

/// Reads them into those of the operation. Masks of elements ("file:mask.png") are read until `cancel` says no. Throws
/// InputError for what nothing is called, for what is given twice, for texts that are refused.
[[nodiscard]] Parameters read_parameters(const OperationDescription& operation, const char* const* texts,
                                         const std::stop_token& cancel);

/// Sets one of a description's. `whose` begins the refusal of a name that nothing has: "median".
void set_parameter(const OperationDescription& description, std::string_view whose, Arguments& arguments,
                   std::string_view name, std::string_view text, const std::stop_token& cancel = {});

// Memory of the caller for images that an operation makes (tamis_run_into).

class Outputs {
 public:
  /// Throws InputError for names of what the operation does not make, and for memory elsewhere than that of the images.
  Outputs(const OperationDescription& operation, const tamis_view* views, std::size_t count,
          const std::optional<int>& gpu);

  /// Where an image of this name goes, if the caller says so. Throws InputError unless it fits there: the type has to
  /// be its own, or `may_be_wider` and one that holds it.
  [[nodiscard]] std::optional<ImageView> take(std::string_view name, Type type, const Shape& shape, bool may_be_wider);
  /// The same where the type shows only later, or is the caller's choice.
  [[nodiscard]] std::optional<ImageView> take(std::string_view name, const Shape& shape);
  /// Throws InputError before the work for one that is of another shape than all images the operation makes.
  void require_shape(const Shape& shape) const;
  [[nodiscard]] bool wanted(std::string_view name) const;
  /// Throws InputError if the call has made none for one of them.
  void require_all_written() const;

 private:
  struct Output {
    std::string name;
    ImageView view;
    bool written = false;
  };
  [[nodiscard]] Output* find(std::string_view name);
  std::vector<Output> outputs_;
};

/// Whole numbers of slices from `z0` on, dense, to where `to` has them; of unsigned samples to wider ones, too.
void write_slices(const ImageView& to, Type type, const std::byte* slices, std::int64_t z0, std::int64_t count);

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
