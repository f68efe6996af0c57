// visit: calls a function with an array whose element type is known only at run time; the function gets it with its
// type. ArrayOf: that array, whose element type is static, but whose rank is known only at run time.
#pragma once
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/array.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/calls_with_queue.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/listed_elsewhere.hpp>
#include <tessera/array/detail/read_owned.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/float16.hpp>
#include <tessera/view/contiguous_memory.hpp>

namespace tessera { inline namespace v0 {

/// A handle of an array with element type T and any rank; otherwise like Array.
template <Element T, class S, class P>
class ArrayOf : public detail::CallsWithQueue<ArrayOf<T, S, P>, typename P::queue_type> {
  using WithQueue = detail::CallsWithQueue<ArrayOf, typename P::queue_type>;
  using Untyped = AnyArray<S, P>;

 public:
  using element_type = T;
  using array_space = typename P::array_space;
  using queue_type = typename P::queue_type;

  /// Throws: MetadataError, if its elements are of another type.
  explicit ArrayOf(Untyped array) : array_{std::move(array)} { fill_ = array_.template fill_value<T>(); }

  Extents shape() const { return array_.shape(); }  ///< the current shape; copies of this handle may change it
  Extents const& chunk_shape() const { return array_.chunk_shape(); }  ///< in elements: AnyArray::chunk_shape
  std::size_t rank() const { return chunk_shape().rank(); }            ///< the number of dimensions
  /// The number of elements. Throws: MetadataError, if it does not fit in 64 bits.
  std::uint64_t size() const { return element_count(shape(), "shape"); }
  /// As in Array: type, dimension_names, fill_value, metadata, attributes, and untyped, the same handle without T.
  DataType type() const { return data_type_of<T>(); }
  DimensionNames const& dimension_names() const& { return array_.dimension_names(); }
  DimensionNames dimension_names() && { return array_.dimension_names(); }
  T fill_value() const { return fill_; }
  ArrayMetadata metadata() const { return array_.metadata(); }
  Members const& attributes() const& { return array_.attributes(); }
  Members attributes() && { return array_.attributes(); }
  Untyped const& untyped() const { return array_; }
  /// A handle of the same array with these default options; see AnyArray::with.
  ArrayOf with(ReadOptions const& options) const { return ArrayOf{array_.with(options)}; }
  ArrayOf with(WriteOptions const& options) const { return ArrayOf{array_.with(options)}; }
  /// A handle of the same array whose reads and writes run on this queue; see Array::on.
  ArrayOf on(queue_type const& queue) const { return ArrayOf{array_.on(queue)}; }
  queue_type& queue() const { return array_.queue(); }
  /// A handle of the same array with another pipeline, which may be in another memory space; see AnyArray::through.
  template <class Named, class... On>
  auto through(On... on) const {
    auto other = array_.template through<Named>(std::move(on)...);
    using Other = decltype(other);
    if constexpr (detail::was_refused<Other>())
      return detail::InvalidCall<T>{};
    else
      return ArrayOf<T, typename Other::store_type, typename Other::pipeline_type>{std::move(other)};
  }

  using WithQueue::read, WithQueue::write;

  /// Reads a selection into a new array with buffers of type B: `shape()` gives its dimensions, `elements()` all
  /// elements in C order, `strides()` the distances of neighbours. Otherwise like Array::read.
  template <class B = detail::elements_buffer<T, array_space>, detail::Selector Sel = Box>
  OwnedArray<T, detail::any_rank, B> read(Sel const& selection, ReadOptions const& options = {}) const {
    auto const what = selected(selection);
    OwnedArray<T, detail::any_rank, B> result{what.shape, queue_in<typename B::space_type>(array_.queue())};
    constexpr bool is_of_host = detail::is_of_the_host_alone<typename B::space_type, array_space>;
    static_assert(is_of_host || detail::is_worked_on_in<typename B::space_type, array_space>,
                  "tessera: this array cannot be read into buffers in that memory space; omit the buffer type");
    if constexpr (is_of_host || detail::is_worked_on_in<typename B::space_type, array_space>)
      detail::read_owned(array_, what, result, options);
    return result;
  }

  /// Into device buffers, for an array whose pipeline begins in host memory: Array::read.
  template <class B, detail::Selector Sel = Box, class Q>
  requires detail::AcrossFromHost<B, Q, array_space> OwnedArray<T, detail::any_rank, B> read(
      Sel const& selection, Q& on, ReadOptions const& options = {})
  const { return detail::read_across<T, detail::any_rank, B>(array_, selected(selection), on, options); }

  /// Read into contiguous memory in C order, and write from it. Otherwise like Array::read and Array::write.
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto read(Sel const& selection, M&& to, ReadOptions const& options = {}) const {
    if constexpr (detail::check_destination<T, detail::any_rank, array_space, M>()) {
      auto const what = selected(selection);
      StridedSpan<array_space> const there{reinterpret_cast<std::byte*>(first_element(to, what)), dense(what)};
      return array_.read_into(what, detail::ElementsOf<T>::placed(there), options);
    } else {
      return detail::InvalidCall<T>{};
    }
  }
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto write(Sel const& selection, M const& from, WriteOptions const& options = {}) const {
    if constexpr (detail::check_writable<S>() && detail::check_memory<T, detail::any_rank, array_space, M const>()) {
      auto const what = selected(selection);
      StridedView<array_space> const there{reinterpret_cast<std::byte const*>(first_element(from, what)), dense(what)};
      return array_.write_from(what, detail::ElementsOf<T>::placed(there), options);
    } else {
      return detail::InvalidCall<T>{};
    }
  }

  /// DevicePoints and a DeviceMask, of memory of one dimension: as in Array.
  template <detail::ListedElsewhere Sel, detail::MemoryOrMistake M>
  auto read(Sel const& selection, M&& to, ReadOptions const& options = {}) const {
    return detail::read_elsewhere<T>(array_, selection, to, options);
  }
  template <class B = detail::elements_buffer<T, array_space>, detail::ListedElsewhere Sel>
  auto read(Sel const& selection, ReadOptions const& options = {}) const {
    return detail::read_new_elsewhere<T, B>(array_, selection, options);
  }
  /// As in Array.
  template <detail::ListedElsewhere Sel, detail::MemoryOrMistake M>
  auto write(Sel const& selection, M const& from, WriteOptions const& options = {}) const {
    return detail::write_elsewhere<T>(array_, selection, from, options);
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
    throw SelectionError{to_text({"the memory holds ", found, " elements, expected ", expected})}
        .in_key(array_.document().path)
        .in_store(name_of(metadata_of(array_.store())));
  }

  Untyped array_;
  T fill_{};
};

/// Element types to visit: `visit<Types<float, double>>(array, f)`.
template <class... Ts>
struct Types {};
/// Numbers of dimensions: `visit<RealTypes, Ranks<2, 3>>(array, f)`.
template <std::size_t... Rs>
struct Ranks {};

/// Integers and floating-point numbers, but no complex numbers.
using RealTypes = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                        std::uint32_t, std::uint64_t, float16, float, double>;
/// Every type of the core specification, except raw bits, which have any size.
using ElementTypes =
    Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
          std::uint64_t, float16, float, double, std::complex<float>, std::complex<double>>;

namespace detail {

struct AnyRank {};

// The given list of its kind, or else a default.
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
  throw MetadataError{to_text({"member shape: found ", rank, " dimensions, expected one of ", known})};
}
template <class... Ts>
void expect_type_among(Types<Ts...>, DataType type) {
  if (((type == data_type_of<Ts>()) || ...)) return;
  std::string known;
  ((known += (known.empty() ? "" : ", ") + data_type_of<Ts>().name()), ...);
  throw MetadataError{to_text({"member data_type: found ", type.name(), ", expected one of ", known})};
}

template <class RankList, class S, class P, class T>
struct visited : std::type_identity<ArrayOf<T, S, P>> {};
template <std::size_t Rank, std::size_t... Rest, class S, class P, class T>
struct visited<Ranks<Rank, Rest...>, S, P, T> : std::type_identity<Array<T, Rank, S, P>> {};

// The result of f for the first type, and whether it is that for all.
template <class TypeList, class RankList, class S, class P, class F>
struct visit_result;
template <class T, class... Ts, class RankList, class S, class P, class F>
struct visit_result<Types<T, Ts...>, RankList, S, P, F> {
  using type = std::invoke_result_t<F&, typename visited<RankList, S, P, T>::type>;
  static constexpr bool is_one =
      (std::is_same_v<type, std::invoke_result_t<F&, typename visited<RankList, S, P, Ts>::type>> && ...);
};

}  // namespace detail

/// Calls f with the array as an ArrayOf<T> of its element type, any of ElementTypes, and returns the result of f, whose
/// type is the same for each T:
///
///   visit(open_any<AllCodecs>(store, "a"), [](auto const& typed) { std::cout << typed.read(all).size(); });
///
/// Lists name other types, and ranks, with which f gets an Array<T, Rank>: `visit<RealTypes, Ranks<2, 3>>(array, f)`. f
/// is compiled for each. Throws: MetadataError naming document and member, if the array's type or rank is not listed;
/// exceptions of f.
template <class... Lists, class S, class P, class F>
auto visit(AnyArray<S, P> const& array, F&& f) {
  constexpr bool are_lists = (detail::is_visited_list<Lists> && ...);
  static_assert(are_lists,
                "tessera: visit<...> needs the possible element types and numbers of dimensions: visit<Types<float, "
                "double>, Ranks<2, 3>>(array, f)");
  if constexpr (are_lists) {
    using TypeList = typename detail::types_of<ElementTypes, Lists...>::type;
    using RankList = typename detail::ranks_of<Lists...>::type;
    using Result = detail::visit_result<TypeList, RankList, S, P, F>;
    static_assert(Result::is_one,
                  "tessera: the function passed to visit must return the same type for each element type");
    detail::in_document(array.store(), array.document(), [&] {
      detail::expect_type_among(TypeList{}, array.type());
      detail::expect_rank_among(RankList{}, array.chunk_shape().rank());
    });
    if constexpr (Result::is_one) return detail::visit_types<typename Result::type, RankList>(TypeList{}, array, f);
  }
}

}}  // namespace tessera::v0
