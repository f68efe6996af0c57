// The codecs of a shard's index, as a document names them: those that make as many bytes of as many entries.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/pipeline/implementations.hpp>
#include <tessera/pipeline/named_stages.hpp>
#include <tessera/pipeline/stages.hpp>
#include <tessera/place/copy.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// As a Pipeline's members of the same names. Copies share the codecs. `Host` is space::Host: of a template, units that
/// open no array compile nothing.
template <MemorySpace Host>
class IndexPipelineIn {
  using Stages = detail::Stages<Host, Host>;

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
            text({"member codecs: found ", describe(codec.name), ", expected transpose, bytes or crc32c"})};
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

  ResolvedChunk resolve(ChunkSpecification const& chunk) const { return stages().resolve(chunk, nullptr); }
  void decode(ResolvedChunk const& form, std::span<DecodeTask<Host, Host>> chunks, Queue<Host>& on) const {
    stages().decode(form, chunks, *on.template lease<detail::DecodeBuffers>(), on);
  }
  void encode(ResolvedChunk const& form, std::span<EncodeTask<Host, Host>> chunks, Queue<Host>& on) const {
    stages().encode(form, chunks, *on.template lease<detail::EncodeBuffers>(), on);
  }

 private:
  struct Composed {
    std::vector<Specification> codecs{};  // as they were given
    OwnedStages stages{};
  };
  Stages stages() const { return Stages{made_->stages.list()}; }

  std::shared_ptr<Composed const> made_ = std::make_shared<Composed>();
};
using IndexPipeline = IndexPipelineIn<space::Host>;

}}}  // namespace tessera::v0::detail
