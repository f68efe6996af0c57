// peer publish|attach [device]: the other process of the Python module's tests. Requests and answers are lines of JSON:
// ["sum", "descriptor"]. Device memory is of the CUDA runtime that it was built for.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/ipc/attached_column.hpp>
#include <tessera/ipc/cuda.cuh>
#include <tessera/ipc/names.hpp>
#include <tessera/ipc/published_column.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/tessera.cuh>

using namespace tessera;

namespace {

using Floats = OwnedArray<float, 2, SharedBuffer>;
using DeviceFloats = OwnedArray<float, 2, DeviceBuffer>;
using DeviceView = ArrayView<float, 2, space::Device>;

void tell(Value const& what) {
  auto line = to_json(what);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::cout << line << std::endl;
}

struct Request {
  List items;
  std::string const& text(std::size_t i) const { return *items.at(i).get_if<std::string>(); }
};
bool get(Request& request) {
  std::string line;
  if (!std::getline(std::cin, line)) return false;
  auto const value = parse_json(line);
  request.items = *value.get_if<List>();
  return true;
}

template <class T>
ipc::Published published(ipc::Producer& producer, std::vector<T> const& elements) {
  return producer.publish(ArrayView<T const, 1>::c_order(elements.data(), {elements.size()}));
}

ipc::PublishedColumn rows(ipc::Producer& producer) {
  std::string const text = "onetwo";
  std::vector<std::uint8_t> const characters(text.begin(), text.end());
  std::vector<ipc::PublishedColumn> fields;
  fields.push_back(ipc::PublishedColumn::values(published<std::int32_t>(producer, {1, 2, 3}))
                       .masked(published<std::uint8_t>(producer, {0b101}), ipc::Mask::Kind::bits, 1)
                       .named("weight"));
  fields.push_back(
      ipc::PublishedColumn::strings(published<std::int64_t>(producer, {0, 3, 6, 6}),
                                    published<std::uint8_t>(producer, characters))
          .masked(published<std::uint8_t>(producer, {1, 1, 0}), ipc::Mask::Kind::bytes)
          .named("word"));
  return ipc::PublishedColumn::structure(std::move(fields));
}

struct Count {
  float* data;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { data[i] = static_cast<float>(i); }
};
struct Add {
  DeviceView view;
  float what;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    view.in_kernel(i / view.shape[1], i % view.shape[1]) += what;
  }
};
struct Sum {
  ArrayView<float const, 2, space::Device> view;
  float* result;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t) const {
    for (std::uint64_t i = 0; i < view.shape[0] * view.shape[1]; ++i)
      *result += view.in_kernel(i / view.shape[1], i % view.shape[1]);
  }
};

// The sum of the elements, by a kernel in the queue's order.
double sum_of(ArrayView<float const, 2, space::Device> view, Queue<space::Device>& on) {
  OwnedArray<float, 0, PinnedBuffer> result{{}, on};
  *result.data() = 0;
  launch(on, 1, Sum{view, result.data()});
  on.wait();
  return *result.data();
}

int publish() {
  ipc::Producer producer;
  Queue<space::Host> on;
  Floats array{{6, 4}, on};
  std::iota(array.begin(), array.end(), 0.0F);
  auto const one = producer.publish(std::move(array));
  auto const column = rows(producer);
  tell(one.json());
  tell(column.json());
  for (Request request; get(request);) {
    if (request.text(0) == "first") {
      ipc::Consumer consumer;
      auto const own = consumer.attach(one.descriptor());
      tell(own.view<float const, 2>()(0, 0));
    }
    if (request.text(0) == "end") return tell("ended"), 0;
  }
  return 1;
}

int publish_device() {
  ipc::IpcResource resource;
  ipc::IpcPool pool;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = resource}};
  Queue<space::Device> pooled{Queue<space::Host>{}, DeviceResources{.device = pool}};
  ipc::Producer producer;
  DeviceFloats array{{6, 4}, on}, of_pool{{6, 4}, pooled};
  launch(on, 24, Count{array.data()});
  launch(pooled, 24, Count{of_pool.data()});
  auto const one = ipc::publish(producer, std::move(array), on);
  auto const other = ipc::publish(producer, std::move(of_pool), pooled);
  tell(one.json());
  tell(other.json());
  for (Request request; get(request);) {
    if (request.text(0) == "sum") {
      ipc::Consumer consumer;
      auto const own = ipc::attach(consumer, one.descriptor(), on);
      tell(sum_of(own.view<float const, 2>(), on));
    }
    if (request.text(0) == "end") return tell("ended"), 0;
  }
  return 1;
}

int attach() {
  ipc::Consumer consumer;
  auto const sum = [](ipc::Attached<space::Host> const& array) {
    auto const view = array.view<float const, 2>();
    double total = 0;
    for (std::uint64_t i = 0; i < view.shape[0]; ++i)
      for (std::uint64_t j = 0; j < view.shape[1]; ++j) total += view(i, j);
    return total;
  };
  for (Request request; get(request);) try {
      auto const& what = request.text(0);
      if (what == "sum") tell(sum(consumer.attach(request.text(1))));
      if (what == "ask_for") tell(sum(consumer.attach(ipc::ask_for(request.text(1), request.text(2)))));
      if (what == "add") {
        auto array = consumer.attach_to_write(request.text(1));
        auto const view = array.view<float, 2>();
        for (std::uint64_t i = 0; i < view.shape[0]; ++i)
          for (std::uint64_t j = 0; j < view.shape[1]; ++j) view(i, j) += 10;
        array.close();
        tell("added");
      }
      if (what == "words") {
        auto const column = ipc::attach(consumer, ipc::parse_column_descriptor(request.text(1)));
        List words;
        for (std::uint64_t i = 0; i < column.size(); ++i)
          words.push_back(column.is_valid(i) ? Value{std::string{column.string(i)}} : Value{});
        tell(Value{std::move(words)});
      }
    } catch (Error const& error) {
      tell(std::string{error.what()});
    }
  return 0;
}

int attach_device() {
  ipc::Consumer consumer;
  Queue<space::Device> on{Queue<space::Host>{}};
  for (Request request; get(request);) try {
      auto const& what = request.text(0);
      auto const descriptor = ipc::parse_descriptor(request.text(1));
      if (what == "sum") {
        auto const array = ipc::attach(consumer, descriptor, on);
        tell(sum_of(array.view<float const, 2>(), on));
      }
      if (what == "add") {
        auto array = ipc::attach_to_write(consumer, descriptor, on);
        auto const view = array.view<float, 2>();
        launch(on, view.shape[0] * view.shape[1], Add{view, 10});
        on.wait();
        array.close();
        tell("added");
      }
    } catch (Error const& error) {
      tell(std::string{error.what()});
    }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::string_view const what = count > 1 ? arguments[1] : "";
  bool const on_device = count > 2;
  if (what == "publish") return on_device ? publish_device() : publish();
  if (what == "attach") return on_device ? attach_device() : attach();
  std::fprintf(stderr, "peer publish|attach [device]\n");
  return 1;
}
