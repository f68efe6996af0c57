// StagedPart: a rank's memory that a device works on, and page-locked memory for its elements.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/core/detail/checked.hpp>
#include <tessera/memory/detail/event.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/parallel/detail/agreed.hpp>
#include <tessera/parallel/detail/device_sender.hpp>
#include <tessera/parallel/detail/exchange_plan.hpp>
#include <tessera/parallel/detail/part_rows.hpp>
#include <tessera/parallel/detail/row_copies.cuh>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/partition.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A rank's memory of Space. Memory that the host can access too is used as it is, unless it is copied.
template <class T, std::size_t Rank, class Space>
class StagedPart final : public DeviceSender {
 public:
  /// Whether messages leave from such memory.
  template <class Options>
  static bool sends_itself(ErasedCommunicator const& ranks, Options const& options) {
    return !Space::host_accessible && options.device_messages && ranks.reads_device_memory();
  }

  explicit StagedPart(Queue<space::Device> const& on, bool copies = false)
      : copies_{copies}, is_staged_{copies || !Space::host_accessible}, on_{on} {}
  StagedPart(StagedPart const&) = delete;
  /// Waits for a copy that was started, whose error `wait` throws.
  ~StagedPart() override {
    static_cast<void>(error_of([&] { arrived_.wait(); }));
  }

  /// As write_local_as. Counts the page-locked copy.
  template <class C, class S, class P, class M>
  static void write(C const& ranks, Array<T, Rank, S, P> const& array, Extents const& array_shape,
                    Partition const& partition, M const& memory, Queue<space::Device> const& on,
                    LocalWriteOptions options) {
    bool const sends = sends_itself(ErasedCommunicatorOf<C>{ranks}, options);
    StagedPart part{on, sends};
    Exchanged counts;
    auto* const exchanged = std::exchange(options.exchanged, &counts);
    write_local_as(
        ranks, array, array_shape, partition,
        [&](Extents const& shape) {
          part.of(memory, shape);
          sends ? part.make_room() : part.from_device();
          part.wait();
          return part.memory();
        },
        options, sends ? &part : nullptr);
    counts.memory += part.staged_size();
    add_counts(exchanged, counts);
  }

  /// Of this memory. Throws: SelectionError, if it has another shape, or is a device's and not contiguous in C order.
  template <class M>
  void of(M& memory, Extents const& shape) {
    auto const view = caller_view<Rank>(memory, shape);
    shape_ = shape;
    size_ = checked_size(checked_product(element_count(shape, "memory"), sizeof(T), "memory"), "memory");
    own_ = {const_cast<std::byte*>(reinterpret_cast<std::byte const*>(view.data)), Extents::filled(Rank, 0),
            view.layout().strides};
    is_in_order_ = size_ == 0 || own_.strides == Layout::c_order(shape, sizeof(T)).strides;
    if (!Space::host_accessible && !is_in_order_)
      throw SelectionError{"found device memory with gaps or in another order, expected elements in C order"};
  }
  /// Starts to copy the elements behind earlier work of the queue: the host may use them after `wait`. Host memory with
  /// gaps or in another order is gathered by the host, which waits for that work. Throws: DeviceError.
  void from_device() {
    if (is_staged_) staged_.emplace(size_, on_);
    if (is_staged_ && is_in_order_) {
      crossing<space::Pinned, Space>::copy({own_.data, size_}, staged_->span(), on_);
    } else if (is_staged_) {
      on_.wait();
      RankPart whole;
      for (auto length : shape_) whole.push_back({{0, length, 0}});
      detail::pack(whole, true, own_, staged_->span().data, sizeof(T));
    }
    arrived_ = on_.record();
  }
  /// Makes room for elements that the host writes. Waits for earlier work of the queue on memory that is used as it is.
  void make_room() {
    if (is_staged_)
      staged_.emplace(size_, on_);
    else
      on_.wait();
  }
  /// Throws: DeviceError, also for errors of earlier work of the queue.
  void wait() const { arrived_.wait(); }
  /// Behind `make_room`, instead of `from_device`: copies what the rank writes itself to the host, and waits for that
  /// copy if the rank owns values that others share, or was asked for copies. Elements of other owners' values are
  /// packed in device memory.
  std::shared_ptr<std::byte> begin(ExchangePlan const& plan, std::size_t size) override {
    auto const block = std::make_shared<DeviceBuffer>(size, on_);
    RowCopies rows{on_};
    for (auto const& box : plan.alone) copy(box, rows);
    for (auto const& value : plan.owned) copy(value.own, rows);
    rows.flush();
    arrived_ = on_.record();
    if (copies_ || !plan.owned.empty()) wait();
    return {block, block->span().data};
  }
  void pack(RankPart const& part, std::byte* to) override {
    RowCopies rows{on_};
    for_each_row(part, [&](PartRow const& row) {
      auto const size = static_cast<std::size_t>(row.count) * sizeof(T);
      rows.add(to, own_.at(row.at), size);
      to += size;
    });
    rows.flush();
    on_.wait();
  }

  /// Returns when the device may use the elements. Throws: DeviceError.
  void to_device() {
    if (!is_staged_) return;
    crossing<Space, space::Pinned>::copy(staged_->view(), {own_.data, size_}, on_);
    on_.wait();
  }

  /// Bytes of page-locked memory that it allocates.
  std::size_t staged_size() const { return is_staged_ ? size_ : 0; }
  /// Where the host finds or puts the elements, once `from_device` or `make_room` was called.
  PartMemory memory() {
    if (!is_staged_) return own_;
    return {staged_->span().data, Extents::filled(Rank, 0), Layout::c_order(shape_, sizeof(T)).strides};
  }

 private:
  // To the same places.
  void copy(RankPart const& part, RowCopies& rows) {
    auto const here = memory();
    for_each_row(part, [&](PartRow const& row) {
      rows.add(here.at(row.at), own_.at(row.at), static_cast<std::size_t>(row.count) * sizeof(T));
    });
  }

  bool copies_, is_staged_, is_in_order_ = true;
  Extents shape_{};
  Queue<space::Device> on_;
  std::size_t size_ = 0;
  PartMemory own_{};
  std::optional<PinnedBuffer> staged_{};
  Event<space::Device> arrived_{};
};

}}}  // namespace tessera::v0::detail
