#include <tamis/line.hpp>

#include "core/door.hpp"

namespace tamis {

void traced_opening(const Context& context, const Image& image, std::int64_t length, double angle, const Border& border,
                    Image& out) {
  door::enter(context, "traced opening", [&] {
    MorphologyOptions options;
    options.element = StructuringElement::line(static_cast<double>(length), angle);
    options.lines = Lines::Traced;
    options.border = border;
    morphology(context, Operation::Open, image, options, out);
  });
}

Image traced_opening(const Context& context, const Image& image, std::int64_t length, double angle,
                     const Border& border) {
  Image out;
  traced_opening(context, image, length, angle, border, out);
  return out;
}

}  // namespace tamis
