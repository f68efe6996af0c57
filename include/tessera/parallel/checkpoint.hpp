// resize and append, called by all ranks of a communicator. Checkpoint: arrays that grow together.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/append.hpp>
#include <tessera/array/detail/change_shape.hpp>
#include <tessera/array/detail/erased_array_store.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/parallel/communicator.hpp>
#include <tessera/parallel/detail/agreed.hpp>
#include <tessera/parallel/detail/options.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/partition.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {

/// Called by all ranks, each with its handle of the array: as Array::resize, which rank 0 calls. Afterwards the handles
/// of all ranks show the new shape. Throws on all ranks the error of one, which it names.
template <Communicator C, class T, std::size_t Rank, class S, class P>
void resize(C const& ranks, Array<T, Rank, S, P> const& array, Extents const& shape) {
  detail::ErasedCommunicatorOf<C> all{ranks};
  detail::agreed(all, [&] {
    if (all.rank() == 0) array.resize(shape);
  });
  array.untyped().adopt_shape(shape);
}

/// Appends to several arrays, whose new elements become visible together:
///
///     Checkpoint step{ranks};
///     step.append(temperature, partition, t);
///     step.append(pressure, partition, p);
///     step.publish();
///
/// All ranks construct one, and call the same members. Readers see the old shapes until `publish` changes the
/// documents, one after the other, in the order of the appends: a reader of the last array's new shape sees all of
/// them. If the program ends before, the arrays have the last published shapes, and the next append overwrites what
/// this one left. Requires: no other program changes the arrays' shapes meanwhile; arrays of several stores differ in
/// path or in the name of their store.
template <Communicator C>
class Checkpoint {
 public:
  explicit Checkpoint(C const& ranks) : ranks_{ranks} {}

  /// Called by all ranks: writes the elements after the last index of `axis`, as write_local. The partition is that of
  /// the new elements: as long as the array in its other dimensions. Throws: MetadataError, if the document has another
  /// shape than the handles; as write_local.
  template <class T, std::size_t Rank, class S, class P, detail::MemoryOrMistake M>
  void append(Array<T, Rank, S, P> const& array, Partition const& partition, M const& memory, std::size_t axis = 0,
              LocalWriteOptions options = {}) {
    if constexpr (detail::check_local<T, P>() && detail::check_writable<S>() &&
                  detail::check_memory<T, Rank, space::Host, M const>())
      grow(array, partition, axis, options, [&](Extents const& shape) {
        detail::write_local_as(
            ranks_, array, shape, partition,
            [&](Extents const& own) { return detail::local_memory<Rank>(memory, own); }, options);
      });
  }
  /// As above, from device memory in C order, or from page-locked or managed memory, after the queue's earlier work, as
  /// write_local of it: include tessera/parallel/local.cuh. Throws: as above; DeviceError.
  template <class T, std::size_t Rank, class S, class P, detail::DeviceAccessible M>
  void append(Array<T, Rank, S, P> const& array, Partition const& partition, M const& memory,
              Queue<space::Device>& on, std::size_t axis = 0, LocalWriteOptions options = {}) {
    using Space = typename detail::CallerMemory<M const>::space;
    if constexpr (detail::check_local<T, P>() && detail::check_writable<S>() &&
                  detail::check_memory<T, Rank, Space, M const>())
      grow(array, partition, axis, options, [&](Extents const& shape) {
        detail::StagedPart<T, Rank, Space>::write(ranks_, array, shape, partition, memory, on, options);
      });
  }

  /// Called by all ranks: makes the appended elements visible. The handles of all ranks then show the new shapes.
  /// Throws: MetadataError, if a document has another shape than the handles; StoreError. Arrays whose documents were
  /// written are then published, and their handles show it; another call does not publish the others.
  void publish() {
    detail::ErasedCommunicatorOf<C> all{ranks_};
    std::uint64_t done = std::numeric_limits<std::uint64_t>::max();
    auto const error = detail::error_of([&] {
      if (all.rank() != 0) return;
      for (done = 0; done < grown_.size(); ++done) {
        try {
          grown_[done].publish();
        } catch (...) {
          if (grown_[done].is_shown()) ++done;  // the error came behind the write of the document
          throw;
        }
      }
    });
    done = all.least(done);
    auto const grown = std::exchange(grown_, {});
    for (std::size_t i = 0; i < done; ++i) grown[i].adopt();
    detail::agree(all, error);
  }

 private:
  struct Grown {
    std::string name{};
    Extents after{};
    std::function<void()> publish{}, adopt{};
    std::function<bool()> is_shown{};  ///< the document has the new shape
  };

  // `write(shape)` writes the new elements at options.origin, which is set, to the array as if it had that shape.
  template <class T, std::size_t Rank, class S, class P, class F>
  void grow(Array<T, Rank, S, P> const& array, Partition const& partition, std::size_t axis,
            LocalWriteOptions& options, F const& write) {
    auto const& untyped = array.untyped();
    Grown grown;
    auto before = array.shape();
    detail::ErasedCommunicatorOf<C> all{ranks_};
    detail::agreed(all, [&] {
      grown.name = name_of(untyped.store()) + '\n' + untyped.document().path;
      bool is_published = true;
      for (auto const& earlier : grown_)
        if (earlier.name == grown.name) before = earlier.after, is_published = false;
      detail::in_document(untyped.store(), untyped.document(), [&] {
        grown.after = detail::appended(before, axis, partition.shape(), Strides::filled(Rank, 0));
      });
      grown.publish = [untyped, before, after = grown.after] { publish_one(untyped, before, after); };
      grown.adopt = [untyped, after = grown.after] { untyped.adopt_shape(after); };
      grown.is_shown = [untyped, after = grown.after] {
        return !detail::error_of([&] { expect_shape(untyped, after, after); });
      };
      grown_.reserve(grown_.size() + 1);  // no rank may fail behind the write
      if (is_published && all.rank() == 0) expect_shape(untyped, before, grown.after);
    });
    options.origin = Extents::filled(Rank, 0);
    options.origin[axis] = before[axis];
    write(grown.after);
    grown_.push_back(std::move(grown));
  }

  // Elements of another program that has appended since the array was opened would be overwritten.
  template <class S, class P>
  static void expect_shape(AnyArray<S, P> const& array, Extents const& before, Extents const& after) {
    KeyLocks locks;
    detail::ErasedArrayStoreOf<S> const store{array.store(), locks};
    static_cast<void>(detail::shapes_to_be(
        array.store(), store, array.path(), array.metadata(), [&](Extents const& found) {
          if (found != before)
            throw MetadataError{to_text({"member shape: found ", to_string(found), ", expected ", to_string(before),
                                         ": another writer changed it since the array was opened"})};
          return after;
        }));
  }
  template <class S, class P>
  static void publish_one(AnyArray<S, P> const& array, Extents const& before, Extents const& after) {
    KeyLocks locks;
    detail::replace_shape(detail::ErasedArrayStoreOf<S>{array.store(), locks}, array.path(), array.metadata(), before,
                          after, nullptr);
  }

  C ranks_;
  std::vector<Grown> grown_{};
};

/// Called by all ranks: a Checkpoint of one array. Throws: as Checkpoint.
template <Communicator C, class T, std::size_t Rank, class S, class P, detail::MemoryOrMistake M>
void append(C const& ranks, Array<T, Rank, S, P> const& array, Partition const& partition, M const& memory,
            std::size_t axis = 0, LocalWriteOptions const& options = {}) {
  Checkpoint step{ranks};
  step.append(array, partition, memory, axis, options);
  step.publish();
}
template <Communicator C, class T, std::size_t Rank, class S, class P, detail::DeviceAccessible M>
void append(C const& ranks, Array<T, Rank, S, P> const& array, Partition const& partition, M const& memory,
            Queue<space::Device>& on, std::size_t axis = 0, LocalWriteOptions const& options = {}) {
  Checkpoint step{ranks};
  step.append(array, partition, memory, on, axis, options);
  step.publish();
}

}}  // namespace tessera::v0
