// Lists of vectors in registers. To be included by files of kernels after <hwy/highway.h>, once for each instruction
// set: hence the guard.
#if defined(TAMIS_NETWORK_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_NETWORK_VECTORS
#undef TAMIS_NETWORK_VECTORS
#else
#define TAMIS_NETWORK_VECTORS
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "median/cpu/network/comparators.hpp"

HWY_BEFORE_NAMESPACE();
namespace tamis::median_detail::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class K>
using Tag = hn::ScalableTag<K>;

#if HWY_TARGET == HWY_SCALAR
/// Highway's portable vectors have one lane. Compilers have better ones for any processor.
constexpr bool has_vectors = false;
template <class K>
struct PortableVector {
  typedef K type __attribute__((vector_size(16)));  // NOLINT(modernize-use-using): the attribute needs it
};
template <class K>
using Vector = typename PortableVector<K>::type;

template <class K>
HWY_INLINE constexpr std::int64_t vector_lanes() {
  return sizeof(Vector<K>) / sizeof(K);
}
template <class K>
HWY_INLINE Vector<K> load_vector(const K* from) {
  Vector<K> v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
template <class K>
HWY_INLINE void store_vector(Vector<K> v, K* to) {
  std::memcpy(to, &v, sizeof(v));
}
template <class K>
HWY_INLINE Vector<K> vector_of(K value) {
  return Vector<K>{} + value;
}
template <class V>
HWY_INLINE V smaller(V a, V b) {
  return a < b ? a : b;
}
template <class V>
HWY_INLINE V larger(V a, V b) {
  return a < b ? b : a;
}
#else
constexpr bool has_vectors = true;
template <class K>
using Vector = hn::Vec<Tag<K> >;

template <class K>
HWY_INLINE std::int64_t vector_lanes() {
  return static_cast<std::int64_t>(hn::Lanes(Tag<K>()));
}
template <class K>
HWY_INLINE Vector<K> load_vector(const K* from) {
  return hn::LoadU(Tag<K>(), from);
}
template <class K>
HWY_INLINE void store_vector(Vector<K> v, K* to) {
  hn::StoreU(v, Tag<K>(), to);
}
template <class K>
HWY_INLINE Vector<K> vector_of(K value) {
  return hn::Set(Tag<K>(), value);
}
/// Of vectors, or of plain keys.
template <class V>
HWY_INLINE V smaller(V a, V b) {
  if constexpr (std::is_integral_v<V>) {
    return a < b ? a : b;
  } else {
    return hn::Min(a, b);
  }
}
template <class V>
HWY_INLINE V larger(V a, V b) {
  if constexpr (std::is_integral_v<V>) {
    return a < b ? b : a;
  } else {
    return hn::Max(a, b);
  }
}
#endif

template <bool wants_low, bool wants_high, class V>
HWY_INLINE void exchange(V& low, V& high) {
  [[maybe_unused]] const V a = low;
  [[maybe_unused]] const V b = high;
  if constexpr (wants_low) low = smaller(a, b);
  if constexpr (wants_high) high = larger(a, b);
}

template <class Network, std::size_t i, class V>
HWY_INLINE void run_comparator(V* v) {
  constexpr Comparator comparator = Network::value.comparators[i];
  exchange<comparator.wants_low, comparator.wants_high>(v[comparator.low], v[comparator.high]);
}
template <class Network, class V, std::size_t... i>
HWY_INLINE void run_network([[maybe_unused]] V* v, std::index_sequence<i...>) {
  (run_comparator<Network, i>(v), ...);
}
template <class Network, class V>
HWY_INLINE void run_network(V* v) {
  run_network<Network>(v, std::make_index_sequence<static_cast<std::size_t>(Network::value.count)>());
}

/// Where the elements of a list lie, `pitch` apart. Compilers would keep all the multiples of the pitch, and spill
/// them; so they are told of every fourth element only, by an address they cannot see through.
template <class P, int n>
struct Elements {
  HWY_INLINE Elements(P* first, std::int64_t pitch_between) : pitch(pitch_between) {
    fourth[0] = first;
    for (int i = 1; i < fourths; ++i) {
      fourth[i] = fourth[i - 1] + 4 * pitch;
      asm("" : "+r"(fourth[i]));
    }
  }
  HWY_INLINE P* at(int i) const { return fourth[i / 4] + i % 4 * pitch; }

  static constexpr int fourths = (n + 3) / 4 > 0 ? (n + 3) / 4 : 1;
  std::int64_t pitch;
  P* fourth[fourths];
};

template <class K, std::size_t... i>
HWY_INLINE void load([[maybe_unused]] Vector<K>* v, const K* from, std::int64_t pitch, std::index_sequence<i...>) {
  [[maybe_unused]] const Elements<const K, sizeof...(i)> elements(from, pitch);
  ((v[i] = load_vector<K>(elements.at(static_cast<int>(i)))), ...);
}
template <class K, std::size_t... i>
HWY_INLINE void load_each(Vector<K>* v, const K* const* from, std::int64_t lane, std::index_sequence<i...>) {
  ((v[i] = load_vector<K>(from[i] + lane)), ...);
}
template <class K, class Network, std::size_t... i>
HWY_INLINE void store_in_order(const Vector<K>* v, K* to, std::int64_t pitch, std::index_sequence<i...>) {
  const Elements<K, sizeof...(i)> elements(to, pitch);
  (store_vector<K>(v[Network::value.order[i]], elements.at(static_cast<int>(i))), ...);
}
template <class K, std::size_t... i>
HWY_INLINE void store(const Vector<K>* v, K* to, std::int64_t pitch, std::index_sequence<i...>) {
  const Elements<K, sizeof...(i)> elements(to, pitch);
  (store_vector<K>(v[i], elements.at(static_cast<int>(i))), ...);
}

}  // namespace
}  // namespace tamis::median_detail::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
