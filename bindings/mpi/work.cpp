#include "mpi/work.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/threshold.hpp>

#include "granulometry/census.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/request.hpp"
#include "mpi/balls.hpp"
#include "mpi/bits.hpp"
#include "mpi/own_slices.hpp"
#include "mpi/sizes.hpp"
#include "mpi/threshold.hpp"

namespace tamis::mpi {
namespace {

using granulometry_detail::Census;
using granulometry_detail::Tally;
using Range = Ranks::Range;

std::int64_t cores_of_machine() { return sysconf(_SC_NPROCESSORS_ONLN); }
/// mpirun binds processes to cores.
std::int64_t cores_of_process() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : cores_of_machine();
}

/// Of balls: what both have.
GranulometryOptions options_of(const GranulometryArguments& asked) {
  if (!asked.by_balls()) return asked.options();
  GranulometryOptions options;
  options.border = asked.border;
  options.max_size = asked.max_size;
  return options;
}

bool is_flat(const Shape& shape, const GranulometryArguments& asked) {
  return shape.rank == 2 ||
         (asked.by_balls() ? asked.ball_options().by_slices : asked.options().element == Element::Square);
}

class Work {
 public:
  Work(const Ranks& ranks, const Context& context, const cli::Input& input, const GranulometryArguments& asked,
       Parts& parts, bool with_map)
      : ranks_(ranks),
        context_(context),
        input_(input),
        asked_(asked),
        options_(options_of(asked)),
        parts_(parts),
        with_map_(with_map),
        shape_(input.layout().shape),
        flat_(is_flat(shape_, asked)),
        varies_(OwnRegion::varies_in(input.region, input.layout())),
        shares_(shares(shape_.z, ranks.count())),
        words_((shape_.x + 63) / 64 * shape_.y) {}

  cli::SharedSizes run(const cli::SharedMap& map) {
    on_gpus_ = can_share_on_gpus();
    read_bits();
    plan_pieces();
    compute();
    cli::SharedSizes sizes = reduce();
    if (with_map_) deliver(sizes, map);
    return sizes;
  }

 private:
  [[nodiscard]] Range own() const { return shares_[static_cast<std::size_t>(ranks_.own())]; }

  /// Whether bits may stay on GPUs, and go from one to the next.
  [[nodiscard]] bool can_share_on_gpus() const {
    bool can = false;
    ranks_.together([&] {
      const bool on_gpu =
          Ranks::cuda_aware() && choose_device(context_, shape_.count() / ranks_.count()) == Device::Cuda;
      can = on_gpu && fits_on_gpu(own());
    });
    return ranks_.all(can);
  }

  /// Twice the slices: a rank's own, and what it computes of.
  [[nodiscard]] bool fits_on_gpu(const Range& range) const {
    return GpuBinary::fits(context_, slab_shape({range.begin, range.begin + 2 * (range.end - range.begin)}));
  }

  void read_bits() {
    if (words_ > std::numeric_limits<int>::max()) throw InputError("slices of 2^37 samples and more");
    const bool has_some = read_domain();
    const ThresholdOptions value = settled(ranks_, context_, input_, own(), has_some, asked_.threshold_options());
    threshold_ = value;
    ranks_.together([&] {
      if (on_gpus_) granulometry_detail::GpuSlices::use_gpu(context_);
      own_bits_ = Bits(context_, input_.layout(), own(), on_gpus_);
      if (!has_some) return;
      Slices slices(*input_.source, own());
      const OwnRegion region(input_.region, input_.layout(), own());
      Context quiet = context_;
      quiet.on_note = {};  // what is so of a part need not be of the whole
      if (on_gpus_) {
        const GpuBinary binary(quiet, slices, value, region.region());
        own_bits_.put(own().begin, own().end - own().begin, binary.object());
        take_domain(binary.facts().domain);
      } else {
        const Binary binary = binarise(quiet, slices, value, region.region());
        own_bits_.put(own().begin, own().end - own().begin, binary.object.row<std::uint64_t>(0, 0));
        take_domain(binary.domain);
      }
    });
  }

  /// The domain that is the same for all slices, if there is one.
  void take_domain(const Image& domain) {
    if (varies_ || domain.empty()) return;
    domain_bits_ = Bits(context_, input_.layout(), {0, 1}, on_gpus_);
    domain_bits_.put(0, 1, domain.row<std::uint64_t>(0, 0));
  }

  /// Bits of a mask that has a slice for each. Returns whether a sample of the own slices counts.
  bool read_domain() {
    std::int64_t inside = own().end - own().begin;
    ranks_.together([&] {
      if (!varies_ || inside == 0) return;
      Layout slices = input_.layout();
      slices.shape.z = inside;
      const auto domain = OwnRegion(input_.region, input_.layout(), own()).bits(context_, slices);
      inside = domain->volume;
      own_domain_ = Bits(context_, input_.layout(), own(), on_gpus_);
      own_domain_.put(own().begin, slices.shape.z, domain->bits.row<std::uint64_t>(0, 0));
    });
    if (ranks_.largest(inside) == 0) {
      throw InputError("region: the mask is 0 everywhere; wanted at least one sample inside");
    }
    return inside > 0;
  }

  /// A piece of slices and the rank that computes it; parts of an earlier run are the first rank's.
  struct Piece {
    Range range;
    int rank = 0;
    bool is_there = false;
  };

  void plan_pieces() {
    Parts::Found there;
    ranks_.together([&] {
      if (ranks_.is_first() && parts_.kept()) there = parts_.open();
    });
    note_on_parts_ = there.note;
    // As a list of numbers, which all ranks are told.
    std::string list;
    for (const Part& part : there.parts) list += fmt::format("{} {} ", part.begin, part.end);
    list = ranks_.told(list);
    std::vector<bool> done(static_cast<std::size_t>(shape_.z));
    const char* at = list.c_str();
    for (char* next = nullptr; *at != '\0'; at = next + 1) {
      const std::int64_t begin = std::strtoll(at, &next, 10);
      const std::int64_t end = std::strtoll(next, &next, 10);
      const bool fits =
          end <= shape_.z && std::none_of(done.begin() + begin, done.begin() + end, [](bool d) { return d; });
      if (!fits) throw InputError("parts of an unfinished result overlap; wanted them removed, or no resume");
      std::fill(done.begin() + begin, done.begin() + end, true);
      pieces_.push_back({{begin, end}, 0, true});
      resumed_ += end - begin;
    }
    for (int rank = 0; rank < ranks_.count(); ++rank) {
      const Range share = shares_[static_cast<std::size_t>(rank)];
      const std::int64_t thick = parts_.kept() ? std::max<std::int64_t>(1, (share.end - share.begin + 3) / 4)
                                               : std::max<std::int64_t>(1, share.end - share.begin);
      for (std::int64_t begin = share.begin; begin < share.end;) {
        std::int64_t end = begin;
        while (end < share.end && end - begin < thick && !done[static_cast<std::size_t>(end)]) ++end;
        if (end > begin) pieces_.push_back({{begin, end}, rank, false});
        begin = std::max(end, begin + 1);
      }
    }
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& a, const Piece& b) { return a.range.begin < b.range.begin; });
    made_.resize(pieces_.size());
    for (const Part& part : there.parts) {
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (pieces_[i].is_there && pieces_[i].range.begin == part.begin) made_[i] = part;
      }
    }
  }

  [[nodiscard]] Range with_halo(const Range& range, std::int64_t halo) const {
    if (range.begin == range.end) return range;
    return {std::max<std::int64_t>(range.begin - halo, 0), std::min(shape_.z, range.end + halo)};
  }

  /// What a rank needs of the volume: its pieces with their halos, and its share with a slice on either side.
  [[nodiscard]] Range wanted_by(int rank, std::int64_t halo) const {
    Range all = with_halo(shares_[static_cast<std::size_t>(rank)], 1);
    for (const Piece& piece : pieces_) {
      if (piece.rank != rank || piece.is_there) continue;
      const Range range = with_halo(piece.range, halo);
      all = all.begin == all.end ? range : Range{std::min(all.begin, range.begin), std::max(all.end, range.end)};
    }
    return all;
  }

  void take_halos(std::int64_t halo) {
    std::vector<Range> wanted;
    wanted.reserve(static_cast<std::size_t>(ranks_.count()));
    for (int rank = 0; rank < ranks_.count(); ++rank) wanted.push_back(wanted_by(rank, halo));
    if (on_gpus_ && !make_room(wanted)) leave_gpus();
    if (!on_gpus_) make_room(wanted);
    exchange(wanted, own_bits_, bits_);
    if (varies_) exchange(wanted, own_domain_, domain_bits_);
  }

  /// Halos have become too long for some GPU's memory: from now on bits are in that of the host, and slabs of them go
  /// to the GPU.
  void leave_gpus() {
    on_gpus_ = false;
    ranks_.together([&] {
      for (Bits* const bits : {&own_bits_, &own_domain_, &domain_bits_}) bits->come_to_host();
    });
  }

  /// For the slices that this rank wants. False where some rank's GPU has none.
  bool make_room(const std::vector<Range>& wanted) {
    const Range& here = wanted[static_cast<std::size_t>(ranks_.own())];
    bool is_there = false;
    ranks_.together([&] {
      bits_ = {};  // their memory goes first
      if (varies_) domain_bits_ = {};
      if (on_gpus_ && !fits_on_gpu(here)) return;
      try {
        bits_ = Bits(context_, input_.layout(), here, on_gpus_);
        if (varies_) domain_bits_ = Bits(context_, input_.layout(), here, on_gpus_);
        is_there = true;
      } catch (const ResourceError&) {
        if (!on_gpus_) throw;
        bits_ = {};
        if (varies_) domain_bits_ = {};
      }
    });
    return ranks_.all(is_there);
  }

  void exchange(const std::vector<Range>& wanted, Bits& from, Bits& to) {
    ranks_.together([&] { to.put(from); });
    ranks_.exchange(
        shares_, wanted, words_, [&](std::int64_t z) { return from.slice(z); },
        [&](std::int64_t z) { return to.slice(z); });
  }

  [[nodiscard]] Shape slab_shape(const Range& range) const {
    Shape shape = shape_;
    shape.z = range.end - range.begin;
    return shape;
  }

  void compute() {
    constexpr std::int64_t first_halo = 64;
    for (std::int64_t halo = flat_ ? 0 : first_halo;; halo = std::min(2 * halo, shape_.z)) {
      take_halos(halo);
      std::int64_t insufficient = 0;
      ranks_.together([&] {
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
          if (pieces_[i].rank != ranks_.own() || pieces_[i].is_there || made_[i]) continue;
          made_[i] = compute(pieces_[i].range, halo);
          if (!made_[i]) ++insufficient;
          if (made_[i] && parts_.kept()) parts_.write(*made_[i]);
        }
      });
      if (ranks_.largest(insufficient) == 0) return;
    }
  }

  /// Nothing where the halo is too short.
  std::optional<Part> compute(const Range& piece, std::int64_t halo) {
    const Range range = with_halo(piece, halo);
    const Slab slab = bits_.cut_out(context_, range, domain_bits_);
    const bool cut = !flat_ && (range.begin > 0 || range.end < shape_.z);
    if (asked_.by_balls()) {
      return measure_balls(context_, asked_.ball_options(), slab, {piece, range, halo, cut}, with_map_);
    }
    return measure_sizes(context_, options_, slab, {piece, range, halo, cut}, with_map_);
  }

  cli::SharedSizes reduce() {
    cli::SharedSizes result;
    result.threshold = threshold_.method == ThresholdMethod::Band ? threshold_.low : threshold_.value;
    result.high = threshold_.high;
    result.method = asked_.threshold_options().method;
    Census census;
    ranks_.together([&] { census = own_census(); });
    const std::vector<std::int64_t> sums = ranks_.sum({census.object, census.domain, census.border});
    result.volume = sums[0];
    result.domain_volume = sums[1];
    const parts::Tally all = joined();
    if (asked_.by_balls()) {
      BallSizes balls = sizes_of_balls(asked_.ball_options(), shape_, input_.layout().spacing, all, sums[0], sums[1]);
      result.sizes = balls.sizes;
      result.balls = std::move(balls);
    } else {
      result.sizes = sizes_of(all);
    }
    result.sizes.border_voxels = sums[2];
    result.sizes.spacing = input_.layout().spacing;
    result.sizes.rank = flat_ ? 2 : 3;
    result.sizes.device = choose_device(context_, shape_.count());
    result.sizes.gpu = context_.gpu;
    result.resumed = resumed_;
    if (!note_on_parts_.empty()) result.notes.push_back(note_on_parts_);
    if (on_gpus_ && ranks_.count() > 1) result.notes.emplace_back("halos went from GPU to GPU");
    if (const std::int64_t cores = cores_of_machine(); cores > 1 && cores_of_process() == 1) {
      result.notes.push_back(
          fmt::format("the first process may use one of {} cores; mpirun --bind-to none may give it all", cores));
    }
    if (result.balls) result.balls->sizes = result.sizes;
    return result;
  }

  [[nodiscard]] std::vector<const Part*> own_parts() const {
    std::vector<const Part*> own;
    for (const std::optional<Part>& part : made_) {
      if (part) own.push_back(&*part);
    }
    return own;
  }

  /// What all parts of all ranks come to.
  [[nodiscard]] parts::Tally joined() const {
    parts::Tally own;
    for (const Part* const part : own_parts()) own.add(part->tally);
    return ranks_.sum(own);
  }

  Sizes sizes_of(const parts::Tally& all) {
    const Tally tally = Tally::from(all);
    largest_ = std::max<std::int64_t>(static_cast<std::int64_t>(tally.removed_by.size()) - 1, 0);
    never_ = tally.never > 0;
    return granulometry_detail::sizes_of(tally, options_);
  }

  /// Of the rank's own slices. The outermost slices of what is looked at count as a border: those of neighbours are
  /// taken off again.
  Census own_census() {
    Census census;
    if (own().begin == own().end) return census;
    const Range range = with_halo(own(), flat_ ? 0 : 1);
    const auto of = [&](const Range& slices) { return bits_.census(context_, slices, domain_bits_, !flat_); };
    census = of(range);
    for (const Range& beside : {Range{range.begin, own().begin}, Range{own().end, range.end}}) {
      if (beside.begin == beside.end) continue;
      const Census others = of(beside);
      census.object -= others.object;
      census.domain -= others.domain;
      census.border -= others.object;
    }
    return census;
  }

  /// The type of the map, and what never erodes has in it. Of balls the squares of the widest part, and all bits.
  struct MapFacts {
    Type type = Type::U8;
    std::int64_t top = 0;
  };

  [[nodiscard]] MapFacts map_facts(const cli::SharedSizes& sizes) const {
    if (sizes.balls) {
      std::int64_t widest = 2;
      for (const Part* const part : own_parts()) widest = std::max<std::int64_t>(widest, sample_bytes(part->type));
      widest = ranks_.largest(widest);
      return {widest == 2 ? Type::U16 : widest == 4 ? Type::U32 : Type::U64, -1};
    }
    const bool full = never_ && sizes.volume == sizes.domain_volume;
    const std::int64_t top = full ? options_.max_size.value_or(0) + 1 : largest_ + (never_ ? 1 : 0);
    return {granulometry_detail::map_type(top), top};
  }

  void deliver(const cli::SharedSizes& sizes, const cli::SharedMap& map) {
    const MapFacts whole = map_facts(sizes);
    ranks_.together([&] {
      if (ranks_.is_first()) map.start(sizes, whole.type);
    });
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      // The type of a part, and what never erodes there.
      std::int64_t facts[2] = {made_[i] ? static_cast<std::int64_t>(made_[i]->type) : 0,
                               made_[i] ? made_[i]->never_value : 0};
      for (std::int64_t& fact : facts) fact = ranks_.largest(fact);
      ranks_.together([&] {
        if (ranks_.is_first()) {
          put(piece, static_cast<Type>(facts[0]), facts[1], whole.type, whole.top, map);
        } else if (piece.rank == ranks_.own()) {
          ranks_.send_to_first(made_[i]->map);
        }
      });
      if (made_[i]) made_[i]->map = {};
    }
  }

  /// On the first rank: a piece's slices of the map, some at a time.
  void put(const Piece& piece, Type from, std::int64_t never_value, Type to, std::int64_t top,
           const cli::SharedMap& map) {
    const std::int64_t samples = shape_.y * shape_.x;
    const std::size_t index = static_cast<std::size_t>(&piece - pieces_.data());
    if (piece.is_there) made_[index] = parts_.read(piece.range.begin, piece.range.end);
    std::vector<std::byte> received;
    const auto bytes = static_cast<std::size_t>((piece.range.end - piece.range.begin) * samples * sample_bytes(from));
    if (piece.rank != 0) {
      received.resize(bytes);
      ranks_.receive(piece.rank, received);
    }
    const std::vector<std::byte>& all = piece.rank == 0 ? made_[index]->map : received;
    if (all.size() != bytes)
      throw InputError("a part of an unfinished result has no map; wanted it removed, or no resume");
    std::vector<std::byte> out(static_cast<std::size_t>(samples * sample_bytes(to)));
    for (std::int64_t z = piece.range.begin; z < piece.range.end; ++z) {
      const std::byte* const at = all.data() + (z - piece.range.begin) * samples * sample_bytes(from);
      if (from == to && never_value == 0) {
        map.sink(at, z, 1);
        continue;
      }
      widen(at, from, out.data(), to, samples, never_value, top);
      map.sink(out.data(), z, 1);
    }
  }

  const Ranks& ranks_;
  const Context& context_;
  const cli::Input& input_;
  const GranulometryArguments& asked_;
  GranulometryOptions options_;
  Parts& parts_;
  std::string note_on_parts_;
  bool with_map_;
  Shape shape_;
  bool flat_;
  bool varies_;  ///< the domain has a slice of its own for each
  std::vector<Range> shares_;
  std::int64_t words_;  ///< of a slice

  ThresholdOptions threshold_;
  bool on_gpus_ = false;  ///< where bits are
  Bits own_bits_;         ///< of the rank's share
  Bits bits_;             ///< with halos
  Bits own_domain_;       ///< where it has a slice for each
  Bits domain_bits_;      ///< with halos, or one slice for all, or none
  std::vector<Piece> pieces_;
  std::vector<std::optional<Part>> made_;
  std::int64_t resumed_ = 0;
  std::int64_t largest_ = 0;
  bool never_ = false;
};

}  // namespace

cli::SharedSizes measure(const Ranks& ranks, const Context& context, const cli::Input& input,
                         const GranulometryArguments& asked, Parts& parts, bool with_map, const cli::SharedMap& map) {
  ranks.together([&] {
    if (asked.grey || asked.element.line_angle) {
      throw InputError("lines and grey values are not shared among ranks; wanted another element, or tamis");
    }
    if (!asked.by_balls()) granulometry_detail::require_options(asked.options(), input.layout().shape);
  });
  return Work(ranks, context, input, asked, parts, with_map).run(map);
}

}  // namespace tamis::mpi
