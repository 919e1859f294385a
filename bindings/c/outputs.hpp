// Memory of the caller for images that an operation makes (tamis_run_into).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/tamis.h>
#include <tamis/image.hpp>
#include <tamis/image/view.hpp>
#include <tamis/operations.hpp>

namespace tamis::c {

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

}  // namespace tamis::c
