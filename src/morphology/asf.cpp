// Alternating sequential filters.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tamis/memory.hpp>
#include <tamis/morphology.hpp>

#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "morphology/element/catalogue.hpp"

#ifdef TAMIS_CUDA
#include "morphology/gpu/filter.hpp"
#endif

namespace tamis {

Image asf(const Context& context, const Image& image, const AsfOptions& options) {
  return door::enter(context, "asf", [&]() -> Image {
    require_image(image, "asf");
    // The largest element is checked first: if it is refused, nothing has been done.
    static_cast<void>(StructuringElement(options.element).sets(image.shape().rank));
    const std::vector<std::string> family = morphology_detail::element_family(options.element);
    Operation halves[2] = {Operation::Open, Operation::Close};
    door::require_known(options.order, AsfOptions::Order::CloseOpen, "order");
    if (options.order == AsfOptions::Order::CloseOpen) std::swap(halves[0], halves[1]);
    Stage stage(context, "asf", static_cast<std::int64_t>(family.size()));
#ifdef TAMIS_CUDA
    // Large elements go through bits by their distances, step by step.
    if (context.device == Device::Cuda && image.type() != Type::Bool) {
      if (std::optional<Image> out = morphology_detail::gpu::asf_in_one(context, image, options)) return *std::move(out);
    }
#endif
    // One stage for the whole filter, not one for each part; progress is reported as often as before.
    require_memory(context, "asf", image.bytes());
    Context part = beside(context, image.bytes());
    if (part.on_progress) part.on_progress = [&stage](const Progress&) { stage.advance(0); };
    part.on_stage = nullptr;
    Image now;
    Image next;
    for (const std::string& element : family) {
      MorphologyOptions each;
      each.element = StructuringElement(element);
      each.border = options.border;
      each.nan = options.nan;
      for (const Operation operation : halves) {
        morphology(part, operation, now.empty() ? image : now, each, next);
        std::swap(now, next);
      }
      stage.advance();
    }
    return now;
  });
}

}  // namespace tamis
