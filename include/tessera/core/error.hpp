// The exceptions of tessera. Each collects where it happened (store, key, codec) and reports all of it in one line.
// Stop: cancellation of a call in progress, which throws one of them. to_text: builds messages from parts; it is not
// inlined, because messages are many and made only on failure.
#pragma once
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// Base class of tessera's exceptions. Each `in_...` adds a place that the thrower did not know. Of several places of
/// one kind, the first added stays.
class Error : public std::exception {
 public:
  explicit Error(std::string problem);
  Error(Error const&);
  Error(Error&&) noexcept;
  Error& operator=(Error const&);
  Error& operator=(Error&&) noexcept;
  ~Error() override;

  char const* what() const noexcept override { return text_.c_str(); }  ///< one line: all places, then the problem
  std::string const& store() const noexcept { return store_; }          ///< its name; empty: unknown
  std::string const& key() const noexcept { return key_; }              ///< in the store; empty: unknown
  std::string const& work() const noexcept { return work_; }  ///< the operation, if no chunk is known
  std::string const& codec() const noexcept { return codec_; }              ///< its name; empty: unknown
  std::string const& inner_chunk() const noexcept { return inner_chunk_; }  ///< position in the array, in a shard
  /// The number of the chunk in the batch: codecs know numbers, readers know keys. An error with a key has none,
  /// because batches can be nested, as shards are.
  std::optional<std::size_t> chunk() const noexcept { return chunk_; }
  /// The offset in bytes of a requested range that lies beyond the end of the key's value.
  std::optional<std::uint64_t> range_beyond() const noexcept { return range_beyond_; }

  /// Each adds the place in its name, unless there is one already, and returns this error.
  Error& in_store(std::string_view name) { return add(store_, name); }
  Error& in_key(std::string_view key) { return chunk_.reset(), add(key_, key); }
  Error& in_work(std::string_view what) { return add(work_, what); }
  Error& in_codec(std::string_view name) { return add(codec_, name); }
  Error& in_inner_chunk(std::string_view place) { return add(inner_chunk_, place); }
  Error& in_chunk(std::size_t place) { return chunk_ = chunk_.value_or(place), *this; }
  Error& in_range_beyond(std::uint64_t offset) { return range_beyond_ = offset, *this; }

 private:
  Error& add(std::string& place, std::string_view name);
  void compose();

  std::string problem_, store_, key_, work_, inner_chunk_, codec_, text_;
  std::optional<std::size_t> chunk_;
  std::optional<std::uint64_t> range_beyond_;
};

namespace detail {

// Returns the derived type: `throw StoreError{...}.in_key(...)` throws a StoreError.
template <class Self, class Base = Error>
struct Located : Base {
  using Base::Base;
  Self& in_store(std::string_view name) { return self(Error::in_store(name)); }
  Self& in_key(std::string_view key) { return self(Error::in_key(key)); }
  Self& in_work(std::string_view what) { return self(Error::in_work(what)); }
  Self& in_codec(std::string_view name) { return self(Error::in_codec(name)); }
  Self& in_inner_chunk(std::string_view place) { return self(Error::in_inner_chunk(place)); }
  Self& in_chunk(std::size_t place) { return self(Error::in_chunk(place)); }
  Self& in_range_beyond(std::uint64_t offset) { return self(Error::in_range_beyond(offset)); }

 private:
  static Self& self(Error& error) { return static_cast<Self&>(error); }
};

}  // namespace detail

/// The store could not answer. A missing key is not an error.
struct StoreError : detail::Located<StoreError> {
  using Located::Located;
};
/// A metadata document is wrong, or needs an extension that this program does not know.
struct MetadataError : detail::Located<MetadataError> {
  using Located::Located;
  /// For a document that may be valid: `extension` names the codec, data type or chunk grid that it needs.
  MetadataError(std::string extension, std::string problem)
      : Located{std::move(problem)}, unsupported_{std::move(extension)} {}
  /// Kind and name: codec "lz5". Empty, if the document is wrong.
  std::string const& unsupported() const noexcept { return unsupported_; }

 private:
  std::string unsupported_;
};
/// The path has no array or group: the document is missing, not broken.
struct NodeNotFound : detail::Located<NodeNotFound, MetadataError> {
  using Located::Located;
};
/// The bytes of a chunk do not match its metadata.
struct CodecError : detail::Located<CodecError> {
  using Located::Located;
};
/// A call of the CUDA runtime failed, or a device lacks memory.
struct DeviceError : detail::Located<DeviceError> {
  using Located::Located;
};
/// An allocation of device memory, or of memory that a device can access, failed because too little is free.
struct OutOfMemory : detail::Located<OutOfMemory, DeviceError> {
  using Located::Located;
};
/// The host has too little memory for a buffer.
struct HostOutOfMemory : detail::Located<HostOutOfMemory> {
  using Located::Located;
};
/// A call needs more memory than its options allow: ReadOptions::memory, WriteOptions::memory, CompactOptions::memory.
struct BudgetError : detail::Located<BudgetError> {
  using Located::Located;
};
/// A selection or a destination does not fit the array.
struct SelectionError : detail::Located<SelectionError> {
  using Located::Located;
};

/// The call ends when the flag is true. Null: no cancellation. The flag must outlive the call.
using Stop = std::atomic<bool> const*;

/// `stop` was true.
struct Cancelled : detail::Located<Cancelled> {
  using Located::Located;
};

namespace detail {

/// Throws: Cancelled, if `stop` is not null and is true.
TESSERA_DECL void expect_going(Stop stop);

}  // namespace detail

/// A part of a message: an integer, or text, which must outlive it.
class TextPart {
 public:
  TextPart(std::string_view text) : text_{text} {}
  TextPart(std::string const& text) : text_{text} {}
  TextPart(char const* text) : text_{text} {}
  template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>) TextPart(T number) {
    if constexpr (std::signed_integral<T>)
      write_signed(number);
    else
      write_unsigned(number);
  }

  /// The part as text. Valid while this object and its text are.
  std::string_view view() const;

 private:
  void write_signed(std::int64_t number);
  void write_unsigned(std::uint64_t number);

  std::string_view text_;
  char digits_[20]{};
  std::size_t size_ = 0;
};

/// The parts joined: `to_text({"found ", 3, " bytes"})` is "found 3 bytes".
std::string to_text(std::initializer_list<TextPart> parts);
[[deprecated("tessera: text was renamed to_text")]] inline std::string text(std::initializer_list<TextPart> parts) {
  return to_text(parts);
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/error.ipp>
#endif
