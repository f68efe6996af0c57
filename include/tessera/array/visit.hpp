// Arrays whose element type only the file knows: a function is called with the array as one of a type that the compiler
// knows.
#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/array.hpp>
#include <tessera/array/caller_memory.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/array/selection.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/float16.hpp>
#include <tessera/view/contiguous_memory.hpp>

namespace tessera { inline namespace v0 {

/// Element types to be visited: `visit<Types<float, double>>(array, f)`.
template <class... Ts>
struct Types {};
/// Numbers of dimensions: `visit<RealTypes, Ranks<2, 3>>(array, f)`.
template <std::size_t... Rs>
struct Ranks {};

/// Numbers that have an order.
using RealTypes = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                        std::uint32_t, std::uint64_t, float16, float, double>;
/// Every type of the core specification, except raw bits, which have any size.
using ElementTypes =
    Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
          std::uint64_t, float16, float, double, std::complex<float>, std::complex<double>>;

/// An array of T whose number of dimensions only the file knows. A handle, as Array is.
template <Element T, class S, class P>
class ArrayOf {
  using Untyped = AnyArray<S, P>;

 public:
  using element_type = T;
  using array_space = typename P::array_space;
  using queue_type = typename P::queue_type;

  /// Throws: MetadataError, if its elements are of another type.
  explicit ArrayOf(Untyped array) : array_{std::move(array)} { fill_ = array_.template fill_value<T>(); }

  Extents shape() const { return array_.shape(); }  ///< what it is now: copies of this handle may change it
  Extents const& chunk_shape() const { return array_.chunk_shape(); }
  std::size_t rank() const { return chunk_shape().rank(); }
  std::uint64_t size() const { return element_count(shape(), "shape"); }  ///< elements
  DataType type() const { return data_type_of<T>(); }
  DimensionNames const& dimension_names() const& { return array_.dimension_names(); }
  DimensionNames dimension_names() && { return array_.dimension_names(); }
  T fill_value() const { return fill_; }
  ArrayMetadata metadata() const { return array_.metadata(); }
  Members const& attributes() const& { return array_.attributes(); }
  Members attributes() && { return array_.attributes(); }
  Untyped const& untyped() const { return array_; }
  /// The same array, with these options unless a call says otherwise: AnyArray::with.
  ArrayOf with(ReadOptions const& options) const { return ArrayOf{array_.with(options)}; }
  ArrayOf with(WriteOptions const& options) const { return ArrayOf{array_.with(options)}; }
  /// The same array, through other codecs and in another memory space: AnyArray::through.
  template <class Named, class... On>
  auto through(On... on) const {
    auto other = array_.template through<Named>(std::move(on)...);
    using Other = decltype(other);
    if constexpr (std::same_as<Other, detail::InvalidCall>)
      return other;
    else
      return ArrayOf<T, typename Other::store_type, typename Other::pipeline_type>{std::move(other)};
  }

  /// Reads a selection into a new array of buffers B: its `shape()` gives the dimensions, `elements()` all elements in
  /// C order, `strides()` the distances of neighbours. Else as Array::read.
  template <class B = detail::elements_buffer<T, array_space>, detail::Selector Sel = Box>
  OwnedArray<T, detail::any_rank, B> read(Sel const& selection, queue_type& on, ReadOptions const& options = {}) const {
    auto const what = selected(selection);
    OwnedArray<T, detail::any_rank, B> result{what.shape, queue_in<typename B::space_type>(on)};
    constexpr bool is_of_host = detail::is_of_the_host_alone<typename B::space_type, array_space>;
    static_assert(is_of_host || detail::is_worked_on_in<typename B::space_type, array_space>,
                  "tessera: this array is not read into buffers of that space; leave out the type of the buffers");
    if constexpr (is_of_host) {
      if constexpr (detail::check_host_route<S, P>())
        array_.template through<space::Host>().read(what, {reinterpret_cast<std::byte*>(result.data()), dense(what)},
                                                    on.host(), options);
    } else if constexpr (std::is_void_v<typename Untyped::Completion>) {
      detail::ElementsOf<T>::read(array_, what, {reinterpret_cast<std::byte*>(result.data()), dense(what)}, on,
                                  options);
    } else {
      auto pending = array_.read(what, {reinterpret_cast<std::byte*>(result.data()), dense(what)}, on, options);
      if constexpr (B::space_type::host_accessible)
        pending.wait();
      else
        pending.detach();
    }
    return result;
  }
  template <class B = detail::elements_buffer<T, array_space>, detail::Selector Sel = Box>
  OwnedArray<T, detail::any_rank, B> read(Sel const& selection, ReadOptions const& options = {}) const {
    return read<B>(selection, array_.queue(), options);
  }

  /// Reads into contiguous memory in C order, and writes from it. Else as Array::read and Array::write.
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto read(Sel const& selection, M&& to, queue_type& on, ReadOptions const& options = {}) const {
    if constexpr (detail::check_destination<T, detail::any_rank, array_space, M>()) {
      auto const what = selected(selection);
      return detail::ElementsOf<T>::read(
          array_, what, {reinterpret_cast<std::byte*>(first_element(to, what)), dense(what)}, on, options);
    } else {
      return detail::InvalidCall{};
    }
  }
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto read(Sel const& selection, M&& to, ReadOptions const& options = {}) const {
    return read(selection, to, array_.queue(), options);
  }
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto write(Sel const& selection, M const& from, queue_type& on, WriteOptions const& options = {}) const {
    if constexpr (detail::check_writable<S>() && detail::check_memory<T, detail::any_rank, array_space, M const>()) {
      auto const what = selected(selection);
      return detail::ElementsOf<T>::write(
          array_, what, {reinterpret_cast<std::byte const*>(first_element(from, what)), dense(what)}, on, options);
    } else {
      return detail::InvalidCall{};
    }
  }
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto write(Sel const& selection, M const& from, WriteOptions const& options = {}) const {
    return write(selection, from, array_.queue(), options);
  }

 private:
  template <class Sel>
  ResolvedSelection selected(Sel const& selection) const {
    return detail::in_document(array_.store(), array_.document(), [&]() -> ResolvedSelection {
      return detail::selected_in(selection, shape(), chunk_shape(), array_.edges());
    });
  }
  static Strides dense(ResolvedSelection const& what) { return Layout::c_order(what.shape, sizeof(T)).strides; }
  template <class M>
  auto first_element(M& memory, ResolvedSelection const& what) const {
    auto const expected = element_count(what.shape, "the selection");
    auto const found = contiguous_memory<M>::size(memory);
    if (found == expected) return contiguous_memory<M>::data(memory);
    throw SelectionError{text({"the memory holds ", found, " elements, expected ", expected})}
        .in_key(array_.document().path)
        .in_store(name_of(metadata_of(array_.store())));
  }

  Untyped array_;
  T fill_{};
};

namespace detail {

struct AnyRank {};

// The one of its kind among the lists that were given, or else another.
template <class Otherwise, class... Lists>
struct types_of : std::type_identity<Otherwise> {};
template <class Otherwise, class... Ts, class... Lists>
struct types_of<Otherwise, Types<Ts...>, Lists...> : std::type_identity<Types<Ts...>> {};
template <class Otherwise, std::size_t... Rs, class... Lists>
struct types_of<Otherwise, Ranks<Rs...>, Lists...> : types_of<Otherwise, Lists...> {};
template <class... Lists>
struct ranks_of : std::type_identity<AnyRank> {};
template <std::size_t... Rs, class... Lists>
struct ranks_of<Ranks<Rs...>, Lists...> : std::type_identity<Ranks<Rs...>> {};
template <class... Ts, class... Lists>
struct ranks_of<Types<Ts...>, Lists...> : ranks_of<Lists...> {};

template <class List>
inline constexpr bool is_visited_list = false;
template <class... Ts>
inline constexpr bool is_visited_list<Types<Ts...>> = sizeof...(Ts) > 0 && (Element<Ts> && ...);
template <std::size_t... Rs>
inline constexpr bool is_visited_list<Ranks<Rs...>> = sizeof...(Rs) > 0;

template <class Result, class T, class S, class P, class F>
Result visit_ranks(AnyRank, AnyArray<S, P> const& array, F& f) {
  return f(ArrayOf<T, S, P>{array});
}
template <class Result, class T, std::size_t Rank, std::size_t... Rest, class S, class P, class F>
Result visit_ranks(Ranks<Rank, Rest...>, AnyArray<S, P> const& array, F& f) {
  if constexpr (sizeof...(Rest) > 0)
    if (array.chunk_shape().rank() != Rank) return visit_ranks<Result, T>(Ranks<Rest...>{}, array, f);
  return f(array.template as<T, Rank>());
}
template <class Result, class RankList, class T, class... Rest, class S, class P, class F>
Result visit_types(Types<T, Rest...>, AnyArray<S, P> const& array, F& f) {
  if constexpr (sizeof...(Rest) > 0)
    if (array.type() != data_type_of<T>()) return visit_types<Result, RankList>(Types<Rest...>{}, array, f);
  return visit_ranks<Result, T>(RankList{}, array, f);
}

inline void expect_rank_among(AnyRank, std::size_t) {}
template <std::size_t... Rs>
void expect_rank_among(Ranks<Rs...>, std::size_t rank) {
  if (((rank == Rs) || ...)) return;
  std::string known;
  ((known += (known.empty() ? "" : ", ") + std::to_string(Rs)), ...);
  throw MetadataError{text({"member shape: found ", rank, " dimensions, expected one of ", known})};
}
template <class... Ts>
void expect_type_among(Types<Ts...>, DataType type) {
  if (((type == data_type_of<Ts>()) || ...)) return;
  std::string known;
  ((known += (known.empty() ? "" : ", ") + data_type_of<Ts>().name()), ...);
  throw MetadataError{text({"member data_type: found ", type.name(), ", expected one of ", known})};
}

template <class RankList, class S, class P, class T>
struct visited : std::type_identity<ArrayOf<T, S, P>> {};
template <std::size_t Rank, std::size_t... Rest, class S, class P, class T>
struct visited<Ranks<Rank, Rest...>, S, P, T> : std::type_identity<Array<T, Rank, S, P>> {};

// What f returns for the first type, and for all of them.
template <class TypeList, class RankList, class S, class P, class F>
struct visit_result;
template <class T, class... Ts, class RankList, class S, class P, class F>
struct visit_result<Types<T, Ts...>, RankList, S, P, F> {
  using type = std::invoke_result_t<F&, typename visited<RankList, S, P, T>::type>;
  static constexpr bool is_one =
      (std::is_same_v<type, std::invoke_result_t<F&, typename visited<RankList, S, P, Ts>::type>> && ...);
};

}  // namespace detail

/// Calls f with the array as one of its element type, an ArrayOf<T>, whatever that is of ElementTypes, and returns what
/// it returns, which is of the same type for each:
///
///   visit(open_any<AllCodecs>(store, "a"), [](auto const& typed) { std::cout << typed.read(all).size(); });
///
/// Of other types where they are named, and with an Array<T, Rank> where numbers of dimensions are:
/// `visit<RealTypes, Ranks<2, 3>>(array, f)`. f is compiled for each. Throws: MetadataError naming document and member,
/// if the array's are not among them; what f throws.
template <class... Lists, class S, class P, class F>
auto visit(AnyArray<S, P> const& array, F&& f) {
  constexpr bool are_lists = (detail::is_visited_list<Lists> && ...);
  static_assert(are_lists,
                "tessera: visit<...> is told which element types and numbers of dimensions there may be: "
                "visit<Types<float, double>, Ranks<2, 3>>(array, f)");
  if constexpr (are_lists) {
    using TypeList = typename detail::types_of<ElementTypes, Lists...>::type;
    using RankList = typename detail::ranks_of<Lists...>::type;
    using Result = detail::visit_result<TypeList, RankList, S, P, F>;
    static_assert(Result::is_one, "tessera: what visits an array returns the same type for each of the element types");
    detail::in_document(array.store(), array.document(), [&] {
      detail::expect_type_among(TypeList{}, array.type());
      detail::expect_rank_among(RankList{}, array.chunk_shape().rank());
    });
    if constexpr (Result::is_one) return detail::visit_types<typename Result::type, RankList>(TypeList{}, array, f);
  }
}

}}  // namespace tessera::v0
