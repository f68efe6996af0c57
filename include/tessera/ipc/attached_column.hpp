// AttachedColumn: a column in another process's memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/detail/check_column.hpp>
#include <tessera/ipc/detail/column.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// Move-only. Buffers hold the whole column; `values`, `is_valid` and `string` count from the slice's beginning.
template <MemorySpace S>
class AttachedColumn {
 public:
  /// `attach(descriptor)` attaches one buffer. Throws: IpcError, if the column contradicts itself; exceptions of
  /// `attach`.
  template <class Attach>
  AttachedColumn(ColumnDescriptor const& what, Attach&& attach)
      : AttachedColumn{Checked{}, (detail::check_column(what), what), attach} {}

  /// The descriptor that was attached, the size in elements, and the children of lists and structs.
  ColumnDescriptor const& descriptor() const& { return what_; }
  std::uint64_t size() const { return what_.length; }
  std::vector<AttachedColumn> const& children() const& { return children_; }
  /// The dictionary into which `values` are indices, as one column; empty if there is none.
  std::vector<AttachedColumn> const& dictionary() const& { return dictionary_; }
  /// The buffers of data, offsets and mask, of the whole column; nullopt: it has none.
  std::optional<Attached<S>> const& data() const& { return data_; }
  std::optional<Attached<S>> const& offsets() const& { return offsets_; }
  std::optional<Attached<S>> const& mask() const& { return mask_; }

  /// The slice's values, in host or device memory. Throws: IpcError, if their type differs, or not each element has
  /// one, as with packed bools.
  template <class T>
  ArrayView<T const, 1, S> values() const& {
    if (!data_ || offsets_) detail::refuse_column(what_, "it does not have one value for each element");
    if (detail::is_packed(what_)) detail::refuse_column(what_, "its values are bits, eight to a byte of data()");
    auto view = data_->template view<T const, 1>();
    view.data += what_.offset, view.shape[0] = what_.length;
    return view;
  }
  /// Whether element i is not null.
  bool is_valid(std::uint64_t i) const requires(S::host_accessible) {
    if (i >= what_.length)
      throw SelectionError{to_text({"element ", i, " lies outside of a column of ", what_.length})};
    if (!mask_) return true;
    auto const at = what_.offset + i;
    auto const bytes = mask_->buffer().view().data + mask_->descriptor().offset;
    if (what_.mask->kind == Mask::Kind::bytes) return bytes[at] != std::byte{0};
    return (std::to_integer<unsigned>(bytes[at / 8]) >> (at % 8) & 1) != 0;
  }
  /// Where element i's characters, or its list's elements, begin and end in the characters or the child column. Checked
  /// on each call: the offsets are in another process's memory. Throws: IpcError.
  std::pair<std::uint64_t, std::uint64_t> range(std::uint64_t i) const requires(S::host_accessible) {
    if (!offsets_ || i >= what_.length) detail::refuse_column(what_, to_text({"it has no offsets for element ", i}));
    auto const limit = data_ ? what_.data->shape[0] : what_.children.front().length;
    auto const begin = offset(what_.offset + i), end = offset(what_.offset + i + 1);
    if (begin > end || end > limit)
      detail::refuse_column(what_,
                            to_text({"its offsets of element ", i, " are not a range within 0 to ", limit}));
    return {begin, end};
  }
  /// The text of element i, in the other process's memory.
  std::string_view string(std::uint64_t i) const requires(S::host_accessible) {
    if (!data_) detail::refuse_column(what_, "its elements are not text");
    auto const [begin, end] = range(i);
    auto const* const characters = data_->template view<std::uint8_t const, 1>().data;
    return {reinterpret_cast<char const*>(characters) + begin, end - begin};
  }

 private:
  struct Checked {};
  template <class Attach>
  AttachedColumn(Checked, ColumnDescriptor const& what, Attach& attach) : what_{what} {
    if (what.data) data_ = attach(*what.data);
    if (what.offsets) offsets_ = attach(*what.offsets);
    if (what.mask) mask_ = attach(what.mask->buffer);
    for (auto const& child : what.children) children_.push_back(AttachedColumn{Checked{}, child, attach});
    for (auto const& one : what.dictionary) dictionary_.push_back(AttachedColumn{Checked{}, one, attach});
  }
  // Negative offsets become larger than any limit.
  std::uint64_t offset(std::uint64_t i) const {
    if (what_.offsets->type.size == 4)
      return static_cast<std::uint64_t>(std::int64_t{offsets_->template view<std::int32_t const, 1>()(i)});
    return static_cast<std::uint64_t>(offsets_->template view<std::int64_t const, 1>()(i));
  }

  ColumnDescriptor what_;
  std::optional<Attached<S>> data_, offsets_, mask_;
  std::vector<AttachedColumn> children_, dictionary_;
};

/// Throws: as Consumer::attach. Device memory: `AttachedColumn<space::Device>{column, [&](auto const& buffer) { return
/// attach(consumer, buffer, queue); }}`.
inline AttachedColumn<space::Host> attach(Consumer& consumer, ColumnDescriptor const& column) {
  return {column, [&](Descriptor const& buffer) { return consumer.attach(buffer); }};
}

}}}  // namespace tessera::v0::ipc
