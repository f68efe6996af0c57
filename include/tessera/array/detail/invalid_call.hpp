// InvalidCall: the result of a call that gave a compile error.
#pragma once
#include <cstdint>

#include <tessera/buffer/concept.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Has the members of arrays and of pending work, and may be dropped, so that no second error follows.
struct InvalidCall {
  template <class Selection = Box, class... A>
  requires(!Buffer<Selection>) InvalidCall read(Selection const&, A&&...) const { return {}; }
  template <Buffer B, class Selection = Box, class... A>
  InvalidCall read(Selection const&, A&&...) const {
    return {};
  }
  template <class Selection = Box, class... A>
  InvalidCall write(Selection const&, A&&...) const {
    return {};
  }
  template <class Selection = Box, class... A>
  void fill(Selection const&, A&&...) const {}
  template <class... A>
  void append(A&&...) const {}
  template <class... A>
  void resize(Extents const&, A&&...) const {}
  template <class Named, class... On>
  InvalidCall through(On...) const {
    return {};
  }
  void keep_shard_indexes(std::uint64_t) const {}
  void wait() const {}
  void detach() const {}
};

}}}  // namespace tessera::v0::detail
