// The compiled half of the package `tessera`; the words of zarr-python are in its Python half.
#include "module.hpp"

tessera::Queue<python::Host>& python::queue() {
  static auto all_processors = tessera::Queue<Host>::of_all_processors();
  return all_processors;
}

NB_MODULE(_tessera, module) {
  module.doc() = "The compiled half of tessera: nodes of Zarr v3 hierarchies, selections, tensors.";
  python::add_errors(module);
  python::add_tensor(module);
  python::add_selection(module);
  python::add_array(module);
  python::add_nodes(module);
  python::add_chunks(module);
  python::add_sharing(module);
  python::add_crops(module);
}
