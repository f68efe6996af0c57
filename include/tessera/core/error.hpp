// One hierarchy of exceptions. An error gathers where it happened (store, key, codec) on its way up, and says all of it
// in one line.
#pragma once
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/text.hpp>

namespace tessera::inline v0 {

/// What tessera throws. Each `in_...` adds a place that the thrower did not know; the innermost one given first stays.
class Error : public std::exception {
 public:
  explicit Error(std::string problem) : problem_{std::move(problem)} { compose(); }

  char const* what() const noexcept override { return text_.c_str(); }
  std::string const& store() const noexcept { return store_; }
  std::string const& key() const noexcept { return key_; }
  std::string const& codec() const noexcept { return codec_; }
  /// Which chunk of the batch at hand it was: codecs know chunks by their place in the batch, readers know their keys.
  /// Once it has a key the place says no more: batches can be inside of batches, as shards are.
  std::optional<std::size_t> chunk() const noexcept { return chunk_; }

  Error& in_store(std::string_view name) { return add(store_, name); }
  Error& in_key(std::string_view key) { return chunk_.reset(), add(key_, key); }
  Error& in_codec(std::string_view name) { return add(codec_, name); }
  Error& in_chunk(std::size_t place) { return chunk_ = chunk_.value_or(place), *this; }

 private:
  Error& add(std::string& place, std::string_view name) {
    if (place.empty()) place = std::string{name};
    compose();
    return *this;
  }
  void compose() {
    auto const where = [](std::string_view what, std::string_view name, std::string_view after) {
      return name.empty() ? std::string{} : text({what, name, after});
    };
    text_ = text({where("", store_, ": "), where("key \"", key_, "\": "), where("codec ", codec_, ": "), problem_});
    for (char& c : text_)  // names come from files: one error stays one line
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }

  std::string problem_, store_, key_, codec_, text_;
  std::optional<std::size_t> chunk_;
};

/// The store could not answer. A missing key is not an error.
struct StoreError : Error {
  using Error::Error;
};
/// A metadata document is wrong, or asks for what this program does not know.
struct MetadataError : Error {
  using Error::Error;
};
/// The bytes of a chunk are not what its metadata implies.
struct CodecError : Error {
  using Error::Error;
};
/// A selection or a destination does not fit the array.
struct SelectionError : Error {
  using Error::Error;
};

}  // namespace tessera::inline v0
