// ReferencedValues: the values of a references file, read from the stores of the files that it names.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/schemes.hpp>
#include <tessera/with/detail/references/references.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Thread-safe.
class ReferencedValues {
  using Host = space::Host;

 public:
  /// Opens the store of the files below an address.
  using Open = std::function<AnyStore<HostBuffer>(std::string const& folder)>;

  ReferencedValues(References references, Open open, std::string name)
      : name_{std::move(name)}, open_{std::move(open)}, references_{std::move(references)} {}

  std::string const& name() const { return name_; }
  References::Values const& values() const { return references_.values(); }

  /// The files' ranges of each store are requested at once.
  void get_many(std::span<ReadRequest<Host>> requests, Queue<Host>& on) const {
    std::map<std::size_t, std::vector<Part>> by_file;
    for (auto& request : requests) {
      request.size.reset();
      auto const* const found = find(*request.key);
      if (!found) continue;
      if (found->file)
        by_file[*found->file].push_back(part(request, *found));
      else
        at_key(*this, *request.key, [&] { copy(found->bytes, request); });
    }
    for (auto at = by_file.begin(); at != by_file.end();) {  // files of one store are neighbours if they were named so
      auto const& folder = file(at->first).folder;
      std::vector<Part> parts;
      for (; at != by_file.end() && file(at->first).folder == folder; ++at)
        for (auto& one : at->second) parts.push_back(one);
      read_parts(parts, on);
    }
  }

  std::optional<std::uint64_t> size(Key const& key, Queue<Host>& on) const {
    auto const* const found = find(key);
    if (!found) return std::nullopt;
    return size_of(*found, on);
  }
  /// Throws: StoreError, if the file is missing.
  std::uint64_t size_of(Reference const& found, Queue<Host>& on) const {
    if (!found.file) return found.bytes.size();
    if (found.size) return *found.size;
    auto const& whole = file(*found.file);
    auto const size = store_of(whole).size({whole.key}, on);
    if (!size) fail_missing(whole.key, without_secrets(whole.folder));
    return *size;
  }

 private:
  // A request for a range of a file.
  struct Part {
    ReadRequest<Host>* request;
    Reference const* reference;
    Key key;          // in the file's store
    ByteRange range;  // of the file
  };
  // Of a part, while others are awaited. Without its file the reader would take the chunk for one that is not stored.
  struct Arrival {
    Part const* part;
    AnyStore<HostBuffer> const* store;
    bool operator()(std::optional<std::size_t> size) const {
      if (!size) fail_missing(part->key.path, store->name());
      return (*part->request->arrived)(size);
    }
  };
  [[noreturn]] static void fail_missing(std::string const& key, std::string const& store) {
    throw StoreError{"the file is missing, but references name it"}.in_key(key).in_store(store);
  }

  Reference const* find(Key const& key) const {
    return at_key(*this, key, [&]() -> Reference const* {
      auto const found = values().find(key.path);
      return found == values().end() ? nullptr : &found->second;
    });
  }
  ReferencedFile const& file(std::size_t number) const { return references_.files()[number]; }

  AnyStore<HostBuffer> store_of(ReferencedFile const& file) const {
    std::lock_guard const held{mutex_};
    auto found = stores_.find(file.folder);
    if (found == stores_.end()) found = stores_.emplace(file.folder, open_(file.folder)).first;
    return found->second;
  }

  Part part(ReadRequest<Host>& request, Reference const& found) const {
    Part one{&request, &found, {file(*found.file).key}, request.range};
    if (!found.size) return one;
    auto const [offset, size] = at_key(*this, *request.key, [&] { return request.resolve(*found.size); });
    one.range = {found.offset + offset, size};
    return one;
  }

  // Of files of one store.
  void read_parts(std::vector<Part>& parts, Queue<Host>& on) const {
    auto const store = at_key(*this, *parts.front().request->key,
                              [&] { return store_of(file(*parts.front().reference->file)); });
    std::vector<std::function<ByteSpan<Host>(std::size_t)>> destinations;
    destinations.reserve(parts.size());
    std::deque<Arrival> arrivals;
    std::deque<FunctionRef<bool(std::optional<std::size_t>)>> told;  // refer to them
    std::vector<ReadRequest<Host>> wanted;
    for (auto const& one : parts) {
      auto const& to = destinations.emplace_back([&one](std::size_t size) {
        if (one.reference->size && size != one.range.size)
          throw StoreError{to_text({"the file ends after ", one.range.offset + size, " bytes; a reference expects ",
                                    one.range.offset + one.range.size})};
        return one.request->destination(size);
      });
      wanted.push_back({.key = &one.key,
                        .range = one.range,
                        .destination = {to, one.request->destination.limits()},
                        .max_gap = one.request->max_gap,
                        .max_request_bytes = one.request->max_request_bytes});
      if (one.request->arrived)
        wanted.back().arrived = &told.emplace_back(arrivals.emplace_back(Arrival{&one, &store}));
      if (!one.reference->size) wanted.back().value_size = one.request->value_size;
    }
    try {
      store.get_many(wanted, on);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].request->size = wanted[i].size;
        if (!wanted[i].size) fail_missing(parts[i].key.path, store.name());
      }
    } catch (Error& error) {  // names the file; so does one of the keys
      auto const found = std::ranges::find(parts, error.key(), [](Part const& one) { return one.key.path; });
      if (found != parts.end()) error.in_work(to_text({"for ", describe(found->request->key->path)}));
      throw;
    }
  }

  static void copy(std::string const& bytes, ReadRequest<Host>& request) {
    auto const [offset, size] = request.resolve(bytes.size());
    auto const to = request.destination(checked_size(size, "the value"));
    if (to.size > 0) std::memcpy(to.data, bytes.data() + offset, to.size);
    request.size = to.size;
  }

  std::string name_;
  Open open_;
  References references_;
  mutable std::mutex mutex_{};                                    // for what follows
  mutable std::map<std::string, AnyStore<HostBuffer>> stores_{};  // by their folders
};

}}}  // namespace tessera::v0::detail
