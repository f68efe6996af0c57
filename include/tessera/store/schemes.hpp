// Schemes: the kinds of addresses that a program opens, as a list of types. open_store: the store at an address. A
// program needs only the libraries of the schemes that it names. with/addresses.hpp has all schemes.
#pragma once
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/detail/local_options.hpp>
#include <tessera/store/detail/scheme.hpp>
#include <tessera/store/detail/schemes.hpp>
#include <tessera/store/local_store.hpp>

namespace tessera { inline namespace v0 {

/// A store, and the path below it that the address names; empty: its root.
struct StoreAt {
  AnyStore<HostBuffer> store;  ///< which the address names, or begins with
  std::string path{};
};

/// A list of schemes: `Schemes<scheme::Zip, scheme::Folder>`. The first that accepts an address opens it.
template <class... Ss>
struct Schemes {};

/// A scheme has `options_type`, and a function that returns nullopt if the address is not of this scheme:
/// `static std::optional<StoreAt> open(std::string const& address, options_type const&)`.
namespace scheme {

/// A path of a folder, or file:///path: a LocalStore.
struct Folder {
  using options_type = LocalOptions;
  /// Throws: StoreError, for a malformed file:// address.
  static std::optional<StoreAt> open(std::string const& address, LocalOptions const& options) {
    auto const path = detail::path_in(address);
    if (!path) return std::nullopt;
    return StoreAt{LocalStore<HostBuffer>{*path, options}};
  }
};

}  // namespace scheme

namespace detail {

/// The options of a scheme among those of a call, or its defaults.
template <class O, class... Given>
O options_among(Given const&... given) {
  O found{};
  [[maybe_unused]] auto const take = [&]<class G>(G const& one) {
    if constexpr (std::same_as<G, O>) found = one;
  };
  (take(given), ...);
  return found;
}

template <class List>
struct open_by;
template <class... Ss>
struct open_by<Schemes<Ss...>> {
  template <class O>
  static constexpr bool takes = (std::same_as<O, typename Ss::options_type> || ...);

  template <class... Options>
  static StoreAt call(std::string const& address, Options const&... options) {
    if constexpr ((check_scheme<Ss>() && ...)) {
      static_assert((takes<Options> && ...), "tessera: these options are of no scheme in the list");
      std::optional<StoreAt> found;
      [[maybe_unused]] auto const try_one = [&]<class S>(std::type_identity<S>) {
        if (!found) found = S::open(address, options_among<typename S::options_type>(options...));
      };
      (try_one(std::type_identity<Ss>{}), ...);
      if (found) return std::move(*found);
    }
    refuse_scheme(address);
  }
};

}  // namespace detail

/// The store at an address, by the first scheme of the list that accepts it; `options` are those of schemes:
/// `open_store<Schemes<scheme::S3, scheme::Folder>>(address, S3Options{.anonymous = true})`. Throws: StoreError, if no
/// scheme of the list accepts the address (the message names the header of one that would), or if the store cannot be
/// opened.
template <class List, class... Options>
StoreAt open_store(std::string const& address, Options const&... options) {
  return detail::open_by<List>::call(address, options...);
}

}}  // namespace tessera::v0
