// CallInFlight: a write that a LocalWriter has begun, where it writes, and which later ones must wait for it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/memory/detail/object_pool.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/parallel/detail/agreed.hpp>
#include <tessera/parallel/detail/exchange_plan.hpp>
#include <tessera/parallel/detail/local_call.hpp>
#include <tessera/parallel/detail/two_phase.hpp>
#include <tessera/parallel/partition.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// One call of a LocalWriter: what it needs until the store has the elements.
struct WrittenCall {
  PreparedCall prepared{};
  std::optional<SharedWrite> shared{};
  HostBuffer values{};
  std::optional<Lease<HostBuffer>> copy{};  ///< of the caller's memory
  /// Of memory that a device works on: waits until the host may use the elements, and owns their staged copy.
  std::function<void()> arrive{};
  std::size_t staged = 0;  ///< bytes of that copy
};

/// Where a call writes: its elements, and those of all stored values that it changes.
struct WrittenPlace {
  Extents origin{}, shape{};  ///< of the partition; of the array
  IndexBounds elements{}, values{};
};

/// The work of a call, for the writer and for the Pending that the program has: a detached one does not end it.
class CallInFlight {
 public:
  CallInFlight(WrittenPlace place, Pending work) : place_{std::move(place)}, work_{std::move(work)} {}

  WrittenPlace const& place() const { return place_; }
  bool is_done() {
    std::unique_lock const lock{mutex_, std::try_to_lock};  // another thread waits: not done
    return lock && work_.is_done();
  }
  /// Throws: the error of the work, each time.
  void wait() {
    std::lock_guard const lock{mutex_};
    if (auto const error = error_of([&] { work_.wait(); })) error_ = error;
    if (error_) std::rethrow_exception(error_);
  }

 private:
  WrittenPlace place_;
  std::mutex mutex_{};
  Pending work_;
  std::exception_ptr error_{};
};

/// Of the Pending of a call.
class WaitForCall final : public Pending::Work {
 public:
  explicit WaitForCall(std::shared_ptr<CallInFlight> call) : call_{std::move(call)} {}
  bool is_done() override { return call_->is_done(); }
  void wait() override { call_->wait(); }

 private:
  std::shared_ptr<CallInFlight> call_;
};

inline WrittenPlace written_place(Partition const& partition, Extents origin, Extents const& shape,
                                  ChunkAxes const& axes) {
  if (origin.rank() == 0) origin = Extents::filled(shape.rank(), 0);
  WrittenPlace place{origin, shape, {origin, origin}, {}};
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    auto const length = partition.shape()[d];
    place.elements.stop[d] += length;
    auto const value_of = [&](std::uint64_t index) { return axes[d].chunk(axes[d].chunk_of(index)); };
    place.values.first.push_back(length == 0 ? origin[d] : value_of(origin[d]).first);
    auto const last = length == 0 ? ChunkAxis::Placed{origin[d], 0} : value_of(origin[d] + length - 1);
    place.values.stop.push_back(last.first + last.elements);
  }
  return place;
}

inline bool intersect(IndexBounds const& a, IndexBounds const& b) {
  for (std::size_t d = 0; d < a.first.rank(); ++d)
    if (std::max(a.first[d], b.first[d]) >= std::min(a.stop[d], b.stop[d])) return false;
  return true;
}

/// Whether the first of two calls must end before the second: both write an element, or two ranks, whose stores need
/// not lock each other's keys, would change the same stored value.
inline bool must_follow(Partition const& partition, WrittenPlace const& before, WrittenPlace const& now) {
  if (!intersect(before.values, now.values)) return false;
  if (before.shape != now.shape || intersect(before.elements, now.elements)) return true;
  for (std::size_t d = 0; d < now.origin.rank(); ++d)
    if (before.origin[d] != now.origin[d] && partition.divides(d)) return true;
  return false;
}

}}}  // namespace tessera::v0::detail
