// Granulometry of grey images in memory of the caller.
#include <tamis/image/view.hpp>

#include "core/view/view.hpp"

namespace tamis {

Sizes grey_granulometry(const Context& context, const ConstImageView& image, const GreyGranulometryOptions& options) {
  return grey_granulometry(context, view_detail::seen_as_image(context, "granulometry", image), options);
}

}  // namespace tamis
