// Codecs of single elements where these are in device memory: the functions that the host calls, called by a kernel.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/buffer/pinned_buffer.cuh>
#include <tessera/buffer/scratch.hpp>
#include <tessera/codec/elementwise.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// An element of one of several chunks of as many. All that the kernel reads is among its arguments.
template <class F>
struct EachElement {
  static constexpr std::size_t most = 192;
  struct Chunk {
    std::byte const* from;
    std::byte* to;
  };
  F f;
  std::uint64_t count;     ///< elements of a chunk
  std::uint64_t* refused;  ///< page-locked: one more than the number of an element that becomes nothing; null: all do
  Chunk chunks[most];

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    auto const& chunk = chunks[i / count];
    auto const element = i % count;
    auto const made = f.template run<1>(chunk.from + element * f.from_size, chunk.to + element * f.to_size, 1);
    if (refused && made == 0) *refused = i + 1;  // of several any one
  }
};

/// Where kernels say that an element becomes nothing. Kept by the queue.
class RefusedElement {
 public:
  std::uint64_t* there(Queue<space::Device>& on) {
    number_ = reinterpret_cast<std::uint64_t*>(memory_.take(sizeof(std::uint64_t), on).data);
    *number_ = 0;
    return number_;
  }
  std::uint64_t number() const { return *number_; }
  std::size_t held() const { return memory_.held(); }

 private:
  Scratch<space::Pinned> memory_;
  std::uint64_t* number_ = nullptr;
};

}  // namespace detail

namespace codec {

/// The codec C of elements in device memory: `OnDevice<BitRound>`. A list may have it beside C, and a chunk takes the
/// one that runs where it is. One launch for up to 192 chunks. The host waits only for cast_value and scale_offset,
/// which may refuse an element, once for each launch.
template <class C>
struct OnDevice : C {
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Device>;

  OnDevice() = default;
  explicit OnDevice(C const& codec) : C(codec) {}
  static OnDevice from(ObjectReader& configuration) { return OnDevice{C::from(configuration)}; }

  /// Throws: CodecError with the number of a chunk that has an element which becomes nothing; DeviceError.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void decode(ChunkSpecification const& chunk, std::span<CodecTask<space::Device>> batch, DeviceQueue& on) const {
    run(this->decoder(chunk), batch, on);
  }
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void encode(ChunkSpecification const& chunk, std::span<CodecTask<space::Device>> batch, DeviceQueue& on) const {
    run(this->encoder(chunk), batch, on);
  }

 private:
  template <class F, class DeviceQueue>
  static void run(F const& f, std::span<CodecTask<space::Device>> batch, DeviceQueue& on) {
    if constexpr (detail::check_kernels<DeviceQueue>()) {
      using Kernel = detail::EachElement<F>;
      static_assert(sizeof(Kernel) <= 4096, "a kernel has no room for more arguments");
      for (std::size_t first = 0; first < batch.size(); first += Kernel::most) {
        auto const part = batch.subspan(first, std::min(Kernel::most, batch.size() - first));
        Kernel kernel{f, C::count(f, part[0].from.size, part[0].to.size), nullptr, {}};
        for (std::size_t i = 0; i < part.size(); ++i) {
          if (C::count(f, part[i].from.size, part[i].to.size) != kernel.count)
            throw CodecError{"found chunks of several sizes, expected one"};
          kernel.chunks[i] = {part[i].from.data, part[i].to.data};
          part[i].size = kernel.count * f.to_size;
        }
        if constexpr (F::may_refuse) {
          auto lent = on.template lease<detail::RefusedElement>();
          kernel.refused = lent->there(on);
          launch(on, part.size() * kernel.count, kernel);
          lent.record();
          lent.wait();
          if (auto const number = lent->number(); number != 0) try {
              C::refuse_element((number - 1) % kernel.count);
            } catch (Error& error) {
              error.in_chunk(first + (number - 1) / kernel.count);
              throw;
            }
        } else {
          launch(on, part.size() * kernel.count, kernel);
        }
      }
    }
  }
};

}  // namespace codec
}}  // namespace tessera::v0
