// Arrays in device memory and in pinned memory, and exchange of such memory with other libraries.
#include "device.hpp"

#include <map>
#include <mutex>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/core/data_type.hpp>

namespace python {
namespace {

using tessera::ExchangeError, tessera::to_text;

std::mutex mutex;
std::map<int, DeviceQueue> queues;    // by their devices
std::optional<DeviceQueue> usual_queue;  // one of them

// Throws: DeviceError, which names the cause, if no device can be used. Without a driver the runtime itself reports
// that the driver is too old.
void expect_device() {
  int driver = 0, devices = 0;
  auto const found = ::cudaGetDeviceCount(&devices);
  if (found == cudaSuccess) return;
  auto const why = tessera::detail::cuda_failure(found, "cudaGetDeviceCount");
  auto const is_known = ::cudaDriverGetVersion(&driver) == cudaSuccess;
  throw tessera::DeviceError{
      to_text({is_known && driver == 0 ? "there is no CUDA driver" : "no CUDA device can be used",
               ", which device and pinned memory need: ", why})};
}

void close_queues() {
  Unlocked const unlocked;
  std::lock_guard const lock{mutex};
  usual_queue.reset();
  queues.clear();
}

// A queue of the device, whose stream is made while it is the thread's.
DeviceQueue new_queue(std::optional<int> device) {
  if (!device) return DeviceQueue{};
  int devices = 0, before = 0;
  tessera::detail::check(::cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  if (*device < 0 || *device >= devices)
    throw tessera::DeviceError{to_text({"found device ", *device, ", expected one of 0 to ", devices - 1})};
  tessera::detail::check(::cudaGetDevice(&before), "cudaGetDevice");
  struct Back {
    int device;
    ~Back() { (void)::cudaSetDevice(device); }  // which it was before
  } const back{before};
  tessera::detail::check(::cudaSetDevice(*device), "cudaSetDevice");
  return DeviceQueue{};
}

void expect_here(std::byte const* data, DeviceQueue const& on) {
  if (!data) return;
  tessera::detail::InContext const in{on.shared_stream()->context()};
  cudaPointerAttributes found{};
  tessera::detail::check(::cudaPointerGetAttributes(&found, data), "cudaPointerGetAttributes");
  bool const is_there = found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged;
  if (!is_there || found.device != on.device())
    throw ExchangeError{to_text({"the CUDA runtime says that the memory is not that of CUDA device ", on.device()})};
}

DeviceTensor read(DeviceArray& array, Selection const& selection, nb::object progress) {
  auto const type = array.native.type();
  auto const layout = tessera::Layout::c_order(selection.shape, type.size);
  auto const size = tessera::checked_product(tessera::element_count(selection.shape, "the selection"), type.size,
                                             "the selection");
  tessera::DeviceBuffer buffer{tessera::checked_size(size, "the selection"), array.on};
  read_on_device(array, selection, buffer.span().data, std::move(progress));
  auto elements = tessera::dlpack::share(std::move(buffer));
  elements.type = type, elements.layout = layout;
  return {std::move(elements), array.on};
}

// `stream` is the stream that uses the memory before and afterwards.
void read_out_of_device(DeviceArray& array, Selection const& selection, nb::handle out, std::intptr_t stream,
                        nb::object progress) {
  auto const memory = borrow_of_device(out, array.on);
  expect_type(array.native, memory);
  if (memory.read_only) throw ExchangeError{"the memory to read into is read-only"};
  auto const strides = strides_of(selection, memory.elements.layout);
  follow(array.on, stream);
  Interruption interruption{std::move(progress)};
  tessera::ReadOptions const options{.stop = stop_at_end(), .progress = interruption.hook()};
  interruption.run([&] {
    array.native.on(array.on).read(selection.what, {memory.elements.data, strides}, options).detach();
    let_follow(array.on, stream);
    if (stream == -1) array.on.wait();
  });
}

void write_from_device(DeviceArray& array, Selection const& selection, nb::handle value, nb::object progress) {
  auto const memory = borrow_of_device(value, array.on);
  expect_type(array.native, memory);
  auto const strides = strides_of(selection, memory.elements.layout);
  Interruption interruption{std::move(progress)};
  tessera::WriteOptions const options{.stop = stop_at_end(), .progress = interruption.hook()};
  interruption.run(
      [&] { array.written.on(array.on).write(selection.what, {memory.elements.data, strides}, options).wait(); });
}

PinnedTensor pinned(tessera::Extents const& shape, tessera::DataType type) {
  auto on = queue_of_device();
  auto const size = tessera::checked_product(tessera::element_count(shape, "the shape"), type.size, "the memory");
  auto made = tessera::dlpack::share(tessera::PinnedBuffer{tessera::checked_size(size, "the memory"), on});
  made.type = type, made.layout = tessera::Layout::c_order(shape, type.size);
  return made;
}
template <class S>
nb::object hand_over(tessera::dlpack::Shared<S> const& from, DeviceQueue on, tessera::dlpack::Request const& wanted) {
  return capsule_of([&] {
    Unlocked const unlocked;  // it may wait for the queue
    return tessera::dlpack::hand_over(from, on, wanted);
  }());
}

// A user of the address uses the memory on an unknown stream: its owner waits for the device before it frees the
// memory.
Interface cuda_interface(DeviceTensor& tensor) {
  auto& elements = tensor.elements;
  auto const stream = tensor.on.stream();
  auto interface = interface_of(elements.data, elements.type, elements.layout, elements.read_only);
  interface["stream"] = reinterpret_cast<std::uintptr_t>(stream);
  if (!std::exchange(tensor.is_lent, true))
    elements.owner = std::make_shared<tessera::dlpack::detail::UntilConsumed>(
        elements.owner, tensor.on.shared_stream(), cudaStreamPerThread);
  return interface;
}

template <class T, class ToDlpack>
void add_exchange(nb::class_<T>& type, ToDlpack&& to_dlpack) {
  type.def("__dlpack__", to_dlpack, nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
           nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none(),
           "A capsule, as the array API 2024.12 says: `stream` is the consumer's, 1 the legacy default stream, as is\n"
           "None, 2 the per-thread one, -1 none. Raises ExchangeError, which is a BufferError.");
}

}  // namespace

DeviceQueue queue_of_device(std::optional<int> device) {
  std::lock_guard const lock{mutex};
  if (!device && usual_queue) return *usual_queue;
  if (queues.empty()) expect_device();
  if (device)
    if (auto const found = queues.find(*device); found != queues.end()) return found->second;
  auto made = new_queue(device);
  auto const& kept = queues.try_emplace(made.device(), made).first->second;
  if (!device) usual_queue = kept;
  return kept;
}

void let_follow(DeviceQueue& on, std::intptr_t stream) {
  if (auto const theirs = tessera::dlpack::detail::handle_of(stream)) on.record().hold_back(*theirs);
}
void follow(DeviceQueue& on, std::intptr_t stream) {
  auto const theirs = tessera::dlpack::detail::handle_of(stream);
  if (!theirs) return;
  tessera::Event<DeviceSpace> event;
  event.record(*theirs, on.shared_stream()->context());
  on.after(event);
}

void read_on_device(DeviceArray const& array, Selection const& selection, std::byte* data, nb::object progress) {
  auto const layout = tessera::Layout::c_order(selection.shape, array.native.type().size);
  auto const strides = strides_of(selection, layout);
  Interruption interruption{std::move(progress)};
  tessera::ReadOptions const options{.stop = stop_at_end(), .progress = interruption.hook()};
  auto on = array.on;
  interruption.run([&] { array.native.on(on).read(selection.what, {data, strides}, options).detach(); });
}
void read_on_device(DeviceArray const& array, tessera::Extents const& shape, std::byte* data) {
  auto const strides = tessera::Layout::c_order(shape, array.native.type().size).strides;
  tessera::ResolvedSelection const whole{tessera::Box{tessera::all}.resolve(shape)};
  auto on = array.on;
  array.native.on(on).read(whole, {data, strides}).detach();
}

Borrowed borrow_of_device(nb::handle object, DeviceQueue& on) {
  auto const ours = reinterpret_cast<std::intptr_t>(on.stream());
  auto const* const interface_name = "__cuda_array_interface__";
  auto memory = [&] {
    if (!nb::hasattr(object, "__dlpack__")) return borrow_by_interface(object, interface_name);
    try {
      return borrow_by_dlpack(object, ours);
    } catch (nb::python_error& error) {  // DLPack has neither times nor text nor raw bits
      if (!error.matches(PyExc_BufferError) || !nb::hasattr(object, interface_name)) throw;
      return borrow_by_interface(object, interface_name);
    }
  }();
  if (memory.tensor.empty()) {
    auto const interface = nb::cast<nb::dict>(object.attr(interface_name));
    if (interface.contains("stream") && !interface["stream"].is_none())
      follow(on, nb::cast<std::intptr_t>(interface["stream"]));
  } else {
    auto const found = memory.tensor.get().device;
    auto const here = tessera::dlpack::device_of<DeviceSpace>(on.device());
    if (found.device_type != kDLCUDAManaged && !tessera::dlpack::is_same(found, here))
      tessera::dlpack::detail::refuse_device(found, tessera::dlpack::name_of(here));
  }
  expect_here(memory.elements.data, on);
  return memory;
}

void add_device_arrays(nb::module_& module) {
  auto type = nb::class_<DeviceTensor>(
      module, "DeviceTensor",
      "Elements in a device's memory: `torch.from_dlpack(t)` and `cupy.from_dlpack(t)` show that memory and copy\n"
      "nothing; `numpy.from_dlpack(t, device='cpu')` is a copy. Who takes it is ordered, on its stream, after what fills it.");
  type.def_prop_ro("shape", [](DeviceTensor const& t) { return tuple_of(t.elements.layout.shape); })
      .def_prop_ro("dtype", [](DeviceTensor const& t) { return t.elements.type.name(); },
                   "The data type's name in Zarr, e.g. 'float32'.")
      .def("__dlpack_device__",
           [](DeviceTensor const& t) {
             return std::pair{static_cast<int>(kDLCUDA), t.on.device()};
           })
      .def_prop_ro("__cuda_array_interface__", &cuda_interface)
      .def("__arrow_c_device_array__", &arrow_of, nb::arg("requested_schema") = nb::none(), nb::arg("kwargs"))
      .def("wait", [](DeviceTensor& t) {
             Unlocked const unlocked;
             t.on.wait();
           },
           "Returns when the elements are there. Raises DeviceError, if the device could not make them.");
  add_exchange(type, [](DeviceTensor const& t, std::optional<std::intptr_t> stream, Version max_version,
                        DeviceWanted device, std::optional<bool> copy) {
    return hand_over(t.elements, t.on, request_of(stream, max_version, device, copy));
  });

  auto page_locked = nb::class_<PinnedTensor>(
      module, "PinnedTensor", "Elements in page-locked memory of the host's, for NumPy and for copies to a device.");
  page_locked.def_prop_ro("shape", [](PinnedTensor const& t) { return tuple_of(t.layout.shape); })
      .def_prop_ro("dtype", [](PinnedTensor const& t) { return t.type.name(); })
      .def("raw", &raw<PinnedTensor>)
      .def("__dlpack_device__",
           [](PinnedTensor const&) {
             return std::pair{static_cast<int>(kDLCUDAHost), 0};
           })
      .def_prop_ro("__array_interface__",
                   [](PinnedTensor const& t) { return interface_of(t.data, t.type, t.layout, t.read_only); });
  add_exchange(page_locked, [](PinnedTensor const& t, std::optional<std::intptr_t> stream, Version max_version,
                               DeviceWanted device, std::optional<bool> copy) {
    return hand_over(t, queue_of_device(), request_of(stream, max_version, device, copy));
  });

  nb::class_<DeviceArray>(module, "Array")
      .def(
          "__init__",
          [](DeviceArray* self, Array const& array, std::optional<int> device, std::string const& decode,
             bool is_trusted) {
            auto const by = decode == "host"   ? Decoder::host
                            : decode == "auto" ? Decoder::automatic
                                               : Decoder::device;
            new (self) DeviceArray{array, device, {by, is_trusted}};
          },
          nb::arg("array"), nb::arg("device").none(), nb::arg("decode"), nb::arg("trusted"))
      .def("read", &read, nb::arg("selection"), nb::arg("progress") = nb::none())
      .def("read_out", &read_out_of_device, nb::arg("selection"), nb::arg("out"), nb::arg("stream"),
           nb::arg("progress") = nb::none())
      .def("write", &write_from_device, nb::arg("selection"), nb::arg("value"), nb::arg("progress") = nb::none());
  module.def(
      "open_device", [](std::optional<int> device) { queue_of_device(device); }, nb::arg("device").none());
  module.def("has_nvcomp", [] { return !nvcomp_codecs(false).empty(); });
  module.def(
      "pinned",
      [](Array const& array, std::vector<std::uint64_t> const& shape) {
        return pinned(extents_of(shape), array.type());
      },
      nb::arg("array"), nb::arg("shape"), "Memory for elements of the array.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&close_queues));
}

}  // namespace python

NB_MODULE(_device, module) {
  module.doc() = "The compiled half of tessera for device memory.";
  nb::module_::import_("tessera._tessera");  // whose types it accepts, and which translates errors
  python::watch_interpreter();
  python::add_device_arrays(module);
  python::add_device_boxes(module);
  python::add_device_sharing(module);
  python::add_device_arrow(module);
}
