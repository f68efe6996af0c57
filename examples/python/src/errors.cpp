// tessera's errors as Python exceptions: classes of tessera/_errors.py.
#include <tessera/ipc/descriptor.hpp>

#include "module.hpp"

namespace python {
namespace {

char const* class_of(tessera::Error const& error) {
  if (dynamic_cast<tessera::StoreError const*>(&error)) return "StoreError";
  if (dynamic_cast<tessera::CodecError const*>(&error)) return "CodecError";
  if (dynamic_cast<tessera::NodeNotFound const*>(&error)) return "NodeNotFound";
  if (dynamic_cast<tessera::MetadataError const*>(&error)) return "MetadataError";
  if (dynamic_cast<tessera::SelectionError const*>(&error)) return "SelectionError";
  if (dynamic_cast<tessera::ConversionError const*>(&error)) return "ConversionError";
  if (dynamic_cast<tessera::BudgetError const*>(&error)) return "BudgetError";
  if (dynamic_cast<tessera::ExchangeError const*>(&error)) return "ExchangeError";
  if (dynamic_cast<tessera::ipc::ProducerGone const*>(&error)) return "ProducerGone";
  if (dynamic_cast<tessera::ipc::LeaseRefused const*>(&error)) return "LeaseRefused";
  if (dynamic_cast<tessera::ipc::IpcError const*>(&error)) return "IpcError";
  if (dynamic_cast<tessera::OutOfMemory const*>(&error)) return "OutOfMemory";
  if (dynamic_cast<tessera::DeviceError const*>(&error)) return "DeviceError";
  if (dynamic_cast<tessera::Cancelled const*>(&error)) return "Cancelled";
  return "Error";
}

}  // namespace

void add_errors(nb::module_&) {
  nb::register_exception_translator([](std::exception_ptr const& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (tessera::Error const& error) {
      stay_behind_at_end();
      auto const module = nb::module_::import_("tessera._errors");
      auto const type = module.attr(class_of(error));
      auto const* const metadata = dynamic_cast<tessera::MetadataError const*>(&error);
      nb::object const made =
          type(module.attr("in_words_of_python")(error.what(), metadata ? metadata->unsupported() : ""));
      made.attr("store") = error.store();
      made.attr("key") = error.key();
      made.attr("codec") = error.codec();
      PyErr_SetObject(nb::object(type).ptr(), made.ptr());
    }
  });
}

}  // namespace python
