// read_fitting and FittingRead: reads that end with an error if a number does not fit the type it is converted to.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/converted.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/convert.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A read into host memory. `read()`: returns when the elements are there. `find()`: throws the ConversionError that
/// names one, if there is one. Throws: as these.
template <class Read, class Find>
void read_fitting(AnyConvertingPlacer<space::Host>& placer, Read const& read, Find const& find) {
  std::atomic<bool> misfit{true};
  placer.record({&misfit});
  while (misfit) {  // until the misfit is named, or replaced
    misfit = false;
    read();
    if (misfit) find();
  }
}

/// Whether numbers that were placed in the order of a queue did not fit, once the queue is done with them.
template <MemorySpace Space>
class MisfitFlag {
  using FlagSpace = std::conditional_t<Space::host_accessible, space::Host, space::Pinned>;

 public:
  template <class Q>
  explicit MisfitFlag(Q& on) : of_kernels_(1, queue_in<FlagSpace>(on)) {}
  MisfitFlag(MisfitFlag const&) = delete;

  void watch(AnyConvertingPlacer<Space>& placer) { placer.record({&of_host_, of_kernels_.span().data}); }
  void reset() {
    of_host_ = false;
    *of_kernels_.span().data = std::byte{0};
  }
  bool is_set() const { return of_host_ || *of_kernels_.view().data != std::byte{0}; }

 private:
  buffer_in_t<FlagSpace> of_kernels_;
  std::atomic<bool> of_host_{false};
};

/// A selection of an array, and the memory that it is read into.
template <class S, class P>
struct ConvertedSelection {
  using Space = typename P::array_space;
  AnyArray<S, P> array;
  ResolvedSelection what;
  StridedSpan<Space> to;

  Pending read(AnyConvertingPlacer<Space>& placer, ReadOptions const& options) const {
    return read_converted(array, what, to, placer, options);
  }
  void find_misfit(AnyConvertingPlacer<Space> const& placer) const {
    detail::find_misfit(array, what, placer.conversion(), {});
  }
};

/// A read into other memory: its wait reports numbers that do not fit. Reading: as a ConvertedSelection.
template <class Reading>
class FittingRead : public Pending::Work {
  using Space = typename Reading::Space;
  using Placer = std::unique_ptr<AnyConvertingPlacer<Space>>;

 public:
  FittingRead(Reading reading, Placer placer, ReadOptions const& options)
      : what_{std::move(reading)}, placer_{std::move(placer)}, misfit_{what_.array.queue()} {
    misfit_.watch(*placer_);
    start(options);
  }
  ~FittingRead() override { reading_.detach(); }

  bool is_done() override { return reading_.is_done(); }
  void wait() override {
    for (;;) {
      reading_.wait();
      if (!misfit_.is_set()) return;
      what_.find_misfit(*placer_);
      start({});
    }
  }

 private:
  void start(ReadOptions const& options) {
    misfit_.reset();
    reading_ = what_.read(*placer_, options);
  }

  Reading what_;
  Placer placer_;
  MisfitFlag<Space> misfit_;
  Pending reading_;
};

}}}  // namespace tessera::v0::detail
