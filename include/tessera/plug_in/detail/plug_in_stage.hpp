// PlugInStage: a codec of a plug-in as a stage of a pipeline. row_of: its row in a list of codecs.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/codec/concept.hpp>
#include <tessera/core/value.hpp>
#include <tessera/plug_in/codec.h>
#include <tessera/core/error.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/implementations.hpp>
#include <tessera/pipeline/run_time_codecs.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline bool is_whole(tessera_codec const& codec) {
  return codec.name && *codec.name && (codec.kind == TESSERA_ARRAY_TO_BYTES || codec.kind == TESSERA_BYTES_TO_BYTES) &&
         codec.open && codec.close && codec.encoded_bound && codec.decode;
}

class PlugInStage final : public AnyStage {
  using Message = std::array<char, TESSERA_MESSAGE>;
  using Run = decltype(tessera_codec::decode);

 public:
  /// Throws: MetadataError with the codec's message, if it refuses the configuration.
  static std::unique_ptr<AnyStage const> make(Specification const& given) {
    auto const owner = owner_at_run_time(given.name);
    auto const& by = *static_cast<tessera_codec const*>(owner.get());
    Message message{};
    auto* const opened = by.open(to_json(given.configuration).c_str(), message.data());
    if (opened == nullptr)
      throw MetadataError{to_text({"member configuration of codec ", describe(given.name), ": ", text_of(message)})};
    return std::unique_ptr<AnyStage const>{new PlugInStage{by, opened}};
  }
  PlugInStage(PlugInStage const&) = delete;
  PlugInStage& operator=(PlugInStage const&) = delete;
  ~PlugInStage() override { by_.close(opened_); }

  std::string_view name() const override { return by_.name; }
  Layout layout(ChunkSpecification const& chunk) const override {
    if (chunk.type.varies())
      throw MetadataError{to_text({"codec ", describe(name()), ": elements of ", chunk.type.name(), " vary in size"})};
    return Layout::c_order(chunk.shape, chunk.type.size);
  }
  std::size_t encoded_bound(ChunkSpecification const&, std::size_t size) const override {
    return by_.encoded_bound(opened_, size);
  }
  std::size_t decoded_bound(ByteView<Somewhere>) const override { return unbounded; }
  std::size_t decoding_memory(std::size_t) const override { return 0; }
  void decode(StageRun const& run, StageObject&) const override { pass(run, by_.decode); }
  void encode(StageRun const& run, StageObject&) const override {
    expect_encodes();
    pass(run, by_.encode);
  }
  void start(StageRun const&, StageObject&, EncodedSizes const&) const override {}      // device memory only
  void take_size(StageTask&, std::size_t, std::size_t, std::int32_t) const override {}  // likewise
  void expect_encodes() const override {
    if (!by_.encode) throw CodecError{"this plug-in's codec decodes only"}.in_codec(name());
  }

 private:
  static constexpr StageTraits of_bytes{.array_side = &take_scratch<space::Host>,
                                        .bytes_side = &take_scratch<space::Host>};
  static constexpr StageTraits of_array{
      .reads_array = true, .array_side = &take_scratch<space::Host>, .bytes_side = &take_scratch<space::Host>};

  PlugInStage(tessera_codec const& by, void* opened)
      : AnyStage{by.kind == TESSERA_ARRAY_TO_BYTES ? of_array : of_bytes}, by_{by}, opened_{opened} {}

  static std::string text_of(Message const& message) {
    std::string_view const text{message.data(), message.size()};
    return std::string{text.substr(0, text.find('\0'))};
  }

  void pass(StageRun const& run, Run call) const {
    auto const type = run.chunk.type.name();
    tessera_chunk const chunk{type.c_str(), run.chunk.type.size, run.chunk.shape.rank(), run.chunk.shape.begin()};
    run_each(name(), run, [&](ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) {
      Message message{};
      std::size_t written = 0;
      if (call(opened_, &chunk, from.data, from.size, to.data, to.size, &written, message.data()) != 0)
        throw CodecError{message[0] ? text_of(message) : "failed without a message"};
      if (written > to.size)
        throw CodecError{to_text({"the plug-in says that it wrote ", written, " bytes into ", to.size})};
      return written;
    });
  }

  tessera_codec const& by_;
  void* opened_;
};

inline Implementation row_of(tessera_codec const& codec) {
  return {.name = codec.name,
          .is_view = false,
          .reads_array = codec.kind == TESSERA_ARRAY_TO_BYTES,
          .writes_array = false,
          .needs_checked_bytes = false,
          .checks_bytes = false,
          .encodes = codec.encode != nullptr,
          .encoded = [](std::uint64_t bytes) { return bytes / 2; },
          .among_elements = nullptr,
          .among_bytes = &PlugInStage::make,
          .expect_taken = [](Specification const& given) { (void)PlugInStage::make(given); },
          .runs_on_host = true,
          .array = SpaceName::host,
          .bytes = SpaceName::host};
}

}}}  // namespace tessera::v0::detail
