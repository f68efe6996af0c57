#pragma once
#include <tessera/pipeline/detail/value_codecs.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// The result of `stage`, which encodes or decodes a batch, for one value.
ValueCodecs::Bytes pass_value(ByteView<space::Host> from, std::size_t bound, Queue<space::Host>& on,
                              auto const& stage) {
  HostBuffer to{bound};
  StageTask task{known_in<Somewhere>(from), known_in<Somewhere>(to.span())};
  StageObject lists;
  stage(StageRun{{}, nullptr, {&task, 1}, 1, StageQueues{on}}, lists);
  return {std::move(to), {task.to.data, task.size}};
}

}  // namespace detail

TESSERA_DECL std::string ValueCodecs::name() const { return std::string{stages_.front()->name()}; }

TESSERA_DECL ValueCodecs::Bytes ValueCodecs::decode(ByteView<Host> encoded, std::size_t most, Queue<Host>& on) const {
  auto const sizes = bounds(most);
  Bytes value{{}, encoded};
  for (auto i = stages_.size(); i-- > 0;) {
    auto const& stage = *stages_[i];
    auto const bound = std::min(sizes[i], stage.decoded_bound(detail::known_in<detail::Somewhere>(value.view)));
    value = detail::pass_value(value.view, bound, on, [&](auto const& run, auto& lists) { stage.decode(run, lists); });
  }
  return value;
}

TESSERA_DECL ValueCodecs::Bytes ValueCodecs::encode(ByteView<Host> decoded, Queue<Host>& on) const {
  Bytes value{{}, decoded};
  for (auto const& stage : stages_) {
    auto const bound = stage->encoded_bound({}, value.view.size);
    value = detail::pass_value(value.view, bound, on, [&](auto const& run, auto& lists) { stage->encode(run, lists); });
  }
  return value;
}

TESSERA_DECL std::vector<std::size_t> ValueCodecs::bounds(std::size_t size) const {
  std::vector<std::size_t> sizes{size};
  for (auto const& stage : stages_) sizes.push_back(stage->encoded_bound({}, sizes.back()));
  return sizes;
}

}}  // namespace tessera::v0
