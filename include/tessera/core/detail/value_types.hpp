// The types of Value: include core/value.hpp, which also has the member functions.
#pragma once
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/detail/value_traits.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

/// A number as text: 64-bit integers and shortest decimals keep their digits, because none is converted to double.
struct Number {
  std::string text;
  friend bool operator==(Number const&, Number const&) = default;
};

namespace detail {
struct Item;

// A text, but not braces of two texts, which std::string would take for a pair of iterators.
struct Name {
  template <class T>
  requires(std::convertible_to<T, std::string>) Name(T&& of) : text(std::forward<T>(of)) {}
  std::string text;
};
}  // namespace detail

/// A name and a value: `{"scale", 0.5}`. Braces of names with values are an object, `{"ome", {{"version", "0.5"}}}`, as
/// are empty braces; other braces are a list, `{"axes", {"y", "x"}}`, even with one element.
template <class V>
struct Named {
  std::string name;
  V value;

  template <class T>  // a template, so that it does not accept braces
  Named(detail::Name of, T&& what) : name{std::move(of.text)}, value(std::forward<T>(what)) {}
  Named(detail::Name of, std::initializer_list<Named> object);
  template <class I = detail::Item>  // a template, so that an object is preferred
  Named(detail::Name of, std::initializer_list<std::type_identity_t<I>> list);

  friend bool operator==(Named const&, Named const&) = default;
};

class Value;
using Member = Named<Value>;  // a template, because Value is incomplete here
using List = std::vector<Value>;

/// The members of an object, in the order of the document. Attributes are of this type:
/// `{{"unit", "mm"}, {"scale", 0.5}}`.
class Members : public std::vector<Member> {
 public:
  using vector::vector;
  /// Throws: MetadataError, if its Value is not an object.
  template <detail::HasValueTraits T>
  Members(T const& object);

  /// Null, if no member has this name.
  Value const* find(std::string_view name) const&;
  Value const* find(std::string_view name) const&& = delete;  // the pointer would dangle
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  using vector::at;
  /// Throws: MetadataError, if no member has this name.
  Value const& at(std::string_view name) const&;
  Value at(std::string_view name) const&&;
  using vector::operator[];
  /// Like at(), but if these Members are not const, adds a missing member with null: `attributes["unit"] = "mm"`.
  Value const& operator[](std::string_view name) const&;
  Value operator[](std::string_view name) const&&;
  Value& operator[](std::string_view name) &;
  /// The member's value as a T: `attributes.get<double>("gain")`. Like `at("gain").as<double>()`, but an error names
  /// the member, which a Value does not know.
  template <class T>
  T get(std::string_view name) const;
  /// The member's value as a T, or `otherwise`, if it is missing: `attributes.get("scale_factor", 1.0)`.
  template <class T>
  T get(std::string_view name, T otherwise) const;
  std::string get(std::string_view name, char const* otherwise) const { return get<std::string>(name, otherwise); }
  /// All members as a T: see `Value::as`.
  template <class T>
  T as() const;
};

/// null, a bool, a Number, a string, a List or Members. Not a std::variant, which adds half a second to the compile
/// time of every program.
class Value {
 public:
  Value() = default;
  Value(Value const&);
  Value(Value&&) noexcept;
  Value& operator=(Value const&);
  Value& operator=(Value&&) noexcept;
  ~Value();
  Value(Number n) : kind_{Kind::number}, scalar_{std::move(n)} {}
  Value(std::string s) : kind_{Kind::string}, scalar_{std::move(s)} {}
  Value(char const* s) : Value{std::string{s}} {}
  Value(List list) : kind_{Kind::list}, list_(std::move(list)) {}  // braces would make a list that holds the list
  Value(Members members) : kind_{Kind::members}, members_{std::move(members)} {}
  /// A bool becomes a bool, a number the shortest decimal that reads back as the same (NaN and infinities become
  /// Python's words), a range a list, and nullptr null. Other types do not compile.
  template <class T>
  Value(T const& from);
  static Value integer(long long n);

  /// The alternative, or null if the value has another: `if (auto* text = value.get_if<std::string>())`.
  template <class T>
  T const* get_if() const& {
    return const_cast<Value&>(*this).get_if<T>();
  }
  template <class T>
  T* get_if() & {
    if constexpr (std::is_same_v<T, bool>)
      return kind_ == Kind::boolean ? &boolean_ : nullptr;
    else if constexpr (std::is_same_v<T, Number>)
      return kind_ == Kind::number ? &scalar_ : nullptr;
    else if constexpr (std::is_same_v<T, std::string>)
      return kind_ == Kind::string ? &scalar_.text : nullptr;
    else if constexpr (std::is_same_v<T, List>)
      return kind_ == Kind::list ? &list_ : nullptr;
    else if constexpr (std::is_same_v<T, Members>)
      return kind_ == Kind::members ? &members_ : nullptr;
    else {
      static_assert(!sizeof(T*),
                    "tessera: a Value is null, a bool, a Number, a std::string, a List or Members: get_if<T>() returns "
                    "only these, as<T>() converts");
      return nullptr;
    }
  }
  template <class T>
  T const* get_if() const&& {
    static_assert(!sizeof(T*),
                  "tessera: get_if() of a temporary Value returns a dangling pointer: store the Value in a variable "
                  "first, or copy its alternative with as<T>()");
    return nullptr;
  }
  bool is_null() const { return kind_ == Kind::null; }

  /// The value as a bool, a number, std::string, Number, List, Members, a std::vector of these, or a type with
  /// value_traits. An integer must be written without fraction and exponent, and fit the type; a decimal becomes the
  /// nearest number of the type. Throws: MetadataError, which says what was found; get<T>(name) also says where.
  template <class T>
  T as() const;

  /// A member of an object, or an item of a list. Throws: MetadataError, if the value is of another kind, or has no
  /// such member or item.
  Value const& at(std::string_view name) const& { return members().at(name); }
  Value at(std::string_view name) const&& { return at(name); }
  Value const& at(std::size_t place) const&;
  Value at(std::size_t place) const&& { return at(place); }
  /// Like at(): `attributes["voxel"][0]`. If this Value is not const, null becomes an object.
  Value const& operator[](std::string_view name) const& { return at(name); }
  Value operator[](std::string_view name) const&& { return at(name); }
  Value& operator[](std::string_view name) &;
  Value const& operator[](std::size_t place) const& { return at(place); }
  Value operator[](std::size_t place) const&& { return at(place); }
  Value& operator[](std::size_t place) & { return const_cast<Value&>(at(place)); }
  /// Adds an item to a list: `attributes["axes"].push_back("x")`. null becomes a list. Throws: MetadataError, if the
  /// value is of another kind.
  void push_back(Value item);
  /// Like Members::get.
  template <class T>
  T get(std::string_view name) const {
    return members().template get<T>(name);
  }
  template <class T>
  T get(std::string_view name, T otherwise) const {
    return members().get(name, std::move(otherwise));
  }
  std::string get(std::string_view name, char const* otherwise) const { return members().get(name, otherwise); }

  friend bool operator==(Value const& a, Value const& b) { return a.is_same(b); }  // a friend: found only for Values

 private:
  enum class Kind : unsigned char { null, boolean, number, string, list, members };

  bool is_same(Value const& other) const;  // not defaulted: nvcc would complete Member too early
  [[noreturn]] void refuse(std::string_view expected) const;
  Members const& members() const;

  Kind kind_ = Kind::null;
  bool boolean_ = false;
  Number scalar_;
  List list_;
  Members members_;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/value_types.ipp>
#endif
