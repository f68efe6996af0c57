// Arrays of host memory between processes: descriptors, publishing, attaching, names.
#include "sharing.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include <tessera/ipc/names.hpp>
#include <tessera/ipc/published_column.hpp>

#include "array.hpp"

namespace python {
namespace {

using ipc::ColumnDescriptor, ipc::Descriptor, ipc::IpcError, ipc::Octets;
using tessera::DataType, tessera::SharedBuffer;
using Slices = std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;  // first, stop, step

Octets octets_of(std::string const& how) {
  if (how == "base64") return Octets::base64;
  if (how == "list") return Octets::list;
  throw IpcError{tessera::to_text({"octets \"", how, "\", expected \"base64\" or \"list\""})};
}

// Without the dimensions that have a single index.
Descriptor slice(Descriptor const& array, nb::object index) {
  auto const found = nb::module_::import_("tessera._selection").attr("slices_of")(index, tuple_of(array.shape));
  auto const [slices, dropped] = nb::cast<std::pair<Slices, std::vector<std::size_t>>>(found);
  std::vector<tessera::Slice> box;
  for (auto const& [first, stop, step] : slices) box.emplace_back(first, stop, step);
  auto part = array.slice(tessera::Box{std::move(box)});
  tessera::Extents shape;
  tessera::Strides strides;
  for (std::size_t d = 0; d < part.shape.rank(); ++d)
    if (std::find(dropped.begin(), dropped.end(), d) == dropped.end())
      shape.push_back(part.shape[d]), strides.push_back(part.strides[d]);
  part.shape = shape, part.strides = strides;
  return part;
}

// A copy of another object's elements, in C order.
SharedBuffer copy_of(Borrowed const& memory) {
  auto const& [data, type, layout] = memory.elements;
  tessera::dlpack::Shared<Host> const from{data, type, layout, true, {}};
  tessera::Queue<Host> on;
  return tessera::dlpack::detail::dense<SharedBuffer>(from, on);
}

std::uint64_t bytes_of(tessera::Extents const& shape, DataType type) {
  return tessera::checked_product(tessera::element_count(shape, "the shape"), type.size, "the array");
}

Published publish_copy(Producer const& producer, nb::handle value) {
  auto const memory = borrow(value);
  Unlocked const unlocked;
  auto const buffer = copy_of(memory);
  return {producer.native, producer.native->publish(buffer, memory.elements.type, memory.elements.layout.shape)};
}

Published publish_read(Producer const& producer, Array const& array, Selection const& selection, nb::object progress) {
  auto const type = array.type();
  SharedBuffer buffer{tessera::checked_size(bytes_of(selection.shape, type), "the selection")};
  read_into(array, selection, buffer.span().data, tessera::Layout::c_order(selection.shape, type.size),
            std::move(progress));
  return {producer.native, producer.native->publish(buffer, type, selection.shape)};
}

Source source_of_array(Producer const& producer, Array const& array) {
  auto const shape = array.shape();
  auto const type = array.type();
  auto const size = bytes_of(shape, type);
  return {producer.native, {size, [by = producer.native.get(), array, shape, type, size] {
                              SharedBuffer buffer{tessera::checked_size(size, "the array")};
                              if (size != 0) read_whole(array, shape, buffer.span().data);
                              return by->publish(buffer, type, shape);
                            }}};
}
Source source_of_memory(Producer const& producer, nb::handle value) {
  auto const memory = kept(borrow(value));
  auto const size = bytes_of(memory->elements.layout.shape, memory->elements.type);
  return {producer.native, {size, [by = producer.native.get(), memory] {
                              auto const& elements = memory->elements;
                              return by->publish(copy_of(*memory), elements.type, elements.layout.shape);
                            }}};
}

/// An array of host memory that another process published.
class Attached {
 public:
  Attached(Consumer const& consumer, Descriptor const& array, bool writes) : what{array} {
    Unlocked const unlocked;
    if (writes)
      array_ = std::make_shared<Writable>(consumer.native->attach_to_write(array));
    else
      array_ = std::make_shared<Readable>(consumer.native->attach(array));
  }
  Tensor tensor() const {
    return std::visit(
        [](auto const& array) {
          if (!array) throw IpcError{"the array was closed"};
          return shared_of(array);
        },
        array_);
  }
  /// The lease ends with the last tensor.
  void close() { array_ = std::shared_ptr<Readable>{}; }

  Descriptor what;

 private:
  using Readable = ipc::Attached<Host>;
  using Writable = ipc::Attached<Host, ipc::Writing>;
  std::variant<std::shared_ptr<Readable>, std::shared_ptr<Writable>> array_;
};

/// Names, and the processes that serve them.
class SharedArrays {
 public:
  SharedArrays(Producer const& producer, std::uint64_t budget, nb::object find)
      : producer_{producer.native} {
    arrays_ = std::make_shared<ipc::SharedArrays>(budget, [find = kept(std::move(find))](std::string_view name) {
      Locked const held;
      if (!held) throw IpcError{"the interpreter is ending"};
      return in_python([&] { return nb::cast<Source const&>((*find)(nb::str(name.data(), name.size()))).native; });
    });
  }
  SharedArrays(SharedArrays const&) = delete;
  SharedArrays& operator=(SharedArrays const&) = delete;
  ~SharedArrays() { close(); }

  Descriptor get(std::string const& name) const {
    auto const arrays = open();
    Unlocked const unlocked;
    return arrays->get(name);
  }
  std::string address() {
    auto const arrays = open();
    if (!names_)
      names_ = std::make_unique<ipc::NameServer>([arrays](std::string_view name) { return answer(*arrays, name); });
    return names_->address();
  }
  std::uint64_t budget() const { return open()->budget(); }
  std::uint64_t bytes() const {
    auto const arrays = open();
    Unlocked const unlocked;  // the publishing thread holds the lock, and may wait for Python
    return arrays->bytes();
  }
  bool contains(std::string const& name) const {
    auto const arrays = open();
    Unlocked const unlocked;
    return arrays->contains(name);
  }
  void close() {
    auto names = std::exchange(names_, nullptr);
    auto arrays = std::exchange(arrays_, nullptr);
    auto producer = std::exchange(producer_, nullptr);
    Unlocked const unlocked;
    names.reset(), arrays.reset(), producer.reset();
  }

 private:
  // The Python exception, in a line.
  static Descriptor answer(ipc::SharedArrays& arrays, std::string_view name) {
    try {
      return arrays.get(name);
    } catch (nb::python_error const& error) {
      Locked const held;
      if (!held) throw IpcError{"the interpreter is ending"};
      auto const type = nb::cast<std::string>(error.type().attr("__name__"));
      throw IpcError{tessera::to_text({type, ": ", nb::cast<std::string>(nb::str(error.value()))})};
    }
  }
  std::shared_ptr<ipc::SharedArrays> open() const {
    if (!arrays_) throw IpcError{"the shared arrays were closed"};
    return arrays_;
  }

  std::shared_ptr<ipc::Producer> producer_;
  std::shared_ptr<ipc::SharedArrays> arrays_;
  std::unique_ptr<ipc::NameServer> names_;
};

template <class What>
What taken(Publication<What>& from) {
  if (!from.producer) throw IpcError{"what was published was closed, or is part of a column already"};
  return std::exchange(from.what, What{});
}
template <class Make>
PublishedColumn column_by(std::shared_ptr<ipc::Producer> producer, Make&& make) {
  return {std::move(producer), make()};
}

void add_descriptors(nb::module_& module) {
  nb::class_<Descriptor>(module, "Descriptor",
                         "What another process must know of a published array, or of a slice of it. It pickles, and\n"
                         "`str(descriptor)` is JSON text, which docs/ipc.md describes.")
      .def("__init__",
           [](Descriptor* made, std::string const& json) { new (made) Descriptor{ipc::parse_descriptor(json)}; },
           nb::arg("json"),
           "Raises MetadataError, which names the member; IpcError, if the array is not in its memory.")
      .def("json", [](Descriptor const& array, std::string const& octets) { return to_json(array, octets_of(octets)); },
           nb::arg("octets") = "base64", "`octets`: handles as 'base64', or as a 'list' of numbers.")
      .def("__str__", [](Descriptor const& array) { return to_json(array); })
      .def("__getstate__", [](Descriptor const& array) { return to_json(array); })
      .def("__setstate__",
           [](Descriptor& made, std::string const& json) { new (&made) Descriptor{ipc::parse_descriptor(json)}; })
      .def("__eq__", [](Descriptor const& array, Descriptor const& other) { return array == other; }, nb::is_operator(),
           nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](Descriptor const& array) { return std::hash<std::string>{}(to_json(array)); })
      .def_prop_ro("shape", [](Descriptor const& array) { return tuple_of(array.shape); }, "In elements.")
      .def_prop_ro("strides",
                   [](Descriptor const& array) {
                     return std::vector<std::int64_t>(array.strides.begin(), array.strides.end());
                   },
                   "In elements.")
      .def_prop_ro("dtype", [](Descriptor const& array) { return array.type.name(); },
                   "The data type's name in Zarr, e.g. 'float32'.")
      .def_prop_ro("kind", [](Descriptor const& array) { return array.memory.kind; },
                   "Of the memory: 'shared-memory', the host's; 'cuda-ipc' or 'cuda-pool', a device's.")
      .def_prop_ro("allocation", [](Descriptor const& array) { return array.memory.number; },
                   "Its number among the producer's.")
      .def("__getitem__", &slice, nb::arg("index"),
           "A part of it, by slices and single indices: `descriptor[64:96, :, 3]`. It keeps all of the memory.");

  nb::class_<ColumnDescriptor>(module, "ColumnDescriptor",
                               "What another process must know of a published column. As Descriptor.")
      .def("__init__",
           [](ColumnDescriptor* made, std::string const& json) {
             new (made) ColumnDescriptor{ipc::parse_column_descriptor(json)};
           },
           nb::arg("json"), "Raises MetadataError, which names the member; IpcError, if the column contradicts itself.")
      .def("json",
           [](ColumnDescriptor const& column, std::string const& octets) { return to_json(column, octets_of(octets)); },
           nb::arg("octets") = "base64")
      .def("__str__", [](ColumnDescriptor const& column) { return to_json(column); })
      .def("__getstate__", [](ColumnDescriptor const& column) { return to_json(column); })
      .def("__setstate__",
           [](ColumnDescriptor& made, std::string const& json) {
             new (&made) ColumnDescriptor{ipc::parse_column_descriptor(json)};
           })
      .def("__eq__", [](ColumnDescriptor const& column, ColumnDescriptor const& other) { return column == other; },
           nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](ColumnDescriptor const& column) { return std::hash<std::string>{}(to_json(column)); })
      .def("__len__", [](ColumnDescriptor const& column) { return column.length; })
      .def_ro("name", &ColumnDescriptor::name)
      .def_ro("schema", &ColumnDescriptor::schema,
              "A format string of Arrow's C data interface: 'f', 'tsn:', 'u', '+l'.")
      .def_ro("logical", &ColumnDescriptor::logical, "What Arrow has no string for: 'datetime64[D]'.")
      .def_ro("offset", &ColumnDescriptor::offset, "Where a slice begins in its buffers, in elements.")
      .def_ro("null_count", &ColumnDescriptor::null_count, "-1: not counted.")
      .def_ro("data", &ColumnDescriptor::data, "Values or characters.")
      .def_ro("offsets", &ColumnDescriptor::offsets, "Of strings and lists: one more than there are elements.")
      .def_prop_ro("mask",
                   [](ColumnDescriptor const& column) {
                     return column.mask ? std::optional{column.mask->buffer} : std::nullopt;
                   },
                   "Which elements are there; never sliced.")
      .def_prop_ro("mask_is_bits",
                   [](ColumnDescriptor const& column) {
                     return column.mask && column.mask->kind == ipc::Mask::Kind::bits;
                   })
      .def_ro("children", &ColumnDescriptor::children)
      .def_prop_ro("dictionary",
                   [](ColumnDescriptor const& column) {
                     return column.dictionary.empty() ? std::nullopt : std::optional{column.dictionary.front()};
                   },
                   "The column into which the values are indices.")
      .def("__getitem__",
           [](ColumnDescriptor const& column, nb::slice index) {
             auto const [first, stop, step, count] = index.compute(column.length);
             if (step != 1) throw tessera::SelectionError{"a part of a column has all elements from one to another"};
             return column.slice(count == 0 ? 0 : static_cast<std::uint64_t>(first), count);
           },
           nb::arg("index"), "A part of it: `descriptor[2:9]`. It has the buffers of the whole, and another offset.");
}

void add_producers(nb::module_& module) {
  nb::class_<Producer>(module, "Producer", "Publishes arrays to other processes of the same user on this host.")
      .def("__init__", [](Producer* made) { new (made) Producer{std::make_shared<ipc::Producer>()}; })
      .def_prop_ro("allocations", [](Producer const& producer) { return producer.native->allocations(); })
      .def_prop_ro("leases", [](Producer const& producer) { return producer.native->leases(); })
      .def("publish_copy", &publish_copy, nb::arg("value"))
      .def("publish_read", &publish_read, nb::arg("array"), nb::arg("selection"), nb::arg("progress") = nb::none())
      .def("source_of_array", &source_of_array, nb::arg("array"))
      .def("source_of_memory", &source_of_memory, nb::arg("value"));
  nb::class_<Source>(module, "Source", "An array that a SharedArrays can publish.");
  nb::class_<Published>(module, "Published")
      .def_prop_ro("descriptor", [](Published const& one) { return one.what.descriptor(); })
      .def_prop_ro("holders", [](Published const& one) { return one.what.holders(); })
      .def("close", &Published::close);

  nb::class_<PublishedColumn>(module, "PublishedColumn")
      .def_prop_ro("descriptor", [](PublishedColumn const& one) { return one.what.descriptor(); })
      .def("close", &PublishedColumn::close)
      .def_static("values",
                  [](Published& data) {
                    return column_by(data.producer, [&] { return ipc::PublishedColumn::values(taken(data)); });
                  },
                  nb::arg("data"))
      .def_static("times",
                  [](Published& data, std::string const& kind, std::string const& unit) {
                    return column_by(data.producer,
                                     [&] { return ipc::PublishedColumn::times(taken(data), kind, unit); });
                  },
                  nb::arg("data"), nb::arg("kind"), nb::arg("unit"))
      .def_static("strings",
                  [](Published& offsets, Published& characters) {
                    return column_by(offsets.producer, [&] {
                      auto first = taken(offsets);
                      return ipc::PublishedColumn::strings(std::move(first), taken(characters));
                    });
                  },
                  nb::arg("offsets"), nb::arg("characters"))
      .def_static("lists",
                  [](Published& offsets, PublishedColumn& elements) {
                    return column_by(offsets.producer, [&] {
                      auto first = taken(offsets);
                      return ipc::PublishedColumn::lists(std::move(first), taken(elements));
                    });
                  },
                  nb::arg("offsets"), nb::arg("elements"))
      .def_static("structure",
                  [](Producer const& producer, std::vector<PublishedColumn*> const& fields) {
                    return column_by(producer.native, [&] {
                      std::vector<ipc::PublishedColumn> all;
                      for (auto* field : fields) all.push_back(taken(*field));
                      return ipc::PublishedColumn::structure(std::move(all));
                    });
                  },
                  nb::arg("producer"), nb::arg("fields"))
      .def("named",
           [](PublishedColumn& column, std::string name) {
             column.what = std::move(column.what).named(std::move(name));
           },
           nb::arg("name"))
      .def("masked",
           [](PublishedColumn& column, Published& mask, bool is_bits, std::int64_t null_count) {
             auto const kind = is_bits ? ipc::Mask::Kind::bits : ipc::Mask::Kind::bytes;
             column.what = std::move(column.what).masked(taken(mask), kind, null_count);
           },
           nb::arg("mask"), nb::arg("is_bits"), nb::arg("null_count"));
}

}  // namespace

void add_sharing(nb::module_& module) {
  add_descriptors(module);
  add_producers(module);
  nb::class_<Consumer>(module, "Consumer", "Attaches what other processes published.")
      .def("__init__", [](Consumer* made) { new (made) Consumer{std::make_shared<ipc::Consumer>()}; });
  nb::class_<Attached>(module, "Attached")
      .def(nb::init<Consumer const&, Descriptor const&, bool>(), nb::arg("consumer"), nb::arg("descriptor"),
           nb::arg("writes"))
      .def_ro("descriptor", &Attached::what)
      .def("tensor", &Attached::tensor)
      .def("close", &Attached::close);
  nb::class_<SharedArrays>(module, "SharedArrays")
      .def(nb::init<Producer const&, std::uint64_t, nb::object>(), nb::arg("producer"), nb::arg("budget"),
           nb::arg("find"))
      .def("get", &SharedArrays::get, nb::arg("name"))
      .def_prop_ro("address", &SharedArrays::address)
      .def_prop_ro("budget", &SharedArrays::budget)
      .def_prop_ro("bytes", &SharedArrays::bytes)
      .def("__contains__", &SharedArrays::contains, nb::arg("name"))
      .def("close", &SharedArrays::close);
  module.def(
      "ask_for",
      [](std::string const& name, std::string const& address) {
        Unlocked const unlocked;
        return ipc::ask_for(name, address);
      },
      nb::arg("name"), nb::arg("address"));
}

}  // namespace python
