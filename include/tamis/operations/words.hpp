// The words of choices that more than one operation has, in every front end.
#pragma once

#include <tamis/compiler.hpp>

#include <tamis/image/border.hpp>
#include <tamis/context.hpp>
#include <tamis/image/domain.hpp>
#include <tamis/morphology.hpp>
#include <tamis/operations/parse.hpp>
#include <tamis/threshold.hpp>

namespace TAMIS_PUBLIC tamis {

inline constexpr Choice<NanPolicy> nan_policies[] = {{"refuse", NanPolicy::Refuse}, {"ignore", NanPolicy::Ignore}};
inline constexpr Choice<Simd> instruction_sets[] = {
    {"best", Simd::Best}, {"avx512", Simd::Avx512}, {"avx2", Simd::Avx2}, {"portable", Simd::Portable}};
inline constexpr Choice<Lines> line_kinds[] = {{"invariant", Lines::Invariant}, {"traced", Lines::Traced}};
inline constexpr Choice<Connectivity> connectivities[] = {{"face", Connectivity::Face}, {"full", Connectivity::Full}};
inline constexpr Choice<Phase> phases[] = {{"bright", Phase::Bright}, {"dark", Phase::Dark}};

inline constexpr Choice<DomainBorder> domain_borders[] = {{"background", DomainBorder::Background},
                                                          {"neutral", DomainBorder::Neutral}};

}  // namespace tamis
