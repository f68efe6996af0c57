// open_icechunk, open_icechunk_at: a snapshot of an Icechunk repository as a store, of formats 1 and 2, for reading.
// Needs libzstd (BSD-3-Clause): link tessera::zstd.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/schemes.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/with/detail/icechunk/icechunk_snapshot.hpp>
#include <tessera/with/references.hpp>

namespace tessera { inline namespace v0 {

/// Which snapshot of a repository: that of a tag, one by its id, or else the last of a branch.
struct IcechunkOptions {
  std::string branch = "main";  ///< unless one of the others is given
  std::string tag{};            ///< empty: none
  std::string snapshot{};       ///< "VY76P925PRY57WFEK410"; empty: none
};

/// The arrays and groups of a snapshot of the repository whose root is the root of `repository`. All of its manifests
/// are read now and kept in memory. Chunks in other files are read from the stores that `open` opens; without it they
/// are errors, and whether such a file changed since is not checked. Throws: MetadataError; StoreError.
inline ReferenceStore open_icechunk(AnyStore<HostBuffer> repository, IcechunkOptions const& options = {},
                                    OpenReferenced open = {}) {
  auto name = repository.name();
  auto references = detail::IcechunkSnapshot{repository, options.branch, options.tag, options.snapshot}.take();
  auto const open_any = [repository, open = std::move(open)](std::string const& folder) -> AnyStore<HostBuffer> {
    if (folder.empty()) return repository;
    if (open) return open(folder);
    throw StoreError{"a chunk is in a file outside the repository; give open_icechunk a function that opens its folder"}
        .in_store(detail::without_secrets(folder));
  };
  return ReferenceStore{std::move(references), open_any, std::move(name)};
}

namespace detail {

/// "s3://bucket/repository|icechunk://tag.v1/t1": the repository's address, which snapshot, and the path inside.
/// Without "//..." it is the branch main; a name without "branch." or "tag." is a snapshot's id.
struct IcechunkAddress {
  std::string repository{}, inside{};
  IcechunkOptions options{};

  /// nullopt: another address.
  static std::optional<IcechunkAddress> from(std::string_view address) {
    constexpr std::string_view mark = "|icechunk:";
    auto const at = address.find(mark);
    if (at == address.npos) return std::nullopt;
    IcechunkAddress found{.repository = std::string{address.substr(0, at)}};
    auto rest = address.substr(at + mark.size());
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of('/')));
    auto const name = rest.substr(0, rest.find('/'));
    found.inside = joined_names(rest.substr(name.size()));
    constexpr std::string_view branch = "branch.", tag = "tag.";
    if (name.starts_with(branch))
      found.options.branch = name.substr(branch.size());
    else if (name.starts_with(tag))
      found.options.tag = name.substr(tag.size());
    else
      found.options.snapshot = name;
    return found;
  }
};

inline std::optional<StoreAt> icechunk_at(std::string const& address, OpenTrusting const& open) {
  auto const at = IcechunkAddress::from(address);
  if (!at) return std::nullopt;
  auto repository = open(at->repository, true);
  if (!repository.path.empty()) repository.store = PrefixStore{repository.store, repository.path};
  return StoreAt{open_icechunk(repository.store, at->options, referenced_from(at->repository, open)), at->inside};
}

}  // namespace detail

/// The store of a snapshot at an address, "s3://bucket/repository|icechunk://branch.main/t1": the repository's address,
/// then "branch." and a branch, "tag." and a tag, or a snapshot's id, then the path inside. The repository, and the
/// files that it names, are opened by the schemes of the list, as open_references does. nullopt: another address.
/// Throws: StoreError; MetadataError.
template <class List, class... Options>
std::optional<StoreAt> open_icechunk_at(std::string const& address, Options const&... options) {
  return detail::icechunk_at(address, [options...](std::string const& folder, bool is_trusted) {
    return is_trusted ? open_store<List>(folder, options...)
                      : open_store<List>(folder, detail::without_secrets_for(folder, options)...);
  });
}

}}  // namespace tessera::v0
