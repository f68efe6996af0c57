// IndexPipeline: the codecs of a shard's index, as a document names them. They encode it to a fixed size.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/pipeline/detail/implementations.hpp>
#include <tessera/pipeline/detail/named_stages.hpp>
#include <tessera/pipeline/detail/stages.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// As Pipeline's members of the same names. Copies share the codecs. A template, so that units that open no array
/// compile none of it; `Host` is space::Host.
template <MemorySpace Host>
class IndexPipelineIn {
  using Executor = Stages<Host, Host>;

 public:
  using array_space = Host;
  using bytes_space = Host;
  static constexpr bool has_fixed_size = true;

  /// Throws: MetadataError.
  static IndexPipelineIn from(std::span<Specification const> codecs) {
    auto made = std::make_shared<Composed>();
    made->codecs = {codecs.begin(), codecs.end()};
    constexpr auto& known = known_codecs<Host, Host, codec::Transpose, codec::Bytes, codec::Crc32c>;
    StageOrder order;
    for (auto const& codec : codecs) {
      auto const* const by = implementation_of(known, codec.name);
      if (!by)
        throw MetadataError{
            to_text({"member codecs: found ", describe(codec.name), ", expected transpose, bytes or crc32c"})};
      order.add(codec.name, by->reads_array, by->writes_array);
      made->stages.add(by->on(Side::bytes)(codec));
    }
    order.end();
    IndexPipelineIn pipeline;
    pipeline.made_ = std::move(made);
    return pipeline;
  }
  std::vector<Specification> specifications() const {
    std::vector<Specification> list;
    for (auto const& given : made_->codecs) add_complete<codec::Transpose, codec::Bytes, codec::Crc32c>(list, given);
    return list;
  }
  std::string_view last_codec() const {
    return made_->codecs.empty() ? std::string_view{} : std::string_view{made_->codecs.back().name};
  }

  StageList stages() const { return made_->stages.list(); }
  ResolvedChunk resolve(ChunkSpecification const& chunk) const { return Executor{stages()}.resolve(chunk, nullptr); }
 private:
  struct Composed {
    std::vector<Specification> codecs{};  // as given
    OwnedStages stages{};
  };

  std::shared_ptr<Composed const> made_ = std::make_shared<Composed>();
};
using IndexPipeline = IndexPipelineIn<space::Host>;

}}}  // namespace tessera::v0::detail
