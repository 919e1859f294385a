// Distances into memory of the caller.
#include <tamis/image/view.hpp>

#include "core/view/view.hpp"

namespace tamis {

void distance(const Context& context, const ConstImageView& object, const ImageView& out, const DistanceOptions& options,
              const Image& domain) {
  view_detail::run_on_views(context, "distance", {&object, 1}, out, view_detail::Keeps::ToSamples,
                            [&](const Context& own, std::span<const Image* const> images, Image& result) {
                              distance(own, *images[0], options, domain, result);
                            }, {}, Layout{Type::F32, object.shape, 1, {}});
}

}  // namespace tamis
