// References: the keys of a references file, as kerchunk writes it in JSON (fsspec's specification, versions 0 and 1),
// and where their values are.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/core/value.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/store/detail/scheme.hpp>
#include <tessera/store/detail/schemes.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A value: bytes of its own, or `size` bytes from `offset` on of a file.
struct Reference {
  std::string bytes{};
  std::optional<std::size_t> file{};  ///< its number; nullopt: `bytes` are the value
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> size{};  ///< nullopt: the whole file
};

/// A file that references name: a key of the store at an address.
struct ReferencedFile {
  std::string folder, key;
};

/// "https://host/a/b?query" as "https://host?query" and "a/b"; "s3://bucket/a/b" as "s3://bucket" and "a/b";
/// "az://account/container/a" as "az://account/container" and "a"; a path as its folder and its name. Throws:
/// StoreError, for an address of no file.
inline ReferencedFile referenced_file(std::string const& address) {
  auto const scheme = scheme_of(address);
  ReferencedFile file;
  if (scheme.empty() || scheme == "file") {
    auto const path = *path_in(address);
    auto const slash = path.rfind('/');
    file = {slash == path.npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1)), path.substr(slash + 1)};
  } else {
    auto const query = is_web(scheme) ? std::min(address.find('?'), address.size()) : address.size();
    auto slash = std::min(address.find('/', scheme.size() + 3), query);
    bool const is_azure = scheme == "az" || scheme == "abfs" || scheme == "abfss";
    if (is_azure && address.find('@') > slash) slash = std::min(address.find('/', slash + 1), query);
    file.folder = address.substr(0, slash) + address.substr(query);
    if (slash < query) file.key = address.substr(slash + 1, query - slash - 1);
    if (is_web(scheme)) file.key = percent_decoded(file.key).value_or(file.key);
  }
  if (!is_key(file.key))
    throw StoreError{to_text({"found ", describe(without_secrets(address)), ", expected the address of a file"})};
  return file;
}

class References {
 public:
  using Values = std::map<std::string, Reference, std::less<>>;

  /// Relative paths of files begin at `folder`, unless it is empty. Throws: MetadataError; StoreError.
  static References parse(std::string_view json, std::string const& folder) {
    References found;
    auto const document = parse_json(json);
    ObjectReader reader{document, ""};
    auto const refs = reader.find("refs");  // version 0 has nothing else
    if (!refs) return found.add_all({document, "the references"}, folder), found;
    if (auto const version = reader.find("version")) (void)version->integer<int>(1, 1);
    if (auto const templates = reader.find("templates")) found.add_templates(*templates);
    if (auto const made = reader.find("gen"); made && !made->list().empty())
      throw MetadataError{"member gen: references that are generated are not supported; write them out with kerchunk"};
    found.add_all(*refs, folder);
    return found;
  }

  /// Adds a value, or replaces one. Throws: MetadataError, if the key is none.
  void add(Key key, Reference value) {
    if (!is_key(key.path)) throw MetadataError{to_text({"found the key ", describe(key.path), ", which is no key"})};
    values_.insert_or_assign(std::move(key.path), std::move(value));
  }
  /// The number of a file; of an address, always the same. Throws: StoreError, for an address of no file.
  std::size_t add_file(ReferencedFile file) { return files_.push_back(std::move(file)), files_.size() - 1; }
  std::size_t number_of(std::string address) {
    auto const [at, is_new] = numbers_.try_emplace(address, files_.size());
    if (is_new) add_file(referenced_file(at->first));
    return at->second;
  }

  Values const& values() const { return values_; }
  std::vector<ReferencedFile> const& files() const { return files_; }

 private:
  void add_templates(MemberValue const& templates) {
    ObjectReader reader{templates};
    for (auto const* member : reader.rest())
      templates_[member->name] = MemberValue{member->value, templates.where() + '.' + member->name}.string();
  }

  void add_all(MemberValue const& refs, std::string const& folder) {
    ObjectReader reader{refs};
    for (auto const* member : reader.rest()) {
      add({member->name}, reference({member->value, refs.where() + '.' + member->name}, folder));
    }
  }

  Reference reference(MemberValue const& found, std::string const& folder) {
    constexpr std::string_view base64 = "base64:";
    if (auto const* text = found.value().get_if<std::string>()) {
      if (!text->starts_with(base64)) return {.bytes = *text};
      auto const bytes = decode_base64(std::string_view{*text}.substr(base64.size()));
      if (!bytes) found.refuse("base64 after \"base64:\"");
      return {.bytes = {reinterpret_cast<char const*>(bytes->data()), bytes->size()}};
    }
    if (found.value().get_if<Members>()) return {.bytes = to_json(found.value())};  // a document that is not quoted
    auto const& list = found.list();
    if (list.size() != 1 && list.size() != 3)  // without the address, which may have a secret
      throw MetadataError{to_text(
          {found.where(), ": found a list of ", list.size(), " items, expected [address] or [address, offset, size]"})};
    Reference one{.file = number_of(found.item(0), folder)};
    if (list.size() == 3) {
      one.offset = found.item(1).integer<std::uint64_t>();
      one.size = found.item(2).integer<std::uint64_t>();
      if (*one.size > ~one.offset)
        throw MetadataError{to_text({found.where(), ": found offset ", one.offset, " and size ", *one.size,
                                     ", expected a sum of 64 bits"})};
    }
    return one;
  }

  std::size_t number_of(MemberValue const& address, std::string const& folder) {
    auto whole = expanded(address);
    bool const is_relative = scheme_of(whole).empty() && !whole.starts_with('/');
    if (is_relative && !folder.empty()) whole.insert(0, folder + '/');
    auto const before = files_.size(), size = whole.size();
    auto const number = number_of(std::move(whole));
    // Short references to long templates would take memory out of proportion.
    constexpr std::size_t most = std::size_t{128} << 20;
    if (files_.size() > before && (address_bytes_ += size) > most)
      throw MetadataError{to_text({address.where(), ": found addresses of more than ", most, " bytes altogether"})};
    return number;
  }

  // Puts a template in place of each "{{name}}".
  std::string expanded(MemberValue const& address) const {
    std::string_view text = address.string();
    std::string result;
    for (auto begin = text.find("{{"); begin != text.npos; begin = text.find("{{")) {
      auto const end = text.find("}}", begin);
      constexpr std::size_t longest = std::size_t{1} << 16;
      if (end == text.npos) break;
      if (result.size() > longest)
        throw MetadataError{to_text({address.where(), ": found an address of more than ", longest, " bytes"})};
      auto const name = trimmed(text.substr(begin + 2, end - begin - 2));
      auto const found = templates_.find(name);
      if (found == templates_.end())  // the rest of the address may be secret
        throw MetadataError{to_text({address.where(), ": found the template ", describe(std::string{name}),
                                     ", which is not given; expressions are not supported"})};
      result.append(text.substr(0, begin)).append(found->second);
      text.remove_prefix(end + 2);
    }
    return result.append(text);
  }
  static std::string_view trimmed(std::string_view name) {
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    return name;
  }

  Values values_;
  std::vector<ReferencedFile> files_;
  std::map<std::string, std::size_t> numbers_;  // of files, by their addresses
  std::size_t address_bytes_ = 0;               // of those in a text
  std::map<std::string, std::string, std::less<>> templates_;
};

}}}  // namespace tessera::v0::detail
