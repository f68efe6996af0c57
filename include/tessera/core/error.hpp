// One hierarchy of exceptions. An error gathers where it happened (store, key, codec) on its way up, and says all of it
// in one line.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/printable.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 {

/// What tessera throws. Each `in_...` adds a place that the thrower did not know. Of several places of one kind, the
/// one that was added first stays.
class Error : public std::exception {
 public:
  explicit Error(std::string problem) : problem_{std::move(problem)} { compose(); }

  char const* what() const noexcept override { return text_.c_str(); }
  std::string const& store() const noexcept { return store_; }
  std::string const& key() const noexcept { return key_; }
  std::string const& work() const noexcept { return work_; }  ///< what was under way, where no chunk is known
  std::string const& codec() const noexcept { return codec_; }
  std::string const& inner_chunk() const noexcept { return inner_chunk_; }  ///< its place in the array, in a shard
  /// The number of the chunk in the batch: codecs know chunks by their numbers, readers by their keys. An error that
  /// has a key has no number, because batches can be nested, as shards are.
  std::optional<std::size_t> chunk() const noexcept { return chunk_; }
  /// Where the range begins, in bytes, that was asked for and lies beyond the end of the key's value.
  std::optional<std::uint64_t> range_beyond() const noexcept { return range_beyond_; }

  Error& in_store(std::string_view name) { return add(store_, name); }
  Error& in_key(std::string_view key) { return chunk_.reset(), add(key_, key); }
  Error& in_work(std::string_view what) { return add(work_, what); }
  Error& in_codec(std::string_view name) { return add(codec_, name); }
  Error& in_inner_chunk(std::string_view place) { return add(inner_chunk_, place); }
  Error& in_chunk(std::size_t place) { return chunk_ = chunk_.value_or(place), *this; }
  Error& in_range_beyond(std::uint64_t offset) { return range_beyond_ = offset, *this; }

 private:
  Error& add(std::string& place, std::string_view name) {
    if (place.empty()) place = std::string{name};
    compose();
    return *this;
  }
  void compose() {
    auto const cut = [](std::string_view long_text) {
      constexpr std::size_t longest = 1000;  // bytes: names and what was found come from files
      return text({detail::beginning(long_text, longest), long_text.size() > longest ? "..." : ""});
    };
    auto const where = [&](std::string_view what, std::string_view name, std::string_view after) {
      return name.empty() ? std::string{} : text({what, cut(name), after});
    };
    text_ = printable(text({where("", store_, ": "), where("key \"", key_, "\": "), where("", work_, ": "),
                            where("inner chunk ", inner_chunk_, ": "), where("codec ", codec_, ": "), cut(problem_)}));
  }

  std::string problem_, store_, key_, work_, inner_chunk_, codec_, text_;
  std::optional<std::size_t> chunk_;
  std::optional<std::uint64_t> range_beyond_;
};

namespace detail {

// The places are added to a type of the hierarchy as that type: `throw StoreError{...}.in_key(...)` throws a
// StoreError.
template <class Self>
struct Located : Error {
  using Error::Error;
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
/// A metadata document is wrong, or asks for something that this program does not know.
struct MetadataError : detail::Located<MetadataError> {
  using Located::Located;
  /// For a document that may be valid: `extension` names what it asks for, a codec, a data type or a chunk grid.
  MetadataError(std::string extension, std::string problem)
      : Located{std::move(problem)}, unsupported_{std::move(extension)} {}
  /// Kind and name: codec "lz5". Empty, if the document is wrong.
  std::string const& unsupported() const noexcept { return unsupported_; }

 private:
  std::string unsupported_;
};
/// The bytes of a chunk are not what its metadata implies.
struct CodecError : detail::Located<CodecError> {
  using Located::Located;
};
/// A call of the CUDA runtime failed, or a device lacks the memory.
struct DeviceError : detail::Located<DeviceError> {
  using Located::Located;
};
/// Memory of a device, or such that it reaches, was refused: there is too little of it.
struct OutOfMemory : DeviceError {
  using DeviceError::DeviceError;
};
/// A selection or a destination does not fit the array.
struct SelectionError : detail::Located<SelectionError> {
  using Located::Located;
};

}}  // namespace tessera::v0
