// Two device queues fed by one host queue, both with unfinished work: neither may use the memory that the other's work
// still needs.
#include "../chunk_access.hpp"
#include "sample.hpp"

using namespace sample;
using tessera::codec::Bytes;

using Cross = tessera::Pipeline<space::Device, Bytes, tessera::CastTo<space::Host>, Invert>;
using AnyCross = tessera::AnyPipeline<space::Device, space::Host, tessera::Codecs<Bytes, Invert>>;
using Plain =
    tessera::Pipeline<space::Device, Bytes, tessera::CastTo<space::Host>>;  // bytes cross as they were fetched
using OnDevice = tessera::Pipeline<space::Device, Bytes, DeviceInvert>;

template <class P, class S>
void halves(S const& store, char const* what) {
  tessera::Queue<space::Host> pool{2};
  tessera::Queue<space::Device> first{pool}, second{pool};
  tessera::Specification const names[] = {{"bytes", tessera::Members{{"endian", "little"}}}, {"invert"}};
  auto const pipeline = P::from({names, std::is_same_v<P, Plain> ? 1u : 2u});
  auto const form = pipeline.resolve({{chunk_rows, chunk_columns}, tessera::data_type_of<float>()});
  test::Chunks<S, P> const chunks{
      store, "a/", pipeline, form, {reinterpret_cast<std::byte const*>(&fill), sizeof fill}};
  auto const& source = chunks.access;
  auto const size = rows * columns * sizeof(float);
  tessera::Strides const strides{columns * sizeof(float), sizeof(float)};
  stub::DeviceBuffer top{size, first}, bottom{size, second};
  tessera::Box const upper{{0, 2}, {}}, lower{{2, 4}, {}};
  tessera::read_chunks(source, upper.resolve({rows, columns}), {top.span().data, strides}, first, {.mini_batch = 1});
  tessera::read_chunks(source, lower.resolve({rows, columns}), {bottom.span().data, strides}, second,
                       {.mini_batch = 1});
  auto const all = elements();
  check(on_host<float>(bottom.view().sub(0, size / rows * 2), second) ==
            std::vector<float>(all.begin() + 12, all.begin() + 24),
        what);
  check(on_host<float>(top.view().sub(0, size / rows * 2), first) == std::vector<float>(all.begin(), all.begin() + 12),
        what);
}

int main() {
  tessera::Queue<space::Device> on;
  HostStore store, plain;
  write_array(store, store, "a", bytes_invert, HostPipeline{});
  write_array(plain, plain, "a", bytes_invert, tessera::Pipeline<space::Host, Bytes>{});
  auto const device = upload<DeviceStore>(store, on);
  halves<Cross>(store, "host codecs behind a cast");
  halves<AnyCross>(store, "the same, chosen at run time");
  halves<Plain>(plain, "a cast alone");
  halves<OnDevice>(device, "a store, a codec and an array in device memory");
  halves<OnDevice>(tessera::CastStore<stub::DeviceBuffer, HostStore>{store}, "a cast store");
  return failed;
}
