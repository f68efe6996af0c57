// Sites of ordering calls, and which of them are left out, for the mutation test.
#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "log.hpp"
#include "world.hpp"

namespace emulation {
namespace {

constexpr int most_frames = 24;
constexpr std::size_t frames_written = 10;

using Site = std::vector<void*>;

/// The program's first address: sites are written as offsets, which are the same in each run.
char* program() {
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&program), &self);
  return static_cast<char*>(self.dli_fbase);
}

std::vector<Site> read_sites(char const* path) {
  std::vector<Site> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;  // the call's name, for people
    Site site;
    while (words >> word) site.push_back(program() + std::stoull(word, nullptr, 16));
    if (!site.empty()) all.push_back(std::move(site));
  }
  return all;
}

struct Sites {
  bool recorded = false;
  char const* written_to = nullptr;
  std::set<std::pair<std::string, Site>> seen;
  std::vector<Site> left_out;
};

/// The ordering call that is to be left out, by its number.
struct Numbered {
  bool armed = false;
  std::size_t before = 0;  ///< the number of calls before it
  std::string call;
};

Numbered& numbered() {
  static Numbered& only = *new Numbered;
  return only;
}

bool is_its_turn(char const* name) {
  if (!numbered().armed || numbered().before-- != 0) return false;
  numbered() = {.armed = false, .before = 0, .call = name};
  return true;
}

Sites& sites() {
  static Sites& only = *[] {
    auto* const made = new Sites;
    made->written_to = std::getenv("TESSERA_EMULATION_SITES");
    if (char const* const path = std::getenv("TESSERA_EMULATION_LEAVE_OUT")) made->left_out = read_sites(path);
    return made;
  }();
  return only;
}

}  // namespace

bool log::wants_sites() {
  return (sites().recorded && current() != 0) || sites().written_to != nullptr || !sites().left_out.empty();
}

std::vector<void*> log::site_of(void* caller) {
  std::array<void*, most_frames> frames{};
  auto const end = frames.begin() + backtrace(frames.data(), most_frames);
  auto const begin = std::find(frames.begin(), end, caller);
  return begin != end ? Site(begin, end) : Site{caller};
}

bool log::left_out(char const* name, std::vector<void*> const& site) {
  if (sites().written_to != nullptr) {
    sites().seen.emplace(
        name, Site(site.begin(), site.begin() + static_cast<std::ptrdiff_t>(std::min(site.size(), frames_written))));
  }
  if (is_its_turn(name)) return true;
  return std::any_of(sites().left_out.begin(), sites().left_out.end(), [&](Site const& left_out) {
    return left_out.size() <= site.size() && std::equal(left_out.begin(), left_out.end(), site.begin());
  });
}

void log::write_sites() {
  if (sites().written_to == nullptr) return;
  std::ofstream file(sites().written_to);
  for (auto const& [name, site] : sites().seen) {
    file << name << std::hex;
    for (void* const address : site) file << " 0x" << static_cast<char*>(address) - program();
    file << '\n';
  }
}

void record_sites(bool wanted) {
  Held const held;
  sites().recorded = wanted;
}

void leave_out(std::size_t k) {
  Held const held;
  numbered() = {.armed = true, .before = k, .call = {}};
}

void leave_out_nothing() {
  Held const held;
  numbered().armed = false;
}

std::string left_out_call() {
  Held const held;
  return numbered().call;
}

void leave_out_sites(std::span<std::vector<void*> const> left_out) {
  Held const held;
  sites().left_out.assign(left_out.begin(), left_out.end());
}

}  // namespace emulation
