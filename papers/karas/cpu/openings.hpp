// Openings along traced lines by four algorithms, one line after the other and one sample after the other, on the CPU.
#pragma once

#include <cstdint>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/image/border.hpp>

namespace tamis::karas::cpu {

/// All give the same samples, those of tamis::traced_opening().
///   VanHerk    an erosion, then a dilation, each from running minima of blocks (van Herk 1992, Gil and Werman 1993;
///              the class of Clienti's algorithm): O(N)
///   Morard     a stack of cords, stretches of samples no lower than their level (Morard, Dokladal, Decenciere 2011):
///              O(N)
///   Bartovsky  a queue from which peaks narrower than the segment are erased (Bartovsky, Dokladal, Dokladalova,
///              Bilodeau 2012): O(N)
///   Anchor     samples that the opening leaves alone, a histogram between them (Van Droogenbroeck and Buckley 2005):
///              O(N) for few grey values; U8, angles 0 and 90
enum class Algorithm : std::uint8_t { VanHerk, Morard, Bartovsky, Anchor };
[[nodiscard]] std::string_view name(Algorithm algorithm);

/// Opening by `length` samples at `angle` degrees, on volumes slice by slice; threads share the lines. U8, U16, I16 and
/// F32 images without NaN; borders neutral and fit. Memory: the result and a few lines a thread. Throws InputError for
/// a length below 1, an angle that is no number, other borders and types, and for Anchor other types than U8 and other
/// angles than 0 and 90.
[[nodiscard]] Image opening(const Context& context, const Image& image, std::int64_t length, double angle,
                            Algorithm algorithm, const Border& border = {});
/// The same into `out`, whose memory is used again if type and shape fit. `out` must not be `image`.
void opening(const Context& context, const Image& image, std::int64_t length, double angle, Algorithm algorithm,
             const Border& border, Image& out);

}  // namespace tamis::karas::cpu
