#include "mpi/ranks.hpp"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include <tamis/error.hpp>

namespace tamis::mpi {
namespace {

enum class Outcome : int { Well, Cancelled, Resource, Input };

[[noreturn]] void rethrow(Outcome outcome, const std::string& message) {
  if (outcome == Outcome::Cancelled) throw Cancelled(message);
  if (outcome == Outcome::Resource) throw ResourceError(message);
  throw InputError(message);
}

/// Runs work() and says how it ended: whatever it throws, the others have to hear of it.
std::pair<Outcome, std::string> outcome_of(const std::function<void()>& work) {
  try {
    work();
    return {Outcome::Well, ""};
  } catch (const Cancelled& error) {
    return {Outcome::Cancelled, error.what()};
  } catch (const InputError& error) {
    return {Outcome::Input, error.what()};
  } catch (const Error& error) {
    return {Outcome::Resource, error.what()};
  } catch (const std::bad_alloc&) {
    return {Outcome::Resource, "out of memory; --memory limits what a process uses"};
  } catch (const std::exception& error) {
    return {Outcome::Resource, error.what()};
  }
}

// Counts of MPI are ints: what is longer goes in pieces.
constexpr std::int64_t most = std::int64_t{1} << 28;

void send(const std::byte* data, std::int64_t bytes, int to) {
  for (std::int64_t at = 0; at < bytes; at += most) {
    MPI_Send(data + at, static_cast<int>(std::min(most, bytes - at)), MPI_BYTE, to, 0, MPI_COMM_WORLD);
  }
}

std::string broadcast(std::string text, int from) {
  auto length = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, from, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  for (std::int64_t at = 0; at < length; at += most) {
    MPI_Bcast(text.data() + at, static_cast<int>(std::min(most, length - at)), MPI_BYTE, from, MPI_COMM_WORLD);
  }
  return text;
}

/// Whether a parameter of this MPI is true. What it does not have is.
[[maybe_unused]] bool is_switched_on(const char* parameter) {
  int provided = 0, index = 0, count = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return true;
  std::int64_t value = 1;  // as long as whatever it is
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (MPI_T_cvar_get_index(parameter, &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    value = 0;
    if (count != 1 || MPI_T_cvar_read(handle, &value) != MPI_SUCCESS) value = 1;
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return value != 0;
}

Ranks::Range common(const Ranks::Range& a, const Ranks::Range& b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

}  // namespace

Ranks::Ranks(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &own_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, own_, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &on_host_);
  MPI_Comm_size(host, &on_this_host_);
  MPI_Comm_free(&host);
}

Ranks::~Ranks() { MPI_Finalize(); }

bool Ranks::cuda_aware() {
#ifdef MPIX_CUDA_AWARE_SUPPORT  // is defined, as 0 or 1, where the question can be asked
  // The answer of some versions is how it was built, whether or not that is switched on.
  return MPIX_Query_cuda_support() != 0 && is_switched_on("opal_cuda_support");
#else
  return false;
#endif
}

void Ranks::together(const std::function<void()>& work) const {
  const auto [outcome, message] = outcome_of(work);
  const bool well = outcome == Outcome::Well;
  const int failed = well ? count_ : own_;
  int first = count_;
  MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == count_) return;
  auto code = static_cast<int>(outcome);
  MPI_Bcast(&code, 1, MPI_INT, first, MPI_COMM_WORLD);
  rethrow(static_cast<Outcome>(code), broadcast(message, first));
}

// None of these is static, though some could be: an object says that MPI has started.
// NOLINTBEGIN(readability-convert-member-functions-to-static)
std::int64_t Ranks::largest(std::int64_t value) const {
  std::int64_t all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

std::vector<std::int64_t> Ranks::sum(std::vector<std::int64_t> values) const {
  values.resize(static_cast<std::size_t>(largest(static_cast<std::int64_t>(values.size()))));
  for (std::size_t at = 0; at < values.size(); at += static_cast<std::size_t>(most)) {
    const auto count = static_cast<int>(std::min(values.size() - at, static_cast<std::size_t>(most)));
    MPI_Allreduce(MPI_IN_PLACE, values.data() + at, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  }
  return values;
}

parts::Tally Ranks::sum(const parts::Tally& tally) const {
  parts::Tally all = tally;
  for (int rank = 1; rank < count_; ++rank) {
    std::string bytes = rank == own_ ? tally.to_bytes() : "";
    const std::int64_t length = largest(static_cast<std::int64_t>(bytes.size()));
    if (rank == own_) send_to_first(std::as_bytes(std::span(bytes)));
    if (!is_first()) continue;
    bytes.resize(static_cast<std::size_t>(length));
    receive(rank, std::as_writable_bytes(std::span(bytes)));
    all.add(parts::Tally::from_bytes(bytes, "a tally of another process"));
  }
  return parts::Tally::from_bytes(told(all.to_bytes()), "a tally of the first process");
}

std::string Ranks::told(std::string text) const { return broadcast(std::move(text), 0); }

std::int64_t Ranks::told(std::int64_t value) const {
  MPI_Bcast(&value, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return value;
}

void Ranks::exchange(std::span<const Range> own, std::span<const Range> wanted, std::int64_t words,
                     const std::function<const std::uint64_t*(std::int64_t z)>& slice,
                     const std::function<std::uint64_t*(std::int64_t z)>& put) const {
  std::vector<MPI_Request> requests;
  const auto length = static_cast<int>(words);
  for (int other = 0; other < count_; ++other) {
    if (other == own_) continue;
    const auto at = static_cast<std::size_t>(other), here = static_cast<std::size_t>(own_);
    const Range in = common(wanted[here], own[at]);
    for (std::int64_t z = in.begin; z < in.end; ++z) {
      MPI_Irecv(put(z), length, MPI_UINT64_T, other, 1, MPI_COMM_WORLD, &requests.emplace_back());
    }
    const Range out = common(wanted[at], own[here]);
    for (std::int64_t z = out.begin; z < out.end; ++z) {
      MPI_Isend(slice(z), length, MPI_UINT64_T, other, 1, MPI_COMM_WORLD, &requests.emplace_back());
    }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void Ranks::send_to_first(std::span<const std::byte> bytes) const {
  send(bytes.data(), static_cast<std::int64_t>(bytes.size()), 0);
}

void Ranks::receive(int from, std::span<std::byte> bytes) const {
  const auto length = static_cast<std::int64_t>(bytes.size());
  for (std::int64_t at = 0; at < length; at += most) {
    MPI_Recv(bytes.data() + at, static_cast<int>(std::min(most, length - at)), MPI_BYTE, from, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
}

// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace tamis::mpi
