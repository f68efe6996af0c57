// Zip files as stores, an extension of its own, because it needs libzip.
#include "module.hpp"

#include <tessera/with/writable_zip.hpp>

namespace {

// A zip file that is written.
struct Draft {
  tessera::WritableZipStore zip;

  void flush() const {
    python::Unlocked const unlocked;
    zip.flush();
  }
};

}  // namespace

NB_MODULE(_zip, module) {
  module.doc() = "Zip files as stores.";
  nb::module_::import_("tessera._tessera");  // the module with the type of a store
  python::watch_interpreter();
  module.def(
      "store", [](std::string path) { return python::Store{tessera::ZipStore{std::move(path)}}; }, nb::arg("path"),
      "It is read only.");
  nb::class_<Draft>(module, "Draft", "A zip file that is written: what was written becomes the file by `flush`.")
      .def(
          "__init__",
          [](Draft* draft, std::string path, bool overwrite) {
            new (draft) Draft{tessera::WritableZipStore{std::move(path), {.overwrite = overwrite}}};
          },
          nb::arg("path"), nb::arg("overwrite"))
      .def_prop_ro("store", [](Draft const& draft) { return python::Store{draft.zip}; })
      .def("flush", &Draft::flush);
}
