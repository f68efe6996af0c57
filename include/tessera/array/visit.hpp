// visit: calls a function with an array whose element type only the file knows, as an array of that static type.
#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/array.hpp>
#include <tessera/array/array_of.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 {

/// Element types to visit: `visit<Types<float, double>>(array, f)`.
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
