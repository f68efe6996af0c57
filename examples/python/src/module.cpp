// The compiled half of the package `tessera`; zarr-python's interface is in its Python half.
#include "opening.hpp"

tessera::Queue<python::Host>& python::queue() {
  static auto& all_processors = *new tessera::Queue<Host>{tessera::Queue<Host>::of_all_processors()};
  return all_processors;
}

NB_MODULE(_tessera, module) {
  module.doc() = "The compiled half of tessera: nodes of Zarr v3 hierarchies, selections, tensors.";
  // NumPy never releases memory shown after the interpreter began to end, and remaining threads keep their objects.
  nb::set_leak_warnings(false);
  module.def(
      "warn_of_leaks", [] { nb::set_leak_warnings(true); }, "For tests: what is left at the end is written out.");
  module.def("announce_end", &python::announce_end, "From now on no error of tessera is raised in other threads.");
  module.def("codec_names", &python::codec_names, "Of the codecs that arrays may have: \"transpose, bytes, zstd\".");
  python::watch_interpreter();
  python::add_errors(module);
  python::add_tensor(module);
  python::add_selection(module);
  python::add_strings(module);
  python::add_array(module);
  python::add_nodes(module);
  python::add_groups(module);
  python::add_references(module);
  python::add_transfers(module);
  python::add_chunks(module);
  python::add_sharing(module);
  python::add_arrow(module);
  python::add_boxes(module);
}
