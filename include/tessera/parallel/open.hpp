// create_array, open_array, open_any, create_group, open_group and attributes, called by all ranks of a communicator:
// one rank reads and writes the documents.
#pragma once
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/parallel/communicator.hpp>
#include <tessera/parallel/detail/agreed.hpp>
#include <tessera/parallel/detail/relayed_documents.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// `read(documents)` is the array that rank 0 finds.
template <class P, class S, class Read, class... On>
AnyArray<S, P> opened_together(ErasedCommunicator& ranks, S const& store, Read const& read, On const&... on) {
  return from_relayed(ranks, store, [&](auto const& documents) {
    return AnyArray<S, P>{store, read(documents), queue_given<P>(on...)};
  });
}

}  // namespace detail

/// Called by all ranks with the same arguments, but a store and a queue of their own: as open_any of a store. Rank 0
/// reads the document, and all ranks get the same array. Throws on all ranks the error of one, which it names.
template <class Codec = BuiltInCodecs, Communicator C, class S, class... On>
auto open_any(C const& ranks, S const& store, std::string const& path = "", On... on) {
  if constexpr (!detail::check_opening<Codec, S, On...>()) {
    return detail::InvalidCall{};
  } else {
    using P = typename detail::pipeline_over<Codec, S>::type;
    detail::ErasedCommunicatorOf<C> all{ranks};
    return detail::opened_together<P>(
        all, store, [&](auto const& documents) { return detail::read_array(documents, path); }, on...);
  }
}
/// Below a group, which each rank has. With consolidated metadata no document is read.
template <class Codec = BuiltInCodecs, Communicator C, class S, class... On>
auto open_any(C const& ranks, Group<S> const& group, std::string const& path, On... on) {
  if constexpr (!detail::check_opening<Codec, S, On...>()) {
    return detail::InvalidCall{};
  } else {
    using P = typename detail::pipeline_over<Codec, S>::type;
    detail::ErasedCommunicatorOf<C> all{ranks};
    auto const read = [&](auto const& documents) {
      return detail::read_array(Group{documents, group.path(), group.metadata(), group.consolidated()}, group / path);
    };
    return detail::opened_together<P>(all, group.store(), read, on...);
  }
}

/// Called by all ranks, as open_any: an array of T with Rank dimensions.
template <class T, std::size_t Rank, class Codec = detail::codecs_for<T, BuiltInCodecs>, Communicator C, class Where,
          class... On>
auto open_array(C const& ranks, Where const& where, std::string const& path = "", On... on) {
  if constexpr (!detail::check_element<T>())
    return detail::InvalidCall<T>{};
  else
    return detail::as_typed<T, Rank>(open_any<Codec>(ranks, where, path, std::move(on)...));
}

/// Called by all ranks with the same arguments, but a store and a queue of their own: as create_array of a store. Rank
/// 0 makes the array, and all ranks open it. Throws: as open_any.
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T>, Communicator C, class S, class... On>
auto create_array(C const& ranks, S const& store, std::string const& path, NewArray<T> const& wanted,
                  P const& pipeline = {}, On... on) {
  detail::ErasedCommunicatorOf<C> all{ranks};
  detail::agreed(all, [&] {
    if (all.rank() == 0) static_cast<void>(create_array<T, Rank>(store, path, wanted, pipeline, on...));
  });
  return open_array<T, Rank, P>(ranks, store, path, std::move(on)...);
}

/// Called by all ranks: as open_group of a store. Rank 0 reads the documents. Throws: as open_any.
template <Communicator C, class S>
auto open_group(C const& ranks, S const& store, std::string const& path = "", OpenOptions options = {}) {
  if constexpr (!detail::check_store<S>() || !detail::check_metadata_store<S>()) {
    return detail::InvalidGroup{};
  } else {
    detail::ErasedCommunicatorOf<C> all{ranks};
    auto const found = detail::from_relayed(
        all, store, [&](auto const& documents) { return detail::opened_group(documents, path, options); });
    return Group<S>{store, path, found.metadata(), found.consolidated()};
  }
}

/// Called by all ranks: as create_group of a store. Rank 0 makes the group. Throws: as open_any.
template <Communicator C, class S>
auto create_group(C const& ranks, S const& store, std::string const& path = "", Members const& attributes = {},
                  GroupOptions options = {}) {
  detail::ErasedCommunicatorOf<C> all{ranks};
  detail::agreed(all, [&] {
    if (all.rank() == 0) static_cast<void>(create_group(store, path, attributes, options));
  });
  return open_group(ranks, store, path, {.format = options.format});
}

/// Called by all ranks: the present attributes of the array or group at `path`, read by rank 0. Throws: as open_any.
template <Communicator C, class S>
Members get_attributes(C const& ranks, S const& store, std::string const& path) {
  detail::ErasedCommunicatorOf<C> all{ranks};
  std::string text;
  detail::agreed(all, [&] {
    if (all.rank() == 0) text = to_json(Value{get_attributes(store, path)});
  });
  auto const missing = detail::broadcast_text(all, text, 0);
  Members attributes;
  detail::agreed(all, [&] {
    if (missing) std::rethrow_exception(missing);
    auto parsed = parse_json(text);
    attributes = std::move(*parsed.template get_if<Members>());
  });
  return attributes;
}
/// Called by all ranks: rank 0 replaces the attributes. Throws: as open_any.
template <Communicator C, class S>
void set_attributes(C const& ranks, S const& store, std::string const& path, Members const& attributes) {
  detail::ErasedCommunicatorOf<C> all{ranks};
  detail::agreed(all, [&] {
    if (all.rank() == 0) set_attributes(store, path, attributes);
  });
}
/// Called by all ranks: rank 0 replaces or adds the named attributes. Throws: as open_any.
template <Communicator C, class S>
void merge_attributes(C const& ranks, S const& store, std::string const& path, Members const& attributes) {
  detail::ErasedCommunicatorOf<C> all{ranks};
  detail::agreed(all, [&] {
    if (all.rank() == 0) merge_attributes(store, path, attributes);
  });
}

}}  // namespace tessera::v0
