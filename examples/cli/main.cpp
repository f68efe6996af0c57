// tessera: looks into Zarr hierarchies on disk. This file is the command line; each subcommand has a file of its own.
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include <tessera/core/config.hpp>

#include "commands.hpp"

namespace {

constexpr auto region_help = R"(A region has one part per dimension, joined by commas, as in NumPy:
  :        every index            5        this one; the dimension stays, with length 1
  a:b      a, a+1, ... below b    a:b:s    a, a+s, ... below b
  a:  :b   from a on, up to b
Numbers count from 0. Nothing is clipped: what does not fit the shape is an error.
Example: tessera read brain.zarr/t1 --region 0:64,:,10:20:2 --output part.npy)";

void add_path(CLI::App& command, std::string& path) {
  command.add_option("PATH", path, "A folder on disk, with the node's path inside it: brain.zarr/t1")->required();
}

void add_threads(CLI::App& command, std::size_t& threads) {
  command.add_option("--threads", threads, "How many threads work; by default one per processor")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
}

cli::Status run(int argc, char** argv) {
  auto const processors = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  CLI::App app{"Looks into Zarr arrays and groups on disk.", "tessera"};
  app.set_version_flag("--version", std::string{"tessera "} + tessera::version);
  app.footer("Exit status: 0 done; 1 the data or its metadata is wrong; 2 usage.");
  app.require_subcommand(1);

  cli::Info info;
  auto unused = processors;
  auto& info_command = *app.add_subcommand("info", "The tree below PATH: shapes, types, chunks, codecs, stored size");
  add_path(info_command, info.path);
  info_command.add_flag("--json", info.json, "One JSON object, for programs");
  add_threads(info_command, unused);  // every command takes it, so that scripts need not know which can use it

  cli::Read read;
  read.threads = processors;
  auto& read_command = *app.add_subcommand("read", "Elements of an array, to a file");
  add_path(read_command, read.path);
  read_command.add_option("--region", read.region, "Which elements; all, if not given")->type_name("REGION");
  read_command.add_option("--output", read.output, "FILE.npy, or FILE.bin: C order, little endian, nothing else")
      ->type_name("FILE")
      ->required();
  read_command.add_option("--memory", read.memory, "MiB of elements held at once (but at least a row of chunks)")
      ->type_name("MIB")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  add_threads(read_command, read.threads);
  read_command.footer(region_help);

  cli::View view;
  view.threads = processors;
  auto& view_command =
      *app.add_subcommand("view", "A plane of an array as a picture, from its least value to its most");
  add_path(view_command, view.path);
  view_command.add_option("--axis", view.axis, "The dimension that the plane cuts; by default the last")
      ->type_name("D")
      ->check(CLI::NonNegativeNumber);
  view_command.add_option("--index", view.index, "Where it cuts; by default in the middle")
      ->type_name("I")
      ->check(CLI::NonNegativeNumber);
  view_command.add_option("--output", view.output, "FILE.png; without it the picture is drawn here")->type_name("FILE");
  add_threads(view_command, view.threads);

  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& asked) {  // --help, --version
    return app.exit(asked), cli::done;
  } catch (CLI::ParseError const& error) {
    throw cli::UsageError{std::string{error.what()} + " (tessera --help says more)"};
  }
  if (info_command.parsed()) return run(info);
  if (read_command.parsed()) return run(read);
  return run(view);
}

}  // namespace

int main(int argc, char** argv) try {
  auto const status = run(argc, argv);
  if (!std::cout.flush()) throw std::runtime_error{"cannot write to the standard output"};
  return status;
} catch (cli::UsageError const& error) {
  cli::report(error.what());
  return cli::wrong_usage;
} catch (std::bad_alloc const&) {
  cli::report("there is not enough memory");
  return cli::wrong_data;
} catch (std::exception const& error) {
  cli::report(error.what());
  return cli::wrong_data;
}
