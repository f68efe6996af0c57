// Codecs that stand behind a shard (core specification, "Codecs"): its value passes them whole.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/pipeline/any_stage.hpp>
#include <tessera/pipeline/form.hpp>

namespace tessera { inline namespace v0 {

/// Stages of bytes-to-bytes codecs, at least one, that run on the host. Metadata does not say the size of a shard's
/// value, only a bound.
class ValueCodecs {
  using Host = space::Host;

 public:
  using Stages = std::vector<std::unique_ptr<detail::AnyStage const>>;
  struct Bytes {
    HostBuffer memory;
    ByteView<Host> view;  ///< what of it is the value
  };

  explicit ValueCodecs(Stages stages) : stages_{std::move(stages)} {}

  /// Of the first one, for messages.
  std::string name() const { return std::string{stages_.front()->name()}; }

  /// The largest encoded size of that many bytes.
  std::size_t encoded_bound(std::size_t size) const { return bounds(size).back(); }

  /// Decodes a value of at most `most` bytes. It allocates as many bytes as the encoded bytes promise, if they do, else
  /// `most`. Throws: CodecError with the codec, if the value is damaged or larger.
  Bytes decode(ByteView<Host> encoded, std::size_t most, Queue<Host>& on) const {
    auto const sizes = bounds(most);
    Bytes value{{}, encoded};
    for (auto i = stages_.size(); i-- > 0;) {
      auto const& stage = *stages_[i];
      auto const bound = std::min(sizes[i], stage.decoded_bound(detail::known_in<detail::Somewhere>(value.view)));
      value = pass(value.view, bound, on, [&](auto const& run, auto& lists) { stage.decode(run, lists); });
    }
    return value;
  }
  Bytes encode(ByteView<Host> decoded, Queue<Host>& on) const {
    Bytes value{{}, decoded};
    for (auto const& stage : stages_) {
      auto const bound = stage->encoded_bound({}, value.view.size);
      value = pass(value.view, bound, on, [&](auto const& run, auto& lists) { stage->encode(run, lists); });
    }
    return value;
  }

 private:
  // The most bytes before each stage, and after the last.
  std::vector<std::size_t> bounds(std::size_t size) const {
    std::vector<std::size_t> sizes{size};
    for (auto const& stage : stages_) sizes.push_back(stage->encoded_bound({}, sizes.back()));
    return sizes;
  }
  // What `stage`, which encodes or decodes a batch, makes of one value.
  static Bytes pass(ByteView<Host> from, std::size_t bound, Queue<Host>& on, auto const& stage) {
    HostBuffer to{bound};
    detail::StageTask task{detail::known_in<detail::Somewhere>(from), detail::known_in<detail::Somewhere>(to.span())};
    detail::StageObject lists;
    stage(detail::StageRun{{}, nullptr, {&task, 1}, 1, detail::StageQueues{on}}, lists);
    return {std::move(to), {task.to.data, task.size}};
  }

  Stages stages_;
};

}}  // namespace tessera::v0
