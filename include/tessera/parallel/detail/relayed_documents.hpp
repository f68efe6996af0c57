// RelayedDocuments: documents that one rank reads from a store, and of which the others get copies.
#pragma once
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/config.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/parallel/detail/agreed.hpp>
#include <tessera/parallel/detail/erased_communicator.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A store of documents. Copies share what was read.
class RelayedDocuments {
  using Host = space::Host;

 public:
  using buffer_type = HostBuffer;

  explicit RelayedDocuments(std::string name) : state_{std::make_shared<State>()} { state_->name = std::move(name); }

  /// Reads from this store, and remembers. Requires: the store outlives each read.
  template <class D>
  void read_from(D const& documents) const {
    state_->value_of = [&documents](Key const& key) -> std::optional<std::string> {
      queue_of<D> on;
      auto const value = get_value(documents, key, on);
      if (!value) return std::nullopt;
      return std::string{reinterpret_cast<char const*>(value->view().data), value->view().size};
    };
    state_->is_folder = [&documents](std::string_view path) { return detail::has_folder(documents, path); };
  }
  /// What was read, as one text. Forgets the store.
  std::string text() const;
  /// The documents of such a text.
  void take(std::string text) const;

  std::string name() const { return state_->name; }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Host> destination, Queue<Host>&) const;
  bool has_folder(std::string_view path) const { return !state_->is_folder || state_->is_folder(path); }

 private:
  struct State {
    std::string name;
    std::map<std::string, std::optional<std::string>> values;  // nullopt: no such key
    std::function<std::optional<std::string>(Key const&)> value_of;
    std::function<bool(std::string_view)> is_folder;
  };
  std::shared_ptr<State> state_;
};

/// Called by all ranks: f(RelayedDocuments) of the store's documents, which only rank 0 reads. The results are of the
/// same documents. Throws on all ranks, if f throws on one: with one broadcast, and one call to agree.
template <class S, class F>
auto from_relayed(ErasedCommunicator& ranks, S const& store, F&& f) {
  std::optional<RelayedDocuments> relayed;
  std::optional<decltype(f(std::as_const(*relayed)))> made;
  std::string text;
  auto const failed = error_of([&] {
    decltype(auto) documents = metadata_of(store);
    relayed.emplace(name_of(documents));
    if (ranks.rank() != 0) return;
    relayed->read_from(documents);
    made.emplace(f(std::as_const(*relayed)));
    text = relayed->text();
  });
  // If rank 0 has failed, the others find no document in its text: an error that yields to that of rank 0.
  auto const missing = broadcast_text(ranks, text, 0);
  agreed(ranks, [&] {
    for (auto const& error : {failed, missing})
      if (error) std::rethrow_exception(error);
    if (made) return;
    relayed->take(std::move(text));
    made.emplace(f(std::as_const(*relayed)));
  });
  return *std::move(made);
}

}}}  // namespace tessera::v0::detail

#include <tessera/parallel/detail/relayed_documents.ipp>
