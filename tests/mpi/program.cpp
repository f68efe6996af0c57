// program TASK FOLDER: what the ranks of an MPI program do with arrays in a folder.
//   arrays    random partitions, held against one process; store calls of each rank that fail
//   nodes     four ranks, two on each of two nodes: how often each chunk is read
//   killed    the last rank is killed during an append
//   opens     one process: the array of `killed` has its old shape and elements
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mpi/any_ranks.hpp>
#include <parallel/random_partition.hpp>
#include <tessera/parallel/checkpoint.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/open.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/tessera.hpp>

namespace test {
namespace {

using namespace tessera;
using Files = LocalStore<HostBuffer>;

// On all ranks, whether it holds on each.
void expect(AnyRanks const& ranks, bool holds, std::string_view what) {
  if (ranks.least(holds ? 1 : 0) == 1) return;
  if (!holds) std::cerr << "rank " << ranks.rank() << ": " << what << '\n';
  throw StoreError{"the test failed"};
}

// A rank's files, which count its calls and may let one of them fail, or end the process.
struct RankStore : WrapperStore<Files> {
  using WrapperStore::WrapperStore;
  using On = Queue<space::Host>;
  std::shared_ptr<long> left = std::make_shared<long>(-1);
  std::shared_ptr<std::uint64_t> chunks_read = std::make_shared<std::uint64_t>(0);
  bool kills = false;

  void call() const {
    if (*left < 0 || (*left)-- != 0) return;
    if (kills) std::raise(SIGKILL);
    throw StoreError{"the line is down"};
  }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> to, On& on) const {
    call();
    if (!key.path.ends_with(".json")) ++*chunks_read;
    return source().read(key, range, to, on);
  }
  void write(Key const& key, ByteView<space::Host> value, On& on) const { call(), source().write(key, value, on); }
};

std::map<std::string, std::string> files_in(std::filesystem::path const& folder) {
  std::map<std::string, std::string> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator{folder})
    if (entry.is_regular_file()) {
      std::ifstream in{entry.path(), std::ios::binary};
      files[entry.path().lexically_relative(folder)] = {std::istreambuf_iterator<char>{in}, {}};
    }
  return files;
}

void check_random(AnyRanks const& ranks, std::string const& folder, std::uint64_t seed) {
  constexpr std::size_t rank = 2;
  Random random{seed};
  Files const store{folder};
  auto const shape = random.extents(rank, 1, 60);
  NewArray<std::uint32_t> wanted{.shape = shape, .chunks = random.extents(rank, 1, 9), .fill = 5, .overwrite = true};
  if (random.one_in(2)) {
    wanted.shards = wanted.chunks;
    for (std::size_t d = 0; d < rank; ++d) wanted.shards[d] *= random(1, 3);
  }
  auto const& stored = wanted.shards.rank() > 0 ? wanted.shards : wanted.chunks;
  auto const partition = random_partition(random, shape, stored, ranks.size());
  auto const name = "a" + std::to_string(seed), alone = name + "_alone";
  auto const array = create_array<std::uint32_t, rank>(ranks, store, name, wanted, {}, Queue<space::Host>{});
  LocalMemory<rank> own{partition, ranks.rank()};
  auto const origin = Extents::filled(rank, 0);
  for_each_element<rank>(partition, origin, ranks.rank(), false,
                         [&](Extents const& index, Extents const& at) { own.view[at] = element_at(index); });
  auto const memory = 4 * sizeof(std::uint32_t) * element_count(stored, "a value") * random(1, 4);
  write_local(ranks, array, partition, own.view, {.memory = memory});

  bool is_same = true;
  if (ranks.rank() == 0) {
    auto const serial = create_array<std::uint32_t, rank>(store, alone, wanted);
    auto whole = serial.read(all);
    for (int other = 0; other < ranks.size(); ++other)
      for_each_element<rank>(partition, origin, other, false,
                             [&](Extents const& index, Extents const&) { whole[index] = element_at(index); });
    serial.write(all, whole);
    is_same = files_in(folder + '/' + name) == files_in(folder + '/' + alone);
  }
  expect(ranks, is_same, "the files are not those of one process");

  LocalMemory<rank> read{partition, ranks.rank()};
  read_local(ranks, array, partition, read.view,
             {.sharing = std::vector{ReadSharing::none, ReadSharing::node, ReadSharing::all}[random(0, 2)]});
  bool is_there = true;
  auto const whole = array.read(all);
  for_each_element<rank>(partition, origin, ranks.rank(), true, [&](Extents const& index, Extents const& at) {
    is_there = is_there && read.view[at] == whole[index];
  });
  expect(ranks, is_there, "other elements were read");
}

std::vector<int> elements_of(Partition const& partition, int rank, int first) {
  return std::vector<int>(element_count(partition.memory_shape(rank), "memory"), first + rank);
}

// False: the call did not fail, because the rank makes fewer.
bool fails(AnyRanks const& ranks, std::string const& folder, int failing, long k) {
  RankStore const store{Files{folder}};
  if (ranks.rank() == failing) *store.left = k;
  auto const partition = Partition::blocks({10, 9}, ranks.size()), more = Partition::blocks({3, 9}, ranks.size());
  std::string error;
  try {
    auto const array = create_array<int, 2>(ranks, store, "failing",
                                            {.shape = {10, 9}, .chunks = {4, 4}, .overwrite = true}, {},
                                            Queue<space::Host>{});
    write_local(ranks, array, partition, elements_of(partition, ranks.rank(), 1));
    append(ranks, array, more, elements_of(more, ranks.rank(), 50));
    auto read = elements_of(partition, ranks.rank(), 0);
    read_local(ranks, array, partition, read, {.sharing = ReadSharing::all});
    expect(ranks, read == elements_of(partition, ranks.rank(), 1), "other elements were read");
  } catch (StoreError const& found) {
    error = found.what();
  }
  *store.left = -1;
  bool const is_named =
      error.empty() || error.find("rank " + std::to_string(failing) + ": the line is down") != error.npos;
  expect(ranks, is_named, error);
  return !error.empty();
}

std::uint64_t sum(AnyRanks const& ranks, std::uint64_t own) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks.size()));
  ranks.gather(std::as_bytes(std::span{&own, 1}), std::as_writable_bytes(std::span{all}));
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

void nodes(AnyRanks const& ranks, std::string const& folder) {
  std::map<int, int> ranks_of;
  for (int rank = 0; rank < ranks.size(); ++rank) ++ranks_of[ranks.node_of(rank)];
  expect(ranks, ranks.size() == 4 && ranks_of.size() == 2 && ranks_of[0] == 2, "the nodes are not two of two ranks");
  RankStore const store{Files{folder}};
  auto const array = create_array<int, 2>(ranks, store, "a", {.shape = {16, 16}, .chunks = {8, 16}}, {},
                                          Queue<space::Host>{});
  auto const partition = Partition::blocks({16, 16}, 4, {.grid = {1, 4}});  // each rank has elements of both chunks
  auto const own = elements_of(partition, ranks.rank(), 1);
  write_local(ranks, array, partition, own);
  std::map<ReadSharing, std::uint64_t> const reads{
      {ReadSharing::none, 8}, {ReadSharing::node, 4}, {ReadSharing::all, 2}};
  for (auto const& [sharing, expected] : reads) {
    *store.chunks_read = 0;
    auto read = elements_of(partition, ranks.rank(), 0);
    read_local(ranks, array, partition, read, {.sharing = sharing});
    expect(ranks, read == own, "other elements were read");
    expect(ranks, sum(ranks, *store.chunks_read) == expected, "chunks were read more or less often");
  }
  for (std::uint64_t seed = 0; seed < 6; ++seed) check_random(ranks, folder, 100 + seed);
}

void killed(AnyRanks const& ranks, std::string const& folder) {
  RankStore store{Files{folder}};
  store.kills = true;
  auto const partition = Partition::blocks({8, 9}, ranks.size());
  auto const array = create_array<int, 2>(ranks, store, "killed", {.shape = {8, 9}, .chunks = {4, 4}}, {},
                                          Queue<space::Host>{});
  write_local(ranks, array, partition, elements_of(partition, ranks.rank(), 1));
  if (ranks.rank() == ranks.size() - 1) *store.left = 1;
  append(ranks, array, partition, elements_of(partition, ranks.rank(), 50));
}

void opens(std::string const& folder) {
  auto const array = open_array<int, 2>(Files{folder}, "killed");
  if (array.shape() != Extents{8, 9}) throw StoreError{"the array has another shape"};
  for (auto element : array.read(all))
    if (element < 1 || element >= 50) throw StoreError{"the array has other elements"};
}

}  // namespace

int run(AnyRanks const& ranks, int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  auto const most = ~std::uint64_t{0};
  expect(ranks, ranks.least(most - static_cast<std::uint64_t>(ranks.rank())) ==
                    most - static_cast<std::uint64_t>(ranks.size() - 1), "another number is the least");
  std::string_view const task{argv[1]};
  std::string const folder{argv[2]};
  if (task == "arrays")
    for (int seed = 0; seed < 24 / ranks.size(); ++seed)
      check_random(ranks, folder, static_cast<std::uint64_t>(seed * 10 + ranks.size()));
  if (task == "arrays")  // several ranks on one processor wait for each other in turn: fewer calls
    for (int failing = ranks.size() - 1; failing >= 0; failing -= std::max(1, ranks.size() - 1))
      for (long k = 0; fails(ranks, folder, failing, k); k += ranks.size() > 3 ? 9 : 2) {
      }
  if (task == "nodes") nodes(ranks, folder);
  if (task == "killed") killed(ranks, folder);
  if (task == "opens") opens(folder);
  return EXIT_SUCCESS;
}

}  // namespace test
