// The store concepts: keys to bytes, whose memory space is in the type (core specification, "Abstract store
// interface").
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 {

/// The type of the buffers in which a store returns values.
template <class S>
using buffer_of = typename S::buffer_type;
/// The memory space of a store's values.
template <class S>
using space_of = typename buffer_of<S>::space_type;
/// The type of the queue for a store's calls.
template <class S>
using queue_of = queue_for<space_of<S>>;

namespace detail {

template <class S, class Space>
concept ReadsIn = requires {
  static_cast<std::optional<std::size_t> (S::*)(Key const&, ByteRange, Destination<Space>, queue_for<Space>&) const>(
      &S::read);
};
// Whether `read` is for another space than that of the store's buffers. Calling it would not tell: arguments convert
// between spaces, for the sake of error messages.
template <class S>
concept ReadsElsewhere = !ReadsIn<S, space_of<S>> && (ReadsIn<S, space::Host> || ReadsIn<S, space::Pinned> ||
                                                      ReadsIn<S, space::Managed> || ReadsIn<S, space::Device>);

}  // namespace detail

/// A store is a handle: copies share their keys and may be used from any thread. `read` finds the size, calls the
/// destination once, fills the memory that it returns in the queue's order, and returns the size; nullopt: no such key;
/// failure throws StoreError. Memory that the host can access may be filled directly, because no earlier work of the
/// queue uses it. A user's store has `buffer_type`, `read`, and for writing `write` and `erase`.
template <class S, class B = buffer_of<S>>
concept ReadableStore =
    std::copyable<S> && Buffer<B> && std::same_as<buffer_of<S>, B> && !detail::ReadsElsewhere<S> &&
    requires(S const& s, Key const& k, ByteRange r, Destination<space_of<S>> destination, queue_of<S>& on) {
  { s.read(k, r, destination, on) } -> std::same_as<std::optional<std::size_t>>;
};

/// `write` replaces the whole value. It reads the bytes in the queue's order; bytes in host memory are read before it
/// returns. `erase` returns whether the key existed.
template <class S, class B = buffer_of<S>>
concept WritableStore = std::copyable<S> && Buffer<B> && std::same_as<buffer_of<S>, B> &&
    requires(S const& s, Key const& k, ByteView<space_of<S>> value, queue_of<S>& on) {
  { s.write(k, value, on) } -> std::same_as<void>;
  { s.erase(k, on) } -> std::same_as<bool>;
};

/// A store that can be read and written.
template <class S, class B = buffer_of<S>>
concept Store = ReadableStore<S, B> && WritableStore<S, B>;

/// The target of a listed link that the store does not follow.
enum class Link {
  none,      ///< not a link, or one that is followed
  to_value,  ///< a file
  to_keys,   ///< a folder, or nothing that can be examined
};

/// A key, or a prefix with keys below it.
struct Listed {
  std::string_view path;  ///< from the store's root; valid during the visit
  bool is_prefix = false;  ///< whether keys lie below it, not a value
  std::uint64_t size = 0;  ///< bytes of a key's value
  Link link = Link::none;  ///< its target, if the store does not follow it; reading it is then an error
};
/// Called for each entry of a listing; the entry is valid during the call.
using Visitor = FunctionRef<void(Listed const&)>;

/// `list` visits every key below the folder `prefix` ("" is the root, "t1" all of "t1/..."), `list_directory` the keys
/// and prefixes one level below it, both in any order. An unknown prefix is empty.
template <class S>
concept ListableStore = requires(S const& s, std::string_view prefix, Visitor visit) {
  s.list(prefix, visit);
  s.list_directory(prefix, visit);
};

namespace detail {

/// Whether a store can list, for stores whose type does not say so: an AnyStore, and wrappers of one.
template <class S>
bool can_list([[maybe_unused]] S const& store) {
  if constexpr (requires { store.can_list(); })
    return store.can_list();
  else if constexpr (requires { store.source(); })
    return can_list(store.source());
  else
    return ListableStore<S>;
}

/// Whether a folder exists at `path`; true for a store without folders.
template <class S>
bool has_folder([[maybe_unused]] S const& store, [[maybe_unused]] std::string_view path) {
  if constexpr (requires { store.has_folder(path); })
    return store.has_folder(path);
  else
    return true;
}

}  // namespace detail

/// The name of a store in messages: its `name()` if it has one.
template <class S>
std::string name_of(S const& store) {
  if constexpr (requires {
                  { store.name() } -> std::convertible_to<std::string>;
                })
    return store.name();
  else
    return "store";
}

/// The store of an array's documents: the store itself (with bytes in host memory), or a SplitStore's metadata half.
template <class S>
decltype(auto) metadata_of(S const& store) {
  if constexpr (requires { store.metadata_store(); })
    return metadata_of(store.metadata_store());
  else
    return (store);
}

/// The store of an array's chunks: the store itself, or a SplitStore's chunk half.
template <class S>
decltype(auto) chunks_of(S const& store) {
  if constexpr (requires { store.chunk_store(); })
    return (store.chunk_store());
  else
    return (store);
}

namespace detail {

// The metadata half of a SplitStore in an adapter of one store, kept beside the adapted store.
struct NoHalf {};
template <template <class> class Adapter, class S>
struct metadata_half {
  using type = NoHalf;
};
template <template <class> class Adapter, class S>
requires requires(S const& store) { store.metadata_store(); }
struct metadata_half<Adapter, S> {
  using type = Adapter<std::remove_cvref_t<decltype(metadata_of(std::declval<S const&>()))>>;
};
template <template <class> class Adapter, class S, class... Arguments>
auto make_metadata_half(S const& store, Arguments const&... arguments) {
  using Half = typename metadata_half<Adapter, S>::type;
  if constexpr (std::same_as<Half, NoHalf>)
    return Half{};
  else
    return Half{metadata_of(store), arguments...};
}

// The type's own static_assert has failed: a second message would be about the same mistake.
template <class T>
consteval bool was_refused() {
  if constexpr (requires { T::refused; })
    return T::refused;
  else
    return false;
}

// nvcc does not explain failed concepts: these messages do. Every function of tessera that accepts a store checks this
// first.
template <class S>
consteval bool check_store() {
  if constexpr (was_refused<S>()) {
    return false;
  } else if constexpr (!requires { typename S::buffer_type; }) {
    static_assert(
        requires { typename S::buffer_type; },
        "tessera: this is not a store: it has no buffer_type; pass e.g. LocalStore<HostBuffer>{path}");
    return false;
  } else if constexpr (!Buffer<typename S::buffer_type>) {
    static_assert(Buffer<typename S::buffer_type>,
                  "tessera: this store's buffer_type is not a Buffer: it must be movable, with space_type and view()");
    return false;
  } else {
    static_assert(std::copyable<S>,
                  "tessera: a store is a handle and must be copyable; keep what copies share in a "
                  "std::shared_ptr");
    static_assert(
        !std::copyable<S> || ReadableStore<S>,
        "tessera: this store lacks 'std::optional<std::size_t> read(Key const&, ByteRange, Destination<space>, "
        "queue_of<S>&) const'");
    return ReadableStore<S>;
  }
}

/// A store of no buffer: one message, and no errors that follow from it.
template <class B>
class StoreOfNoBuffer {
  static_assert(Buffer<B>,
                "tessera: a store needs the type of its buffers, e.g. LocalStore<HostBuffer>; for DeviceBuffer, "
                "PinnedBuffer and ManagedBuffer include tessera/tessera.cuh");

 public:
  static constexpr bool refused = true;
  template <class... A>
  explicit StoreOfNoBuffer(A const&...) {}
};

// Of a type for which check_store has a message, the checks below give no second one.
template <class S>
consteval bool is_store() {
  if constexpr (was_refused<S>())
    return false;
  else if constexpr (requires { typename S::buffer_type; })
    return ReadableStore<S>;
  else
    return false;
}

template <class S>
consteval bool check_writable() {
  if constexpr (!is_store<S>()) {
    return false;
  } else {
    static_assert(WritableStore<S>,
                  "tessera: this store cannot be written: it lacks 'void write(Key const&, ByteView<space>, "
                  "queue_of<S>&) const' and 'bool erase(Key const&, queue_of<S>&) const'");
    return WritableStore<S>;
  }
}

template <class S>
inline constexpr bool reads_documents =
    std::same_as<space_of<std::remove_cvref_t<decltype(metadata_of(std::declval<S const&>()))>>, space::Host>;

template <class S>
consteval bool check_metadata_store() {
  if constexpr (!is_store<S>()) {
    return false;
  } else {
    static_assert(reads_documents<S>,
                  "tessera: metadata must be in host memory: pass a store of host buffers, or "
                  "SplitStore{LocalStore<HostBuffer>{path}, LocalStore<DeviceBuffer>{path}}; for documents only, "
                  "host_side(store)");
    return reads_documents<S>;
  }
}

}  // namespace detail

/// A helper for your own functions that take a `Store<B> auto`. For another type, compilers only report that no
/// function matches. Call this in an overload for all other types; its message says how to correct the call:
/// `template <class S> void f(S const&) { check_store_of<HostBuffer, S>(); }`
template <Buffer B, class S>
consteval bool check_store_of() {
  if constexpr (!detail::check_store<S>()) {
    return false;
  } else {
    static_assert(std::same_as<buffer_of<S>, B>,
                  "tessera: this function needs a store of another buffer type: pass host_side(store, queue) if that "
                  "is HostBuffer, else CastStore<Buffer, Store>{store}");
    return std::same_as<buffer_of<S>, B>;
  }
}

}}  // namespace tessera::v0
