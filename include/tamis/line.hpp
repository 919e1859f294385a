// Openings along traced lines by the named algorithms of Karas, Morard, Bartovsky, Grandpierre, Dokladalova, Matula and
// Dokladal, "GPU implementation of linear morphological openings with arbitrary angle", J. Real-Time Image Proc.
// (2015).
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

namespace TAMIS_PUBLIC tamis {

/// How an opening along a line of N samples is computed. All give the same samples; they are here as history and for
/// comparison, one line after the other and one sample after the other.
///   Auto       what open() does: many lines side by side in vectors
///   VanHerk    an erosion, then a dilation, each from running minima of blocks (van Herk 1992, Gil and Werman 1993;
///              the class of Clienti's algorithm): O(N)
///   Morard     a stack of cords, stretches of samples no lower than their level (Morard, Dokladal, Decenciere 2011):
///              O(N)
///   Bartovsky  a queue from which peaks narrower than the segment are erased (Bartovsky, Dokladal, Dokladalova,
///              Bilodeau 2012): O(N)
///   Anchor     samples that the opening leaves alone, a histogram between them (Van Droogenbroeck and Buckley 2005):
///              O(N) for few grey values; U8, angles 0 and 90
enum class LineAlgorithm : std::uint8_t { Auto, VanHerk, Morard, Bartovsky, Anchor };
[[nodiscard]] std::string_view name(LineAlgorithm algorithm);

/// Opening by `length` samples along the traced lines (Lines::Traced) at `angle` degrees, on volumes slice by slice:
/// the same as open() with element line:length@angle, whatever the algorithm. U8, U16, I16 and F32 images without NaN;
/// Auto takes Bool too. Borders neutral and fit. On the CPU; threads share the lines. Memory: the result and a few
/// lines a thread. Throws InputError for a length below 1, an angle that is no number, other borders and types, and for
/// Anchor other types than U8 and other angles than 0 and 90.
[[nodiscard]] Image traced_opening(const Context& context, const Image& image, std::int64_t length, double angle,
                                   LineAlgorithm algorithm = LineAlgorithm::Auto, const Border& border = {});
/// The same into `out`, whose memory is used again if type and shape fit. `out` must not be `image`.
void traced_opening(const Context& context, const Image& image, std::int64_t length, double angle,
                    LineAlgorithm algorithm, const Border& border, Image& out);

}  // namespace tamis
