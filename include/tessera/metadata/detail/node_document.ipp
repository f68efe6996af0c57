#pragma once
#include <tessera/metadata/detail/node_document.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void set_member(Members& members, std::string_view name, Value value) {
  for (auto& member : members)
    if (member.name == name) return void(member.value = std::move(value));
  members.push_back({std::string{name}, std::move(value)});
}

}}}  // namespace tessera::v0::detail
