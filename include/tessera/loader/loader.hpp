// Loader: the boxes of a sampler in batches, read ahead by a thread, such as random crops for training. For an array in
// device memory include <tessera/loader/loader.cuh>. LoadedBatch: boxes that a Loader read.
// loader_as: a Loader whose batches have another number type than the array; for an array in device memory include
// <tessera/array/convert.cuh> too.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/converting_placer.hpp>
#include <tessera/array/detail/orientation.hpp>
#include <tessera/array/detail/read_boxes.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/conversion.hpp>
#include <tessera/core/detail/convert.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/loader/detail/batch_pool.hpp>
#include <tessera/loader/detail/loader_options.hpp>  // IWYU pragma: export
#include <tessera/loader/detail/loader_state.hpp>
#include <tessera/loader/detail/number_batches.hpp>
#include <tessera/loader/detail/own_queue.hpp>
#include <tessera/loader/sampler.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

template <class T>
consteval bool check_loaded() {
  static_assert(!VaryingElement<T>,
                "tessera: a Loader reads elements of one size: read strings and bytes of any length with "
                "read_boxes(array, boxes)");
  return !VaryingElement<T>;
}

}  // namespace detail

/// A batch: some boxes and their elements. Use the elements in work on the queue that was passed to `Loader::next`. If
/// the host can access their memory, they are ready. Move-only. The destructor returns the memory to the loader, which
/// fills it again after the work that this queue has at that time. The host does not wait. May outlive the loader.
/// Requires: a batch that was moved from is only destroyed or assigned to, because it has no elements.
template <class T, std::size_t Rank, AllocatableBuffer B>
class LoadedBatch {
  using Slot = detail::BatchSlot<T, Rank, B>;
  using Pool = detail::BatchPool<Slot>;
  using Queue = typename Slot::queue_type;

 public:
  using array_type = OwnedArray<T, Rank + 1, B>;

  /// For Loader.
  LoadedBatch(std::unique_ptr<Slot> slot, std::shared_ptr<Pool> pool, Queue on)
      : slot_{std::move(slot)}, pool_{std::move(pool)}, on_{std::move(on)} {}
  LoadedBatch(LoadedBatch&&) = default;
  LoadedBatch& operator=(LoadedBatch&& other) noexcept {
    std::swap(slot_, other.slot_), std::swap(pool_, other.pool_), std::swap(on_, other.on_);
    return *this;
  }
  ~LoadedBatch() {
    if (slot_) pool_->give_back(std::move(slot_), on_);
  }

  /// The elements, of the shape [boxes, box...]. You may change them.
  array_type& array() & { return *slot_->elements; }
  array_type const& array() const& { return *slot_->elements; }
  array_type const& array() const&& = delete;  // the result would refer to a destroyed batch
  auto view() & { return array().view(); }     ///< that of the elements
  auto view() const& { return array().view(); }
  Extents const& shape() const& { return array().shape(); }  ///< that of the elements

  std::span<Box const> boxes() const& { return slot_->boxes; }  ///< in the order of the elements' first dimension
  /// The orientation of each box; empty, if the sampler gave no orientations.
  std::span<Orientation const> orientations() const& { return slot_->orientations; }
  std::uint64_t first() const { return slot_->first; }  ///< boxes in all batches before this one

 private:
  std::unique_ptr<Slot> slot_;
  std::shared_ptr<Pool> pool_;
  Queue on_;
};

/// Reads batches ahead of the program:
///
///     Loader loader{array, UniformBoxes{array.shape(), {64, 64, 64}, {.seed = 7}}, {.batch = 16, .cache = 1 << 28}};
///     while (auto batch = loader.next()) train(batch->view());
///
/// The loader has its own thread, which draws boxes from the sampler and reads them on the host threads of the array's
/// queue. For device memory it also has its own stream. The thread waits while `ahead` batches are ready. Every chunk
/// that a batch touches is fetched and decoded once for all of its boxes, as by read_boxes, and not again if it was
/// kept from an earlier batch. The memory of batches is reused: after the first ones the loader allocates none, unless
/// it keeps stored bytes. By default, kept chunks take twice as much memory as the loader's batches.
///
/// Boxes are as for read_boxes, and of one shape in a batch. They are resolved in the shape that the array had when the
/// loader was made; a kept chunk has the elements that it had when it was read.
///
/// The destructor ends the thread, and waits only for the store's answer to a request in progress, or for the sampler.
/// In a child of fork() `next` throws Error: make another Loader there.
///
/// Of the options of the scope in which the loader begins (with_defaults), `stop` ends it between two batches. Of those
/// of the array's handle, `stop` and `traffic` are not used.
///
/// Batches have the array's element type, or the other number type Program of loader_as.
template <Element T, std::size_t Rank, class S, class P, Element Program = T>
class Loader {
  using Buffer = buffer_in_t<typename P::array_space>;
  using State = detail::LoaderState<detail::BatchSlot<Program, Rank, Buffer>, S, P>;

 public:
  using queue_type = typename P::queue_type;
  using batch_type = LoadedBatch<Program, Rank, Buffer>;

  /// Begins to read. Copies the sampler; std::ref passes it without a copy. The loader's thread calls it, `horizon`
  /// batches ahead. Throws: Error, if a batch would have no boxes, `ahead` is 0 or more than 2^20, or `together` is not
  /// from 1 to `ahead`; SelectionError, if the padding does not suit the array; Error, DeviceError, if there is too
  /// little memory for `cache`. If `cache` is not set, `next` throws these.
  template <Sampler F>
  requires std::same_as<T, Program> Loader(Array<T, Rank, S, P> const& array, F sampler,
                                           LoaderOptions const& options = {})
      : Loader{array, std::move(sampler), options, [](auto const&) { return nullptr; }} {}
  /// For loader_as. `converter(array)`: the BatchConverter for the array on the loader's queue.
  template <Sampler F, class Make>
  Loader(Array<T, Rank, S, P> const& array, F sampler, LoaderOptions const& options, Make const& converter)
      : on_{array.untyped().queue()} {
    if constexpr (detail::check_loaded<T>() && detail::check_own_queue<queue_type>()) {
      if (options.batch == 0 || options.ahead == 0)
        throw Error{"a loader's options: found batch or ahead 0, expected at least 1"};
      if (constexpr auto most = std::size_t{1} << 20; options.ahead > most)
        throw Error{to_text({"a loader's options: found ahead ", options.ahead, ", expected at most ", most})};
      if (options.together == 0 || options.together > options.ahead)
        throw Error{to_text({"a loader's options: found together ", options.together,
                             ", expected a number from 1 to ahead, ", options.ahead})};
      auto own = array.untyped().on(detail::own_queue<queue_type>::make(on_));
      detail::PaddingElement<T> const value{own, options.padding};
      typename detail::BatchSlot<Program, Rank, Buffer>::Source const source{};
      state_.reset(new State(own, std::move(sampler), options, value.bytes(), source, converter(own)));
    }
  }

  /// The next batch, or nothing after the last one; waits until it has been read. The given queue, or by default the
  /// array's queue, waits for the elements: use them in work on this queue. Several threads may call this; each batch
  /// goes to one of them. Throws: the error of this batch, SelectionError, StoreError, CodecError with the key; Error,
  /// DeviceError, if there is too little memory; what the sampler threw, after which there is no batch; Cancelled,
  /// after `cancel`.
  std::optional<batch_type> next() { return next(on_); }
  std::optional<batch_type> next(queue_type& on) {
    auto slot = state_->next(on);
    if (!slot) return std::nullopt;
    return std::optional<batch_type>{std::in_place, std::move(slot), state_->pool(), on};
  }

  /// Ends the read in progress as soon as possible: `next`, also one that waits in another thread, throws Cancelled
  /// from now on. Does not wait. May be called from any thread.
  void cancel() { state_->cancel(); }

  /// The number of boxes in the batches that `next` has returned, or whose errors it has thrown. To continue after them
  /// later, pass this number to `seek` of an equal sampler, if this loader's sampler began at 0.
  std::uint64_t position() const { return state_->position(); }
  LoaderStatistics statistics() const { return state_->statistics(); }  ///< so far

 private:
  queue_type on_;
  std::unique_ptr<State, detail::EndLoader> state_;
};

/// A Loader whose batches have another element type than the array: each number is converted while it is placed, as
/// read_boxes_as does. Kept chunks have the array's own, often smaller numbers:
///
///     auto loader = loader_as<float>(array, crops, {.scale = 1.0 / 255}, {.batch = 16});
///     while (auto batch = loader.next()) train(batch->view());
///
/// The padding's value is one of the array, before it is converted. `next` throws a ConversionError naming the first
/// element of the batch that does not fit, unless `out_of_range` is OutOfRange::saturate. To find it in device memory,
/// the loader's thread waits for each batch, if the array's type has numbers that do not fit. Throws: as the
/// constructor of Loader; ConversionError, if `missing` is set and Program is an integer type.
template <class Program, Element T, std::size_t Rank, class S, class P, Sampler F>
auto loader_as(Array<T, Rank, S, P> const& array, F sampler, Conversion const& conversion = {},
               LoaderOptions const& options = {}) {
  if constexpr (detail::check_conversion<Program, T, P>()) {
    auto const converter = [&](AnyArray<S, P> const& own) -> std::unique_ptr<detail::BatchConverter<S, P>> {
      auto placer = detail::box_converting_placer<detail::ToProgram<Program, T>>(own, conversion, own.shape());
      bool const refuses = detail::refuses_some(conversion, *placer);
      return std::make_unique<detail::NumberBatches<S, P>>(own, std::move(placer), refuses);
    };
    return Loader<T, Rank, S, P, Program>{array, std::move(sampler), options, converter};
  } else {
    return detail::InvalidCall{};
  }
}

}}  // namespace tessera::v0
