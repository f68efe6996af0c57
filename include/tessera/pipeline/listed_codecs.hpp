// The codecs that a document names, held against the list of a program.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/codec/aliases.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/configuration.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/first_of.hpp>
#include <tessera/core/text.hpp>
#include <tessera/pipeline/codec_headers.hpp>
#include <tessera/pipeline/implementations.hpp>

namespace tessera { inline namespace v0 { namespace detail {

using KnownCodecs = std::span<Implementation const>;

inline bool names_sharding(Specification const& codec) { return codec.name == "sharding_indexed"; }

/// "transpose, bytes, zstd": each name once.
inline std::string codec_names(KnownCodecs known) {
  std::string names;
  for (auto const& by : known)
    if (implementation_of(known, by.name) == &by) names.append(names.empty() ? "" : ", ").append(by.name);
  return names;
}

/// The codecs by names that are listed: an alias that is not becomes the name that it means. Behind a codec that
/// changes values zarr-python writes no byte order where the array's own elements have none: it means its machine's.
inline std::vector<Specification> as_meant(KnownCodecs known, std::span<Specification const> codecs) {
  std::vector<Specification> meant{codecs.begin(), codecs.end()};
  bool are_changed = false;
  for (auto& codec : meant) {
    if (auto const usual = usual_name(codec.name);
        usual != codec.name && !implementation_of(known, codec.name) && implementation_of(known, usual))
      codec.name = usual;
    auto const* const by = implementation_of(known, codec.name);
    if (auto* const members = codec.configuration.get_if<Members>();
        are_changed && members && codec.name == codec::Bytes::name && !members->contains("endian"))
      members->push_back({"endian", "little"});
    are_changed |= by && by->reads_array && by->writes_array && !by->is_view;
  }
  return meant;
}

/// Throws: MetadataError naming all that the list lacks.
[[gnu::cold]] inline void expect_listed(KnownCodecs known, std::span<Specification const> codecs) {
  std::vector<std::string_view> missing;
  for (auto const& codec : codecs)
    if (!names_sharding(codec) && !implementation_of(known, codec.name) &&
        !implementation_of(known, usual_name(codec.name)) && std::ranges::find(missing, codec.name) == missing.end())
      missing.push_back(codec.name);
  if (missing.empty()) return;
  std::string names, how;
  for (auto const& name : missing) {
    names += text({names.empty() ? "" : &name == &missing.back() ? " and " : ", ", describe(name)});
    how += how_to_list(name);
  }
  if (!how.empty()) how += ", or open it with open() of <tessera/all.hpp>";
  auto const are = missing.size() == 1 ? " is" : " are";
  throw MetadataError{
      text({"codec ", names}),
      text({"member codecs: ", names, are, " not among this program's codecs (", codec_names(known), ")", how})};
}

/// What runs a codec of that name, which is listed, in some space of a pipeline; behind a shard, on the host. Throws:
/// MetadataError, if none does.
inline Implementation const& expect_known(KnownCodecs known, Specification const& codec, bool is_behind) {
  auto const runs = [&](Implementation const& by) {
    return by.name == codec.name && (by.among_bytes || (by.among_elements && !is_behind));
  };
  if (auto const* const found = first_of(known, runs)) return *found;
  auto const why =
      is_behind ? " after sharding_indexed is the host's work, and this program's codec of that name does not run there"
                : implementation_of(known, codec.name)->how_to_run(codec.name);
  throw MetadataError{text({"codec ", describe(codec.name)}), text({"member codecs: ", describe(codec.name), why})};
}

/// Of codecs before a shard, all listed. Throws: MetadataError naming the first one that changes values.
inline void expect_values_kept(KnownCodecs known, std::span<Specification const> before) {
  for (auto const& codec : before)
    if (!implementation_of(known, codec.name)->is_view)
      throw MetadataError{text({"member codecs: ", describe(codec.name),
                                " changes values, so it is not supported before sharding_indexed, whose chunks "
                                "are read one by one"})};
}

/// For stored bytes that are not the host's. Throws: MetadataError naming the first codec that stands behind a shard.
inline void refuse_behind_shards(std::span<Specification const> codecs) {
  auto const* const shard = first_of(codecs, names_sharding);
  if (!shard || shard == &codecs.back()) return;
  throw MetadataError{text({"member codecs: ", describe(shard[1].name),
                            " after sharding_indexed is the host's work; open the array over a store of host bytes"})};
}

}}}  // namespace tessera::v0::detail
