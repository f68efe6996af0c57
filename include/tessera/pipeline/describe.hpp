// describe and draw: a pipeline's codecs and where they run, as a line and as a picture.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/pipeline/detail/codec_headers.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/pipeline/sharding.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// "nvcomp::Trusted<nvcomp::Zstd>", as a program that uses the namespace writes it.
template <class T>
std::string type_name() {
  std::string name{__PRETTY_FUNCTION__};  // "... T = tessera::v0::codec::Bytes; ...]"
  name.erase(0, name.find("T = ") + 4);
  name.resize(name.find_first_of(";]"));
  for (std::string_view const part : {"tessera::", "v0::", "{anonymous}::", "(anonymous namespace)::"})
    for (auto at = name.find(part); at != name.npos; at = name.find(part)) name.erase(at, part.size());
  return name;
}

// The codecs between two crossings.
struct Leg {
  std::string space;
  std::vector<std::string> codecs;
};

template <class P>
std::string description();

template <class P>
struct legs_of;
template <class Space, class... Stages>
struct legs_of<Pipeline<Space, Stages...>> {
  static std::vector<Leg> list() {
    std::vector<Leg> legs{{std::string{word_of(space_name<Space>())}, {}}};
    (add(legs, std::type_identity<Stages>{}), ...);
    return legs;
  }
  // Of the chunks at the bottom of shards.
  static std::vector<Leg> of_bottom() {
    auto legs = list();
    (descend(legs, std::type_identity<Stages>{}), ...);
    return legs;
  }

 private:
  template <class C>
  static void add(std::vector<Leg>& legs, std::type_identity<C>) {
    legs.back().codecs.push_back(type_name<C>());
  }
  template <class Inner, class Index>
  static void add(std::vector<Leg>& legs, std::type_identity<codec::Sharding<Inner, Index>>) {
    legs.back().codecs.push_back("shards of (" + description<Inner>() + ")");
  }
  template <class C>
  static void descend(std::vector<Leg>&, std::type_identity<C>) {}
  template <class Inner, class Index>
  static void descend(std::vector<Leg>& legs, std::type_identity<codec::Sharding<Inner, Index>>) {
    legs = legs_of<Inner>::of_bottom();
  }
  template <class To>
  static void add(std::vector<Leg>& legs, std::type_identity<CastTo<To>>) {
    legs.push_back({std::string{word_of(space_name<To>())}, {}});
  }
};

template <class P>
std::string description() {
  std::string line;
  for (auto const& [space, codecs] : legs_of<P>::list()) {
    line += (line.empty() ? "" : " => ") + space + ":";
    for (auto const& codec : codecs) line += (line.ends_with(':') ? " " : " | ") + codec;
  }
  return line;
}

}  // namespace detail

/// The stages of a Pipeline from elements to stored bytes, and their spaces:
/// "device: codec::Bytes | nvcomp::Zstd => host: codec::Crc32c".
template <class P>
std::string describe() {
  return detail::description<P>();
}

/// The way of a chunk in a read, from stored bytes to elements, with a line for each space; with shards, of an inner
/// chunk:
///
///   host    stored bytes -> codec::Crc32c --.
///   device                                  '-> nvcomp::Zstd -> codec::Bytes -> elements
template <class P>
std::string draw() {
  auto const legs = detail::legs_of<P>::of_bottom();
  struct Lane {
    std::string space, line;
  };
  std::vector<Lane> lanes;
  std::size_t before = 0;
  for (auto leg = legs.rbegin(); leg != legs.rend(); ++leg) {
    std::size_t here = 0;
    while (here < lanes.size() && lanes[here].space != leg->space) ++here;
    if (here == lanes.size()) lanes.push_back({leg->space, leg->space + std::string(9 - leg->space.size(), ' ')});
    auto& line = lanes[here].line;
    if (leg == legs.rbegin()) {
      line += "stored bytes";
    } else if (here != before) {
      auto& from = lanes[before].line;
      line.resize(from.size() + 3, ' ');
      from += here > before ? " --." : " --'";
      line += here > before ? "'" : ".";
    }
    for (auto codec = leg->codecs.rbegin(); codec != leg->codecs.rend(); ++codec)
      line += (line.ends_with('\'') || line.ends_with('.') ? "-> " : " -> ") + *codec;
    before = here;
  }
  lanes[before].line +=
      lanes[before].line.ends_with('\'') || lanes[before].line.ends_with('.') ? "-> elements" : " -> elements";
  std::string picture;
  for (auto const& lane : lanes) picture += lane.line + '\n';
  return picture;
}

}}  // namespace tessera::v0
