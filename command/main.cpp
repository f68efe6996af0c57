// tessera: looks into Zarr hierarchies on disk, and makes them. This file is the command line; each subcommand has a
// file of its own.
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <signal.h>

#include <CLI/CLI.hpp>

#include <tessera/core/config.hpp>
#include <tessera/plug_in/load.hpp>
#include <tessera/store/detail/scheme.hpp>

#include "app_options.hpp"
#include "bench/advice.hpp"
#include "commands.hpp"
#include "interruption.hpp"

namespace {

constexpr auto region_help = R"(A region has a slice for each dimension, separated by commas, as in NumPy:
  :        every index            5        this index; the dimension stays, with length 1
  a:b      a, a+1, ... below b    a:b:s    a, a+s, ... below b
  a:  :b   from a on, up to b
A region may also name dimensions, by name or by number from 0 on; the others are whole: z=5,x=0:64
Indices count from 0, and negative ones from the end: x=-3: selects the last three. Slices are not clipped: a slice
that does not fit the shape is an error.
Example: )";

std::string region_help_with(std::string const& example) { return region_help + example; }

constexpr auto unfinished_help =
    R"(The new node appears when it is complete. Until then it is in a hidden folder .tessera-*, which is not a node. If
the command is killed, this folder stays. It does no harm, and tessera rm of the group above erases it.
Codecs are a JSON list, as in zarr.json. Members that you leave out have the defaults of zarr-python:
  '["bytes", "zstd"]'    '["bytes", "blosc", "crc32c"]'    '["bytes", {"name": "zstd", "configuration": {"level": 9}}]')";

std::string const more = " (tessera --help says more)";

bool is_address(std::string_view scheme) {
  return tessera::detail::is_web(scheme) || tessera::detail::is_bucket(scheme);
}

// The problem of a path. Empty: it is a path.
std::string expect_path(std::string const& path) {
  std::string const scheme{tessera::detail::scheme_of(path)};
  if (scheme.empty()) return "";
  return "found a URL of scheme \"" + scheme + "\", expected a path" +
         (scheme == "file"     ? ": leave out \"file://\""
          : is_address(scheme) ? " of a folder or file on disk: an address can only be read"
                               : " of a folder or file on disk");
}

// Empty: it is a path or an address.
std::string expect_source(std::string const& path) {
  auto const scheme = tessera::detail::scheme_of(path);
  if (is_address(scheme)) return "";
  auto problem = expect_path(path);
  if (!problem.empty() && scheme != "file") problem += ", or an address of http://, https:// or s3://";
  return problem;
}

/// A file or a folder on disk.
CLI::Option& add_file(CLI::App& command, std::string const& name, std::string& path, std::string const& what) {
  return *command.add_option(name, path, what)->check(expect_path, "");
}

/// "-o", too, as people type it.
CLI::Option& add_output(CLI::App& command, std::string& path, std::string const& what) {
  return *add_file(command, "-o,--output", path, what).type_name("FILE");
}

void add_path(CLI::App& command, std::string& path) {
  add_file(command, "PATH", path, "A folder on disk, followed by the node's path in it: brain.zarr/t1").required();
}

/// Arguments that are only read.
CLI::Option& add_source(CLI::App& command, std::string const& name, std::string& path) {
  return *command
              .add_option(
                  name, path,
                  "A folder or a zip file, followed by the node's path in it: brain.zarr/t1; or an address with "
                  "http://, https:// or s3://")
              ->check(expect_source, "");
}

void add_region(CLI::App& command, std::string& region) {
  command.add_option("--region", region, "The elements to use; by default all")->type_name("REGION");
}

void add_index(CLI::App& command, std::string& index) {
  command
      .add_option("--index", index,
                  "Selects one index in dimensions, by name or number: z=94,c=0. Drops these dimensions, as NumPy does")
      ->type_name("NAME=N");
}

void add_unpacked(CLI::App& command, bool& unpacked) {
  command.add_flag(
      "--unpacked", unpacked,
      "Converts to float64 by the CF attributes: times scale_factor plus add_offset, and NaN for _FillValue "
      "and missing_value");
}

void add_threads(CLI::App& command, std::size_t& threads) {
  command.add_option("--threads", threads, "The number of threads; by default one for each processor")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
}

void add_space(CLI::App& command, std::string& space) {
  command
      .add_option("--space", space,
                  "Where elements are placed: in host memory, or in GPU memory, if tessera was built with CUDA")
      ->check(CLI::IsMember({"host", "device"}))
      ->capture_default_str();
}

void add_chunks(CLI::App& command, std::optional<std::string>& chunks, std::string const& otherwise) {
  command.add_option("--chunks", chunks, "The shape of a chunk; by default " + otherwise)->type_name("N,N,N");
}

void add_shards(CLI::App& command, std::optional<std::string>& shards, std::string const& otherwise) {
  command
      .add_option("--shards", shards,
                  "The shape of a shard, which holds many chunks in one file; a multiple of the chunks' shape. By "
                  "default " +
                      otherwise)
      ->type_name("N,N,N");
}

void add_codecs(CLI::App& command, std::string& codecs, std::string const& otherwise) {
  command.add_option("--codecs", codecs, "The codecs, as in zarr.json; by default " + otherwise)->type_name("JSON");
}

void add_format(CLI::App& command, std::optional<int>& format, char const* otherwise) {
  command.add_option("--zarr-format", format, "The Zarr format, 2 or 3; by default " + std::string{otherwise})
      ->type_name("2|3")
      ->check(CLI::IsMember({2, 3}));
}
void add_overwrite(CLI::App& command, bool& overwrite) {
  command.add_flag("--overwrite", overwrite,
                   "Replaces an array or group that exists at the path, with everything below it");
}

void add_sync(CLI::App& command, bool& sync) {
  command.add_flag("--sync", sync, "When the command is done, what it wrote survives a loss of power. This is slow");
}

/// How the addresses among the arguments `paths` are reached; an option that concerns none of them is refused.
void add_access(CLI::App& command, cli::Access& access, std::vector<std::string const*> paths) {
  command.add_option("--endpoint", access.endpoint, "The server for s3:// addresses; by default from the environment")
      ->type_name("URL");
  command.add_option("--s3-region", access.region, "The region for s3:// addresses; by default from the environment")
      ->type_name("NAME");
  command.add_option("--profile", access.profile, "The profile in ~/.aws with the credentials for s3:// addresses")
      ->type_name("NAME");
  command.add_flag("--anonymous", access.anonymous, "Does not sign requests to s3:// addresses");
  command
      .add_option("--header", access.headers,
                  "A header to send with each request: 'Authorization: Bearer ...'; may be given several times")
      ->type_name("LINE")
      ->allow_extra_args(false);
  command.parse_complete_callback([&access, paths = std::move(paths)] {
    bool has_address = false, has_bucket = false;
    for (auto const* path : paths) {
      auto const scheme = tessera::detail::scheme_of(*path);
      has_address = has_address || is_address(scheme);
      has_bucket = has_bucket || tessera::detail::is_bucket(scheme);
      if (path->find(".json") != path->npos) has_address = has_bucket = true;  // references may name some
    }
    auto const option = !access.endpoint.empty()  ? "--endpoint"
                        : !access.region.empty()  ? "--s3-region"
                        : !access.profile.empty() ? "--profile"
                        : access.anonymous        ? "--anonymous"
                                                  : "";
    if (!has_bucket && *option) throw cli::UsageError{std::string{option} + " is for s3:// addresses; there is none"};
    if (!has_address && !access.headers.empty()) throw cli::UsageError{"--header is for addresses; there is none"};
  });
}

void add_links(CLI::App& command, bool& follow_links) {
  command.add_flag("--follow-links", follow_links,
                   "Follows symbolic links below the root of the hierarchy, which are errors otherwise. Never erases "
                   "through a link");
}

// How many letters to insert, remove or change to turn one word into the other.
std::size_t distance(std::string const& one, std::string const& other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      auto const changed = diagonal + (one[i] != other[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// The message for a first word that is not a subcommand: the similar one, and the list of all.
std::string no_subcommand(CLI::App const& app, std::string const& word) {
  std::string all, nearest;
  std::size_t least = 3;
  for (auto const* command : cli::subcommands_of(app)) {
    auto const& name = command->get_name();
    all += (all.empty() ? "" : ", ") + name;
    if (auto const d = distance(word, name); d < least && d < name.size()) least = d, nearest = name;
  }
  return "there is no subcommand \"" + word + "\"; " +
         (nearest.empty() ? "" : "tessera " + nearest + " is the nearest of ") + (nearest.empty() ? "there are " : "") +
         all;
}

// The option that a word resembles or begins; empty if there is none.
std::string nearest_option(CLI::App const& command, std::string const& word) {
  std::string nearest;
  std::size_t least = 3;
  for (auto const& option : cli::options_of(command))
    for (auto const& name : option.names) {
      if (option.is_argument || !name.starts_with("--")) continue;
      if (word.size() > 3 && name.starts_with(word)) return name;
      if (auto const d = distance(word, name); d < least && d + 2 < name.size()) least = d, nearest = name;
    }
  return nearest;
}

// The problem of the command line. Unknown options come first: one may be the missing option.
std::string problem_of(CLI::App const& app, CLI::ParseError const& error) {
  auto const parsed = app.get_subcommands();
  auto const& command = parsed.empty() ? app : *parsed.front();
  auto const name = parsed.empty() ? std::string{"tessera"} : "tessera " + command.get_name();
  for (auto const& given : command.remaining()) {
    auto const word = given.substr(0, given.find('='));
    if (!word.starts_with('-') || word.size() < 2) continue;
    auto const nearest = nearest_option(command, word);
    return name + " has no option " + word + (nearest.empty() ? "" : "; did you mean " + nearest + '?');
  }
  return error.what();
}

cli::Status run(int argc, char** argv) {
  auto const processors = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  CLI::App app{"Shows, reads, writes, copies, changes and checks Zarr arrays and groups.", "tessera"};
  app.set_version_flag("--version", std::string{"tessera "} + tessera::version);
  app.footer("Exit status: 0 success; 1 data or metadata is wrong; 2 wrong usage.");
  app.require_subcommand(0, 1);  // none is refused below: otherwise unknown words would not be named

  std::vector<std::string> plug_ins;
  app.add_option("--plug-in", plug_ins,
                 "Loads a shared library with more codecs (tessera/plug_in/codec.h) and runs its code: load only what "
                 "you trust")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);

  cli::Info info;
  auto unused = processors;
  auto& info_command = *app.add_subcommand(
      "info", "Shows the arrays and groups at PATH, with shapes, types, chunks, codecs and stored sizes");
  add_source(info_command, "PATH", info.path).required();
  info_command.add_flag("--json", info.json, "Prints a JSON object, for programs");
  add_threads(info_command, unused);  // every command takes it, so that scripts need not know which can use it
  add_access(info_command, info.access, {&info.path});
  add_links(info_command, info.follow_links);

  cli::Read read;
  read.threads = processors;
  auto& read_command = *app.add_subcommand("read", "Reads elements of an array into a file");
  add_source(read_command, "PATH", read.path).required();
  add_region(read_command, read.region);
  add_index(read_command, read.index);
  add_output(
      read_command, read.output,
      "FILE.npy; FILE.bin: the elements alone, in C order; FILE.csv or FILE.txt: a line of text for each row along "
      "the last dimension; FILE.json: nested lists, bytes in base64; -: the standard output")
      .required();
  read_command
      .add_option("--format", read.format,
                  "The format, if the file's name does not tell it; on the standard output by default npy")
      ->check(CLI::IsMember({"npy", "bin", "csv", "txt", "json"}));
  read_command
      .add_option(
          "--memory", read.memory,
          "Limits the memory of the read, in MiB; 16 MiB may always be used. Chunks may then be read several "
          "times. Without this, it holds about 256 MiB of elements at once, in whole rows of chunks (all chunks "
          "with one position along the first dimension), but at least one row")
      ->type_name("MIB")
      ->check(CLI::Range(1, 1 << 20));
  add_unpacked(read_command, read.unpacked);
  add_space(read_command, read.space);
  add_sync(read_command, read.sync);
  add_threads(read_command, read.threads);
  add_access(read_command, read.access, {&read.path});
  add_links(read_command, read.follow_links);
  read_command.footer(region_help_with("tessera read brain.zarr/t1 --region 0:64,:,10:20:2 --output part.npy"));

  cli::Show show;
  show.threads = processors;
  auto& show_command = *app.add_subcommand("show", "Prints elements of an array, as NumPy does");
  add_source(show_command, "PATH", show.path).required();
  add_region(show_command, show.region);
  add_index(show_command, show.index);
  show_command
      .add_option("--limit", show.limit,
                  "The most elements to print; of more elements, only those at the corners are printed")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  add_unpacked(show_command, show.unpacked);
  add_threads(show_command, show.threads);
  add_access(show_command, show.access, {&show.path});
  add_links(show_command, show.follow_links);
  show_command.footer(region_help_with("tessera show brain.zarr/t1 --index z=94 --region x=90:96"));

  cli::Listing list;
  auto& list_command =
      *app.add_subcommand("ls", "Lists the arrays and groups in a group, one on each line; groups end in /");
  add_source(list_command, "PATH", list.path).capture_default_str();
  list_command.add_flag("-l,--long", list.is_long, "Also shows types and shapes");
  add_threads(list_command, unused);
  add_access(list_command, list.access, {&list.path});
  add_links(list_command, list.follow_links);

  cli::Listing tree;
  tree.is_tree = true;
  auto& tree_command = *app.add_subcommand(
      "tree", "Shows the tree of arrays and groups below PATH, with types and shapes; tessera info shows more");
  add_source(tree_command, "PATH", tree.path).capture_default_str();
  tree_command.add_option("-L,--depth", tree.levels, "The number of levels to show; by default all")
      ->type_name("N")
      ->check(CLI::Range(0, 1 << 20));
  add_threads(tree_command, unused);
  add_access(tree_command, tree.access, {&tree.path});
  add_links(tree_command, tree.follow_links);

  cli::Diff diff;
  diff.threads = processors;
  auto& diff_command = *app.add_subcommand(
      "diff",
      "Compares the elements of two arrays: how many differ, the first that differs, and the largest difference");
  add_source(diff_command, "A", diff.one).required();
  add_source(diff_command, "B", diff.other).required();
  add_region(diff_command, diff.region);
  diff_command
      .add_option("--memory", diff.memory, "MiB of elements to hold at once, but at least one chunk of each array")
      ->type_name("MIB")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  add_threads(diff_command, diff.threads);
  add_access(diff_command, diff.access, {&diff.one, &diff.other});
  add_links(diff_command, diff.follow_links);
  diff_command.footer(
      "Exit status: 0 they are equal; 1 elements, types or shapes differ; 2 they cannot be compared, or wrong usage.\n"
      "NaN equals NaN, and 0 equals -0. Attributes, chunks and codecs are not compared.");
  cli::View view;
  view.threads = processors;
  auto& view_command = *app.add_subcommand(
      "view", "Shows a plane of an array as a picture: the least value is black, the greatest white, NaN magenta or ?");
  add_source(view_command, "PATH", view.path).required();
  add_region(view_command, view.region);
  view_command
      .add_option("--index", view.index,
                  "The index at which dimensions are cut, by name or number: z=94,c=0; or a number alone, for --axis")
      ->type_name("NAME=N");
  view_command
      .add_option("--axis", view.axis, "The dimension to cut, such as 2 or z; in the middle, unless --index is given")
      ->type_name("D");
  add_output(view_command, view.output, "FILE.png; without it, the picture is drawn in the terminal");
  add_sync(view_command, view.sync);
  add_threads(view_command, view.threads);
  add_access(view_command, view.access, {&view.path});
  add_links(view_command, view.follow_links);
  view_command.footer(
      "The last two dimensions without an index are the rows and columns of the picture; the others are cut in the\n"
      "middle. From 3 dimensions, the last is cut. From an OME-Zarr image, the coarsest level is shown.\n\n" +
      region_help_with("tessera view scan.zarr/0 --index t=3,c=0 --region y=0:512,x=0:512"));

  cli::Attrs attrs;
  auto& attrs_command =
      *app.add_subcommand("attrs", "Prints the attributes of an array or a group as JSON, or sets and deletes them");
  add_source(attrs_command, "PATH", attrs.path).required();
  attrs_command.add_option("NAME", attrs.name, "Prints only this attribute");
  attrs_command.add_option("--set", attrs.settings, "Sets an attribute; may be given several times")
      ->type_name("NAME=JSON")
      ->allow_extra_args(false);
  attrs_command.add_option("--delete", attrs.deletions, "Deletes an attribute; may be given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_sync(attrs_command, attrs.sync);
  add_threads(attrs_command, unused);
  add_access(attrs_command, attrs.access, {&attrs.path});
  add_links(attrs_command, attrs.follow_links);
  attrs_command.footer(
      R"(Example: tessera attrs brain.zarr/t1 --set 'units="mm"' --set 'spacing=[1, 1, 1.5]' --delete note)");

  cli::Write write;
  write.threads = processors;
  auto& write_command = *app.add_subcommand("write", "Writes a .npy file of any size, or a .json file, as a new array");
  add_file(
      write_command, "FILE", write.file,
      "A .npy file with numbers, bools, times, text of fixed length or raw bytes; -: such a file from the standard "
      "input; or a .json file with nested lists, as tessera read writes them")
      .required();
  add_path(write_command, write.path);
  add_chunks(write_command, write.chunks, "about 1 MiB");
  add_shards(write_command, write.shards, "none");
  add_codecs(write_command, write.codecs, "bytes (little endian) and zstd, as in zarr-python");
  write_command
      .add_option("--data-type", write.data_type,
                  "The data type of a .json file: a name or a JSON object, as in zarr.json; by default string")
      ->type_name("TYPE");
  write_command.add_option("--fill", write.fill, "The fill value, as JSON or NaN, -Infinity, 0x7fc00000; by default 0")
      ->type_name("VALUE");
  write_command.add_option("--names", write.names, "Names of the dimensions, separated by commas")->type_name("X,Y,Z");
  add_format(write_command, write.zarr_format, "3");
  add_overwrite(write_command, write.overwrite);
  add_sync(write_command, write.sync);
  add_threads(write_command, write.threads);
  add_links(write_command, write.follow_links);
  write_command.footer(unfinished_help);

  cli::Copy copy;
  copy.threads = processors;
  auto& copy_command =
      *app.add_subcommand("copy", "Copies an array, or a group and everything below it, and encodes it again");
  add_source(copy_command, "SRC", copy.source).required();
  add_file(copy_command, "DST", copy.destination, "The path of the copy").required();
  add_chunks(copy_command, copy.chunks, "as in the source");
  add_shards(copy_command, copy.shards, "as in the source; with --chunks alone, none");
  add_codecs(copy_command, copy.codecs, "as in the source");
  add_format(copy_command, copy.zarr_format, "that of the source");
  add_overwrite(copy_command, copy.overwrite);
  copy_command.add_flag(
      "--resume", copy.resume,
      "Keeps what is copied if the copy ends early. The next copy --resume of SRC to DST continues. SRC "
      "must not change between the calls");
  copy_command
      .add_option("--memory", copy.memory,
                  "Limits the memory, in MiB; 16 MiB may always be used. A shard that needs more is refused")
      ->type_name("MIB")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  add_sync(copy_command, copy.sync);
  add_threads(copy_command, copy.threads);
  add_access(copy_command, copy.access, {&copy.source});
  add_links(copy_command, copy.follow_links);
  copy_command.footer(unfinished_help);

  cli::Resize resize;
  resize.threads = processors;
  auto& resize_command =
      *app.add_subcommand("resize", "Changes the shape of an array; new elements have the fill value");
  add_path(resize_command, resize.path);
  resize_command.add_option("SHAPE", resize.shape, "The new shape; elements outside it are erased")
      ->type_name("N,N,N")
      ->required();
  add_sync(resize_command, resize.sync);
  add_threads(resize_command, resize.threads);
  add_links(resize_command, resize.follow_links);

  cli::Append append;
  append.threads = processors;
  auto& append_command = *app.add_subcommand("append", "Appends a .npy or .json file to an array");
  add_file(append_command, "FILE", append.file,
           "A .npy or .json file with the array's type and other dimensions; -: a .npy file from the standard input")
      .required();
  add_path(append_command, append.path);
  append_command.add_option("--axis", append.axis, "The dimension that grows, by name or number")
      ->type_name("D")
      ->capture_default_str();
  add_sync(append_command, append.sync);
  add_threads(append_command, append.threads);
  add_links(append_command, append.follow_links);
  append_command.footer(
      "The whole file is appended, or nothing. A .json file, or a .npy file in the other byte order, must fit in "
      "memory.");

  cli::Compact compact;
  compact.threads = processors;
  auto& compact_command = *app.add_subcommand(
      "compact", "Rewrites shards without the bytes of replaced chunks that appending left in them");
  add_path(compact_command, compact.path);
  compact_command.add_option("--region", compact.region, "Only the shards with some of these elements; by default all")
      ->type_name("REGION");
  compact_command.add_flag("--recover", compact.recover,
                           "Restores shards whose last append was interrupted; otherwise they are an error");
  add_sync(compact_command, compact.sync);
  add_threads(compact_command, compact.threads);
  add_links(compact_command, compact.follow_links);
  compact_command.footer(region_help_with("tessera compact brain.zarr/t1_sharded --region 0:64,:,:"));

  cli::Remove remove;
  auto& remove_command = *app.add_subcommand("rm", "Erases an array or a group, with everything below it");
  add_path(remove_command, remove.path);
  remove_command.add_flag("-y,--yes", remove.yes,
                          "Does not ask before it erases a whole hierarchy; without a terminal, rm never asks");
  add_sync(remove_command, remove.sync);
  add_threads(remove_command, unused);
  add_links(remove_command, remove.follow_links);

  cli::Move move;
  auto& move_command = *app.add_subcommand("mv", "Moves an array or a group to another path in the same hierarchy");
  add_file(move_command, "SRC", move.source, "The array or group: brain.zarr/t1").required();
  add_file(move_command, "DST", move.destination,
           "Its new path, which must be free; missing groups above it are created")
      .required();
  add_sync(move_command, move.sync);
  add_threads(move_command, unused);
  add_links(move_command, move.follow_links);

  cli::Consolidate consolidate;
  auto& consolidate_command = *app.add_subcommand(
      "consolidate", "Copies all documents below a group into one, so that programs open all nodes with one request");
  add_path(consolidate_command, consolidate.path);
  add_sync(consolidate_command, consolidate.sync);
  add_threads(consolidate_command, unused);
  add_links(consolidate_command, consolidate.follow_links);
  consolidate_command.footer(
      "When tessera changes a node below, it removes the copies again. Other programs may leave stale copies; tessera\n"
      "validate finds copies that differ from their documents.");

  cli::Convert convert;
  auto& convert_command = *app.add_subcommand(
      "convert",
      "Converts an array, or a group and everything below it, to the other Zarr format, without changing chunks");
  add_path(convert_command, convert.path);
  convert_command.add_option("--to", convert.to, "The new format")
      ->type_name("v2|v3")
      ->required()
      ->check(CLI::IsMember({"v2", "v3"}));
  add_sync(convert_command, convert.sync);
  add_threads(convert_command, unused);
  add_links(convert_command, convert.follow_links);
  convert_command.footer(
      "If an array would have to be encoded again, its name is printed and nothing is changed: use tessera copy\n"
      "--zarr-format. If the command is interrupted, all nodes can be read as before; another call completes it.");

  cli::Validate validate;
  validate.threads = processors;
  auto& validate_command =
      *app.add_subcommand("validate", "Decodes every chunk at PATH and below, and reports the keys that fail, and why");
  add_source(validate_command, "PATH", validate.path).required();
  validate_command.add_flag("--json", validate.json, "Prints a JSON object, for programs");
  add_space(validate_command, validate.space);
  add_threads(validate_command, validate.threads);
  add_access(validate_command, validate.access, {&validate.path});
  add_links(validate_command, validate.follow_links);

  cli::Bench bench;
  bench.threads = processors;
  auto& bench_command = *app.add_subcommand(
      "bench", "Measures how fast an array is read, what limits it, and which chunks or shards would help");
  add_source(bench_command, "PATH", bench.path).required();
  bench_command.add_option("--region", bench.region, "The elements to read, as for tessera read; by default all")
      ->type_name("REGION");
  bench_command
      .add_option("--repetitions", bench.repetitions, "How often each figure is measured; the median is shown")
      ->type_name("N")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  bench_command
      .add_option("--memory", bench.memory,
                  "MiB of decoded chunks. From a larger region, the middle is read, but at least one chunk. The stored "
                  "chunks need memory besides")
      ->type_name("MIB")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  bench_command.add_flag("--cold", bench.cold,
                         "Drops the files from the system's cache before they are read, if the system can");
  bench_command.add_flag("--json", bench.json, "Prints a JSON object, for programs");
  add_space(bench_command, bench.space);
  add_threads(bench_command, bench.threads);
  add_access(bench_command, bench.access, {&bench.path});
  add_links(bench_command, bench.follow_links);
  bench_command.footer(cli::advice_help());

  std::string shell;
  auto& completion_command =
      *app.add_subcommand("completion", "Prints a script with which a shell completes the command line");
  completion_command.group("");
  completion_command.add_option("SHELL", shell)->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  auto& man_command = *app.add_subcommand("man", "Prints the man page");
  man_command.group("");

  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& asked) {  // --help, --version
    return app.exit(asked), cli::done;
  } catch (CLI::ExtrasError const& error) {
    bool const is_word = app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-';
    throw cli::UsageError{(is_word ? no_subcommand(app, argv[1]) : problem_of(app, error)) + more};
  } catch (CLI::ParseError const& error) {
    throw cli::UsageError{problem_of(app, error) + more};
  }
  for (auto const& file : plug_ins) tessera::codec::load_plug_in(file);
  if (info_command.parsed()) return run(info);
  if (read_command.parsed()) return run(read);
  if (attrs_command.parsed()) return run(attrs);
  if (write_command.parsed()) return run(write);
  if (copy_command.parsed()) return run(copy);
  if (resize_command.parsed()) return run(resize);
  if (append_command.parsed()) return run(append);
  if (compact_command.parsed()) return run(compact);
  if (remove_command.parsed()) return run(remove);
  if (move_command.parsed()) return run(move);
  if (consolidate_command.parsed()) return run(consolidate);
  if (convert_command.parsed()) return run(convert);
  if (validate_command.parsed()) return run(validate);
  if (show_command.parsed()) return run(show);
  if (view_command.parsed()) return run(view);
  if (list_command.parsed()) return run(list);
  if (tree_command.parsed()) return run(tree);
  if (diff_command.parsed()) return run(diff);
  if (completion_command.parsed()) return cli::write_completion(std::cout, app, shell), cli::done;
  if (man_command.parsed()) return cli::write_man_page(std::cout, app, tessera::version), cli::done;
  if (bench_command.parsed()) return run(bench);
  throw cli::UsageError{"a subcommand is required" + more};
}

// A call that a signal ended reports it as the signal does.
cli::Status run_until_interrupted(int argc, char** argv) try {
  return run(argc, argv);
} catch (tessera::Cancelled const&) {
  cli::Interruption::check();
  throw;
}

}  // namespace

int main(int argc, char** argv) try {
  ::signal(SIGXFSZ, SIG_IGN);  // growing past `ulimit -f` is then an error of write(), which is reported
  auto const status = run_until_interrupted(argc, argv);
  if (!std::cout.flush()) throw std::runtime_error{"cannot write to the standard output"};
  return status;
} catch (cli::UsageError const& error) {
  cli::report(error.what());
  return cli::wrong_usage;
} catch (cli::Interrupted const& interrupted) {
  cli::report(interrupted.what());
  return 128 + interrupted.signal;  // the status that a shell reports for a signal
} catch (std::bad_alloc const&) {
  cli::report("there is not enough memory");
  return cli::wrong_data;
} catch (std::exception const& error) {
  cli::report(error.what());
  return cli::wrong_data;
}
