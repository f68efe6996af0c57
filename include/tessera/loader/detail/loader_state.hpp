// LoaderState: the thread of a Loader, and what it shares with the program.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/orientation.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/error.hpp>
#include <tessera/loader/detail/batch_converter.hpp>
#include <tessera/loader/detail/batch_pool.hpp>
#include <tessera/loader/detail/batch_reader.hpp>
#include <tessera/loader/detail/loader_options.hpp>
#include <tessera/loader/detail/planned_batch.hpp>
#include <tessera/loader/detail/ready_batches.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/detail/own_process.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Slot: a BatchSlot, or one like it. The destructor cancels the thread and waits for it; see EndLoader.
template <class Slot, class S, class P>
class LoaderState {
 public:
  using Draw = std::function<std::optional<OrientedBox>()>;
  using queue_type = typename P::queue_type;
  using Targets = typename BatchReader<S, P>::Targets;
  using Each = std::vector<StridedSpan<typename P::array_space>>;
  using Pool = BatchPool<Slot>;

  /// `array`: on a queue of the loader's own. `value`: the bytes of the element that pads it. `source`: for the memory
  /// of the batches. `converter`: what makes their elements, if those are not the array's. Throws: MetadataError, if
  /// elements are strings or bytes of any length.
  LoaderState(AnyArray<S, P> const& array, Draw draw, LoaderOptions const& options, ByteView<space::Host> value,
              typename Slot::Source source = {}, std::unique_ptr<BatchConverter<S, P>> converter = nullptr)
      : options_{options},
        source_{std::move(source)},
        converter_{std::move(converter)},
        item_size_{converter_ ? converter_->item_size() : array.type().size},
        draw_{std::move(draw)},
        reader_{array, options.padding, value},
        ready_{options.ahead},
        pool_{std::make_shared<Pool>(array.queue(), options.ahead + reused)} {
    in_document(array.store(), array.document(), [&] {
      if (array.type().varies())
        throw MetadataError{to_text(
            {"member data_type: elements of ", array.type().name(), " vary in size, expected one size in a loader"})};
    });
    if (options_.cache.is_given()) set_cache(options_.cache);
    thread_ = std::thread{[this] { with_defaults(of_scope_, [&] { run(); }); }};
  }
  LoaderState(LoaderState const&) = delete;
  ~LoaderState() {
    ready_.cancel();
    thread_.join();
  }

  /// The next batch, for use in the order of `on`, or null after the last one. Give the slot back to `pool()`. `look`:
  /// as of ReadyBatches::take. Throws: the batch's error; as ReadyBatches::take; Error in a child of fork().
  std::unique_ptr<Slot> next(queue_type& on, FunctionRef<void()> const* look = nullptr) {
    if (lost_its_thread())
      throw Error{"the loader was made by another process, before fork(): make one in this process"};
    auto slot = ready_.take(look);
    if (!slot) return nullptr;
    // Of threads that share the loader, one with an earlier batch may come here later.
    auto const end = slot->first + slot->boxes.size();
    for (auto before = position_.load(); before < end && !position_.compare_exchange_weak(before, end);) {
    }
    if (auto const error = slot->error) {
      pool_->give_back(std::move(slot), on);
      std::rethrow_exception(error);
    }
    on.after(slot->ready);
    ++batches_;
    boxes_ += slot->boxes.size();
    return slot;
  }
  std::shared_ptr<Pool> const& pool() const { return pool_; }

  void cancel() {
    if (!lost_its_thread()) ready_.cancel();
  }
  /// Whether this is a copy in a child of fork(), which has no thread: it must not be destroyed, which would wait.
  bool lost_its_thread() const { return !process_.is_here(); }
  std::uint64_t position() const { return position_; }
  LoaderStatistics statistics() const {
    auto const [seconds, waited] = ready_.times();
    auto const* const stored = stored_.load();
    auto const chunks = traffic_.chunks.load();  // the loader's thread goes on: more may be missing by now
    return {batches_,
            boxes_,
            wanted_,
            hits_,
            chunks - std::min(chunks, traffic_.missing.load()),
            stored ? stored->hits() : 0,
            stored ? stored->fetched() : traffic_.fetched.load(),
            seconds,
            waited};
  }

 private:
  void run() noexcept {
    std::exception_ptr error;
    try {
      while (ready_.wait_for_room(options_.together) && read_next()) {
      }
    } catch (...) {
      error = std::current_exception();
    }
    ready_.end(std::move(error));
  }

  // False: no batch follows. Throws: Cancelled, if the scope in which the loader began is stopped.
  bool read_next() {
    expect_going(of_scope_.read.stop.value());
    draw_ahead();
    if (drawn_ == 0) return false;
    auto const several = std::min(options_.together, drawn_);
    if (alone_ == 0 && several > 1 && read_several(several)) return true;
    if (alone_ > 0) --alone_;
    auto slot = pool_->take();
    auto& batch = *planned_.front();
    try {
      if (batch.error) std::rethrow_exception(batch.error);
      auto const shape = batch.chunks.shape_of_all();
      auto* const data = slot->of_shape(shape, item_size_, source_, reader_.queue());
      wanted_ += batch.wanted.size();
      hits_ += read(batch, 1, {data, Layout::c_order(shape, item_size_).strides});
      slot->ready = reader_.queue().record();
    } catch (...) {
      slot->error = std::current_exception();
    }
    bool const goes_on = !slot->error || options_.on_error == OnError::go_on;
    hand_over(std::move(slot));
    return goes_on;
  }

  // The first `count` batches at once. False: one of them has an error, and each is read alone.
  bool read_several(std::size_t count) {
    std::span const some = std::span{planned_}.first(count);
    slots_.clear(), each_.clear(), several_.clear();
    try {
      for (auto const& batch : some) {
        if (batch->error) std::rethrow_exception(batch->error);
        several_.add(*batch);
        auto const shape = batch->chunks.shape_of_all();
        auto const strides = Layout::c_order(shape, item_size_).strides;
        auto* const data = slots_.emplace_back(pool_->take())->of_shape(shape, item_size_, source_, reader_.queue());
        Targets const all{data, strides};
        for (std::size_t i = 0; i < batch->boxes.size(); ++i) each_.push_back({all.data(i), all.strides(i)});
      }
      reader_.plan(several_);
      auto const kept = read(several_, count, Targets{std::span<typename Each::value_type const>{each_}});
      std::size_t wanted = 0;
      for (auto const& batch : some) wanted += batch->wanted.size();
      wanted_ += wanted;
      hits_ += wanted - (several_.wanted.size() - kept);
      for (auto& slot : slots_) slot->ready = reader_.queue().record();
    } catch (...) {  // thrown again by the batch that it concerns
      for (auto& slot : slots_) pool_->give_back(std::move(slot), reader_.queue());
      alone_ = count;
      return false;
    }
    for (auto& slot : slots_) hand_over(std::move(slot));
    return true;
  }

  // `count`: of the planned batches, those that are read.
  std::size_t read(PlannedBatch& batch, std::size_t count, Targets const& to) {
    std::span const later = std::span{planned_}.subspan(count, drawn_ - count);
    ReadOptions const reading{.stop = ready_.stop(), .traffic = &traffic_};
    struct Tell {
      LoaderState& loader;
      ~Tell() { loader.tell_scope(); }
    } const tell{*this};
    return converter_ ? converter_->read(reader_, batch, later, to, reading) : reader_.read(batch, later, to, reading);
  }

  // Adds the traffic since the last call to that of the scope.
  void tell_scope() {
    auto* const to = of_scope_.read.traffic.value();
    if (!to) return;
    for (auto const member : {&Traffic::chunks, &Traffic::missing, &Traffic::fetched, &Traffic::decoded,
                              &Traffic::placed}) {
      auto const now = (traffic_.*member).load();
      to->*member += now - (told_.*member).exchange(now);
    }
  }

  // The first planned batch, whose elements or error the slot has.
  void hand_over(std::unique_ptr<Slot> slot) {
    auto& batch = *planned_.front();
    slot->first = read_;
    read_ += batch.boxes.size();
    std::swap(slot->boxes, batch.boxes), std::swap(slot->orientations, batch.orientations);
    std::rotate(planned_.begin(), planned_.begin() + 1, planned_.end());
    --drawn_;
    ready_.put(std::move(slot));
  }

  // The boxes of later batches tell which chunks to keep.
  void draw_ahead() {
    while (!has_ended_ && drawn_ < std::max(options_.together, reader_.keeps() ? options_.horizon : 1)) {
      if (drawn_ == planned_.size()) planned_.push_back(std::make_unique<PlannedBatch>());
      auto& batch = *planned_[drawn_];
      batch.clear();
      draw(batch);
      if (batch.boxes.empty() && !batch.error) return;
      ++drawn_;
    }
  }
  void draw(PlannedBatch& batch) {
    try {
      while (!has_ended_ && batch.boxes.size() < options_.batch) {
        expect_going(ready_.stop());  // a sampler may be slow, and a batch or the horizon long
        if (auto box = draw_())
          batch.add(*std::move(box));
        else
          has_ended_ = true;
      }
    } catch (...) {
      has_ended_ = true;
      batch.error = std::current_exception();
      return;
    }
    try {
      reader_.plan(batch);
      if (!is_cache_set_) set_cache(reader_.usual_budget(batch, 2 * (options_.ahead + reused)));
    } catch (...) {
      batch.wanted.clear();
      batch.error = std::current_exception();
    }
  }

  void set_cache(std::uint64_t bytes) {
    bool const keeps_stored =
        options_.keep == Keep::stored || (options_.keep == Keep::either && bytes < reader_.decoded_bytes());
    if (keeps_stored)
      reader_.keep_stored(bytes);
    else
      reader_.keep(bytes);
    stored_ = reader_.stored();
    is_cache_set_ = true;
  }

  // Batches whose memory is used again, beside those ahead: the program may hold one while it takes the next.
  static constexpr std::size_t reused = 2;

  OwnProcess const process_{};
  Defaults const of_scope_ = defaults();
  LoaderOptions const options_;
  typename Slot::Source const source_;
  std::unique_ptr<BatchConverter<S, P>> const converter_;
  std::size_t const item_size_;  // of an element of the batches
  // Of the thread.
  Draw draw_;
  BatchReader<S, P> reader_;
  std::vector<std::unique_ptr<PlannedBatch>> planned_{};  // the first `drawn_`; the others are for reuse
  std::size_t drawn_ = 0;
  std::size_t alone_ = 0;   // batches that are read alone next
  PlannedBatch several_{};  // read together, with their slots, and the memory of each box
  std::vector<std::unique_ptr<Slot>> slots_{};
  Each each_{};
  std::uint64_t read_ = 0;  // boxes
  bool has_ended_ = false, is_cache_set_ = false;

  std::atomic<typename BatchReader<S, P>::Stored const*> stored_{nullptr};
  Traffic traffic_{}, told_{};  // told_: what the scope's has of it
  std::atomic<std::uint64_t> wanted_{0}, hits_{0}, batches_{0}, boxes_{0}, position_{0};
  ReadyBatches<Slot> ready_;
  std::shared_ptr<Pool> pool_;
  std::thread thread_{};  // the last member: it uses the others
};

/// Deletes a LoaderState, but not in a child of fork().
struct EndLoader {
  template <class State>
  void operator()(State* state) const {
    if (!state->lost_its_thread()) delete state;
  }
};

}}}  // namespace tessera::v0::detail
