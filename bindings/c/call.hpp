// One call of tamis_run(): what was given, and what operations are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image_view.hpp>
#include <tamis/operations.hpp>
#include <tamis/threshold.hpp>

#include "c/parameters.hpp"
#include "c/result.hpp"

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

 private:
  void require_all(const OperationDescription& operation);
  std::vector<std::pair<std::string, ConstImageView>> given_;
  std::size_t taken_ = 0;
};

struct Call {
  const OperationDescription& operation;
  const Context& context;
  const Parameters& parameters;
  const Images& images;
  tamis_result& result;

  template <class Options>
  [[nodiscard]] const Options& as() const {
    return parameters.arguments.as<Options>();
  }
  /// The first image as a source of slices.
  [[nodiscard]] std::unique_ptr<SliceSource> source() const { return source_of(images.first()); }
  /// A view in memory of the library; a stack of images stays one.
  [[nodiscard]] Image read(const ConstImageView& view) const;
  /// The first image, which is one or a volume: of a stack its operation would be one of a volume.
  void refuse_stack() const;
  /// The object of the first image, inside of "roi", with its spacing.
  [[nodiscard]] Binary object(const ThresholdOptions& threshold) const;
};

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

}  // namespace tamis::c
