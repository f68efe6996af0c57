// ObjectReader: reads a Value member by member, for documents and codec configurations. Errors name the member, what
// was found and what was expected; unread members are reported.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/decimal.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 {

/// A value and its path in the document. The value must outlive this object.
class MemberValue {
 public:
  MemberValue(Value const& value, std::string where) : value_{&value}, where_{std::move(where)} {}

  Value const& value() const { return *value_; }
  std::string const& where() const { return where_; }  ///< its path, as messages name it

  /// Throws: MetadataError naming the path, the value found, and what was expected.
  [[noreturn]] void refuse(std::string_view expected) const;

  /// The value as a boolean, a string, one of these strings. Throws: MetadataError, as refuse, if it is none.
  bool boolean() const;
  std::string const& string() const;
  std::string const& one_of(std::initializer_list<char const*> choices) const;
  /// The value as an integer in this range. It must be written without fraction and exponent: 1.0 and 1e0 are refused.
  template <class T = std::int64_t>
  T integer(T least = std::numeric_limits<T>::min(), T most = std::numeric_limits<T>::max()) const {
    using Widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(between<Widest>(least, most));
  }
  /// The items of a list. Throws: MetadataError, if it is none.
  List const& list() const;
  /// A list of at most `most` items: a bound of core/detail/bounds.hpp, and the name of the items.
  List const& list(std::size_t most, std::string_view items) const;
  /// Item i of a list. Requires: i is below its size. Throws: MetadataError, if it is no list.
  MemberValue item(std::size_t i) const;
  /// A list of integers of at least `least`. Throws: MetadataError, if it is another, or longer than max_rank.
  Extents extents(std::uint64_t least = 0) const;

 private:
  template <class T>
  T between(T least, T most) const {
    T result{};
    if (auto* n = value_->get_if<Number>(); n && detail::parse_integer(n->text, result))
      if (least <= result && result <= most) return result;
    refuse(to_text({"an integer from ", least, " to ", most}));
  }

  Value const* value_;
  std::string where_;
};

/// Reads the members of an object, and reports those that were not read.
class ObjectReader {
 public:
  /// Throws: MetadataError, if the value is not an object. Errors name members after its path.
  explicit ObjectReader(MemberValue object);
  ObjectReader(Value const& object, std::string where) : ObjectReader{MemberValue{object, std::move(where)}} {}

  /// The member, which counts as read from now on; nullopt, if it is missing.
  std::optional<MemberValue> find(std::string_view name);
  /// The same. Throws: MetadataError, if it is missing.
  MemberValue at(std::string_view name);
  /// Marks a null member as read: it carries no information.
  void drop_null(std::string_view name);
  /// The whole object.
  Value const& value() const { return object_.value(); }
  /// The members that were not read.
  std::vector<Member const*> rest() const;
  /// Throws: MetadataError naming a member that was not read: it is unsupported, though perhaps valid. `whose`: the
  /// codec, if this is its configuration.
  void finish(std::string_view whose = {}) const;

 private:
  std::string path(std::string_view name) const;

  MemberValue object_;
  Members const* members_;
  std::string seen_;  // a character per member: nonzero if it was read
};

/// Reads an extension definition: a string, or an object with `name` and perhaps `configuration`.
TESSERA_DECL Specification specification(MemberValue const& found);

/// An object with the name and the configuration. An empty configuration is omitted, except for codecs of numcodecs,
/// which zarr-python does not read without one.
TESSERA_DECL Value to_value(Specification const& specification);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/object_reader.ipp>
#endif
