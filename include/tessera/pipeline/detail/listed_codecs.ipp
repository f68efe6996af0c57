#pragma once
#include <tessera/pipeline/detail/listed_codecs.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/detail/aliases.hpp>
#include <tessera/codec/detail/numcodecs.hpp>
#include <tessera/core/detail/first_of.hpp>
#include <tessera/core/detail/nearest.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/codec_headers.hpp>
#include <tessera/pipeline/detail/implementations.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::string codec_names(KnownCodecs known) {
  std::string names;
  for (auto const& by : known)
    if (implementation_of(known, by.name) == &by) names.append(names.empty() ? "" : ", ").append(by.name);
  return names;
}

/// The first one of that name, else of a name with the same meaning; null: none.
TESSERA_DECL Implementation const* implementation_meant(KnownCodecs known, std::string_view name) {
  if (auto const* const by = implementation_of(known, name)) return by;
  return first_of(known, [&](Implementation const& by) { return means(name, by.name); });
}

TESSERA_DECL std::vector<Specification> as_meant(KnownCodecs known, std::span<Specification const> codecs) {
  std::vector<Specification> meant{codecs.begin(), codecs.end()};
  bool are_changed = false;
  for (auto& codec : meant) {
    auto const* const by = implementation_meant(known, codec.name);
    if (by && by->name != codec.name) {
      codec = in_usual_words(codec);
      codec.name = by->name;
    }
    if (auto* const members = codec.configuration.get_if<Members>();
        are_changed && members && codec.name == codec::Bytes::name && !members->contains("endian"))
      members->push_back({"endian", "little"});
    are_changed |= by && by->reads_array && by->writes_array && !by->is_view;
  }
  return meant;
}

/// " (transpose, bytes, zstd)" for a short list; for a longer one, the three names most like this one.
[[gnu::cold]] TESSERA_DECL std::string listed_like(KnownCodecs known, std::string_view name) {
  constexpr std::size_t most = 4, most_like = 3;
  std::vector<std::string_view> names;
  for (auto const& by : known)
    if (implementation_of(known, by.name) == &by) names.push_back(by.name);
  auto const count = names.size();
  if (count <= most) return to_text({" (", codec_names(known), ")"});
  std::string like;
  for (auto const one : nearest_names(name, std::move(names), most_like))
    like.append(like.empty() ? "" : ", ").append(one);
  return to_text({" (nearest of ", count, ": ", like, ")"});
}

TESSERA_DECL void expect_listed(KnownCodecs known, std::span<Specification const> codecs) {
  std::vector<std::string_view> missing;
  for (auto const& codec : codecs)
    if (!names_sharding(codec) && !implementation_meant(known, codec.name) &&
        std::ranges::find(missing, codec.name) == missing.end())
      missing.push_back(codec.name);
  if (missing.empty()) return;
  std::string names, how;
  for (auto const& name : missing) {
    names += to_text({names.empty() ? "" : &name == &missing.back() ? " and " : ", ", describe(name)});
    how += how_to_list(name);
  }
  if (!how.empty())
    how += ", or open it with open() of <tessera/all.hpp>";
  else
    how = "; docs/codecs/README.md lists the codecs that tessera has";
  auto const are = missing.size() == 1 ? " is" : " are";
  throw MetadataError{to_text({"codec ", names}),
                      to_text({"member codecs: ", names, are, " not among this program's codecs",
                               listed_like(known, missing.front()), how})};
}

TESSERA_DECL Implementation const& expect_known(KnownCodecs known, Specification const& codec, bool is_behind) {
  auto const runs = [&](Implementation const& by) {
    return by.name == codec.name && (by.among_bytes || (by.among_elements && !is_behind));
  };
  if (auto const* const found = first_of(known, runs)) return *found;
  auto const how = [&] {
    auto const& by = *implementation_of(known, codec.name);
    return how_to_run(codec.name, by.runs_on_host, by.array, by.bytes);
  };
  auto const why =
      is_behind ? " after sharding_indexed runs on the host only, and this program's codec of that name does not run "
                  "there"
                : how();
  throw MetadataError{to_text({"codec ", describe(codec.name)}),
                      to_text({"member codecs: ", describe(codec.name), why})};
}

TESSERA_DECL void expect_values_kept(KnownCodecs known, std::span<Specification const> before) {
  for (auto const& codec : before)
    if (!implementation_of(known, codec.name)->is_view)
      throw MetadataError{to_text({"member codecs: ", describe(codec.name),
                                   " changes values, so it is not supported before sharding_indexed, whose chunks "
                                   "are read one by one"})};
}

TESSERA_DECL void refuse_behind_shards(std::span<Specification const> codecs) {
  auto const* const shard = first_of(codecs, names_sharding);
  if (!shard || shard == &codecs.back()) return;
  throw MetadataError{to_text({"member codecs: ", describe(shard[1].name),
                               " after sharding_indexed runs on the host only; open the array over a store of host "
                               "bytes"})};
}

}}}  // namespace tessera::v0::detail
