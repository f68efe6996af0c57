#pragma once
#include <tessera/pipeline/detail/varying_stages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/element_reference.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/composed_pipeline.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL VlenPart VlenPartCodecs::decode(ByteView<Host> encoded, std::uint64_t count, DataType type,
                                             Scratch<Host>& kept, Queue<Host>& on) const {
  auto const most = most_varying / type.size;
  if (count > most) throw CodecError{to_text({"found ", count, " of ", type.name(), ", expected at most ", most})};
  auto form = pipeline_.resolve({{count}, type});
  DecodeTask<Host, Host> task{encoded, form.is_view() ? ByteSpan<Host>{} : kept.take(form.decoded_size, on)};
  auto const work = on.lease<P::Decoding>();
  pipeline_.decode(form, std::span{&task, 1}, *work, on);
  return {task.decoded.data, std::move(form.layout)};
}

// In host memory, the only space where such stages run; kept for the next mini-batch.
class VaryingScratch {
 public:
  VaryingScratch(StageBuffers& buffers, std::size_t stages, StageQueues const& on)
      : buffers_{buffers}, on_{on.between<space::Host>()} {
    if (buffers.stages.size() < stages) buffers.stages.resize(stages);
  }
  // For the result of a stage for a chunk.
  ByteSpan<Somewhere> take(std::size_t stage, std::size_t chunk, std::uint64_t n) {
    auto& of_chunks = buffers_.stages[stage].scratch.of<std::vector<Scratch<space::Host>>>();
    if (of_chunks.size() <= chunk) of_chunks.resize(std::max(buffers_.tasks.size(), chunk + 1));
    return known_in<Somewhere>(of_chunks[chunk].take(checked_size(n, "a chunk"), on_));
  }

 private:
  StageBuffers& buffers_;
  Queue<space::Host>& on_;
};

TESSERA_DECL void decode_varying(StageList stages, ResolvedChunk const& form, DecodeBuffers& buffers,
                                 StageQueues const& on) {
  VaryingScratch scratch{buffers, stages.size(), on};
  auto& tasks = buffers.tasks;
  for (auto at = stages.size(); at-- > 0;) {
    auto const& stage = *stages[at];
    if (stage.traits().is_view) continue;
    auto& lists = buffers.stages[at].lists;
    if (stage.traits().varying) return stage.decode({form.chunk, nullptr, tasks, buffers.most, on}, lists);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      auto const elements = tasks[i].to;
      StageRun const run{form.chunk, nullptr, std::span{tasks}.subspan(i, 1), 1, on};
      try {
        decode_growing(stage, run, lists, buffers.most_payload,
                       [&](std::uint64_t n) { return scratch.take(at, i, n); });
      } catch (CodecError& error) {
        error.in_key({}).in_chunk(i);  // in_key drops the number in the batch of one
        throw;
      }
      tasks[i].from = tasks[i].to.sub(0, tasks[i].size);
      tasks[i].to = elements;
    }
  }
}

TESSERA_DECL void encode_varying(StageList stages, ResolvedChunk const& form, EncodeBuffers& buffers,
                                 StageQueues const& on) {
  VaryingScratch scratch{buffers, stages.size(), on};
  auto& tasks = buffers.tasks;
  // The bytes and the length of each element.
  auto const payload_bound = [](ByteView<Somewhere> elements) {
    std::uint64_t sum = sizeof(std::uint32_t);
    for (std::size_t i = 0; i < elements.size; i += sizeof(ElementReference))
      sum += sizeof(std::uint32_t) + reference_at(elements.data + i).size;
    return sum;
  };
  for (std::size_t at = 0; at < stages.size(); ++at) {
    auto const& stage = *stages[at];
    if (stage.traits().is_view) continue;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      auto& task = tasks[i];
      if (task.to.data) task.from = task.to.sub(0, task.size);
      task.to = scratch.take(
          at, i, stage.traits().varying ? payload_bound(task.from) : stage.encoded_bound(form.chunk, task.from.size));
    }
    stage.encode({form.chunk, nullptr, tasks, tasks.size(), on}, buffers.stages[at].lists);
  }
}

TESSERA_DECL void find_filled_varying(ByteView<space::Host> chunks, std::size_t size, ByteView<space::Host> element,
                                      std::span<std::uint8_t> filled) {
  auto const fill = reference_at(element.data);
  for (std::size_t i = 0; i < filled.size(); ++i) {
    auto const* const end = chunks.data + (i + 1) * size;
    auto const* at = chunks.data + i * size;
    while (at != end && reference_at(at) == fill) at += sizeof(ElementReference);
    filled[i] = at == end;
  }
}

}}}  // namespace tessera::v0::detail
