// tessera's errors as Python exceptions: classes of tessera/_errors.py.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/ipc/error.hpp>

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

// Without the message's cures for C++ programs, and with those for Python programs.
std::string in_words_of_python(tessera::Error const& error) {
  constexpr std::string_view only_of_cpp[]{"<tessera/", ".hpp",    ".cuh",         "codec::", "Codecs<",
                                      "Pipeline<", "space::", "OutOfRange::", "docs/"};
  constexpr std::pair<std::string_view, std::string_view> options[]{
      {".overwrite = true", "overwrite=True replaces it"},
      {"list it as nvcomp::Trusted<...>", "trusted=True vouches for the bytes"}};
  std::string found;
  std::string_view rest = error.what();
  bool is_first = true;
  while (!rest.empty() || is_first) {
    auto const end = rest.find("; ");
    auto const part = rest.substr(0, end);
    bool const is_cure = std::ranges::any_of(only_of_cpp, [&](auto word) { return part.find(word) != part.npos; });
    if (is_first || !is_cure) found.append(is_first ? "" : "; ").append(part);
    if (end == rest.npos) break;
    rest.remove_prefix(end + 2), is_first = false;
  }
  for (auto const& [of_cpp, of_python] : options)
    if (auto const at = found.find(of_cpp); at != found.npos) found.replace(at, found.size() - at, of_python);
  auto const* const metadata = dynamic_cast<tessera::MetadataError const*>(&error);
  if (metadata && metadata->unsupported().starts_with("codec "))
    found += "; this module has no such codec: zarr-python may read the array";
  return found;
}

}  // namespace

void add_errors(nb::module_&) {
  nb::register_exception_translator([](std::exception_ptr const& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (tessera::Error const& error) {
      auto const type = nb::module_::import_("tessera._errors").attr(class_of(error));
      nb::object const made = type(in_words_of_python(error));
      made.attr("store") = error.store();
      made.attr("key") = error.key();
      made.attr("codec") = error.codec();
      PyErr_SetObject(nb::object(type).ptr(), made.ptr());
    }
  });
}

}  // namespace python
