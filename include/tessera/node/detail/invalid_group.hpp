// InvalidGroup: the result of a call for a group that gave a compile error.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera {
inline namespace v0 {

struct Node;

namespace detail {

struct InvalidNamedArray {
  std::string name;
  InvalidCall<> array;
};
struct InvalidNamedGroup;

/// As InvalidCall, for Group.
struct InvalidGroup : InvalidCall<> {
  GroupMetadata metadata() const;
  void set_attributes(Members) const;
  void merge_attributes(Members const&) const;
  std::vector<Node> children() const;
  template <class... Codec, class... On>
  std::vector<InvalidNamedArray> arrays(On&&...) const {
    return {};
  }
  std::vector<InvalidNamedGroup> groups() const;
  template <class F>
  void walk(F&&) const {}
  friend std::string operator/(InvalidGroup const&, std::string_view) { return {}; }
};

struct InvalidNamedGroup {
  std::string name;
  InvalidGroup group;
};

}  // namespace detail
}  // namespace v0
}  // namespace tessera
