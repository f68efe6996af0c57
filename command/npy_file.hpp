// A .npy file whose elements are read in place (numpy.lib.format, versions 1 to 3).
#pragma once
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/numpy_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>
#include <tessera/place/detail/place_runs.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/view/array_view.hpp>

#include "mapped_file.hpp"
#include "spooled_input.hpp"

namespace cli {

/// The fields of the header.
struct NpyHeader {
  tessera::DataType type;
  std::endian order = std::endian::native;
  bool fortran_order = false;
  tessera::Extents shape;
  std::size_t size = 0;                  ///< bytes before the elements
  std::vector<tessera::Field> fields{};  ///< of a structured type
};

namespace detail {

// The dict that Python's repr writes, and no other Python.
class NpyHeaderText {
 public:
  explicit NpyHeaderText(std::string_view text) : rest_{text} {}

  NpyHeader read() {
    NpyHeader header;
    bool has_type = false, has_order = false, has_shape = false;
    auto const once = [](bool& seen, std::string const& name) {
      if (std::exchange(seen, true)) refuse("'" + name + "' is there twice");
    };
    expect('{');
    while (!accept('}')) {
      auto const name = quoted("a name in quotes or }");
      expect(':');
      if (name == "descr") {
        once(has_type, name);
        read_type(header);
      } else if (name == "fortran_order") {
        once(has_order, name);
        header.fortran_order = boolean();
      } else if (name == "shape") {
        once(has_shape, name);
        header.shape = shape();
      } else {
        refuse("found '" + name.substr(0, 60) + "', expected 'descr', 'fortran_order' and 'shape'");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) refuse("there is something after }");
    if (!has_type || !has_order || !has_shape) refuse("'descr', 'fortran_order' and 'shape' are not all there");
    return header;
  }

 private:
  [[noreturn]] static void refuse(std::string const& problem) { throw tessera::StoreError{"the header: " + problem}; }
  [[noreturn]] void refuse_rest(std::string const& expected) const {
    refuse("found " + (rest_.empty() ? "its end" : tessera::describe(std::string{rest_.substr(0, 20)})) +
           ", expected " + expected);
  }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse_rest(std::string{c});
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string quoted(char const* expected) {
    skip_space();
    auto const quote = rest_.substr(0, 1);
    if (quote != "'" && quote != "\"") refuse_rest(expected);
    auto const end = rest_.find(quote[0], 1);
    if (end == rest_.npos) refuse("a quote is not closed");
    std::string text{rest_.substr(1, end - 1)};
    if (text.find('\\') != text.npos) refuse_rest("text without \\");
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) refuse_rest("True or False");
    return false;
  }
  tessera::Extents shape() {
    tessera::Extents result;
    expect('(');
    while (!accept(')')) {
      std::uint64_t n = 0;
      auto const* end = rest_.data() + rest_.size();
      auto const [stop, error] = std::from_chars(rest_.data(), end, n);
      if (error != std::errc{} || n > std::uint64_t{1} << 62) refuse_rest("a number from 0 to 2^62 or )");
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      if (rest_.starts_with('L')) rest_.remove_prefix(1);  // a long of Python 2
      if (result.rank() == tessera::max_rank) refuse("more than " + std::to_string(tessera::max_rank) + " dimensions");
      result.push_back(n);
      if (accept(',')) continue;
      if (result.rank() == 1) refuse_rest(",");  // (3) is a number
      expect(')');
      break;
    }
    return result;
  }

  // A string, or a list of tuples of a name and a type, or of a name, a type and a shape.
  tessera::Value described(int depth) {
    if (depth > 32) refuse("types are nested too deeply");
    auto const is_tuple = rest_.starts_with('(');
    if (!is_tuple && !accept('[')) {
      auto text = quoted("a data type in quotes");
      if (text.starts_with('=')) text[0] = std::endian::native == std::endian::little ? '<' : '>';
      return text;
    }
    if (is_tuple) expect('(');
    char const end = is_tuple ? ')' : ']';
    tessera::List list;
    for (skip_space(); !accept(end); skip_space()) {
      if (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') refuse("a field that is an array is not supported");
      list.push_back(described(depth + 1));
      skip_space();
      if (accept(',')) continue;
      expect(end);
      break;
    }
    return list;
  }
  void read_type(NpyHeader& header) {
    skip_space();
    auto const start = rest_;
    auto const found = described(0);
    auto text = start.substr(0, start.size() - rest_.size());
    if (text.size() > 1 && found.get_if<std::string>()) text = text.substr(1, text.size() - 2);
    auto const unknown = [&](std::string const& why) {
      refuse("data type '" + std::string{text.substr(0, 60)} +
             "' is not known; known are b1, i1 to i8, u1 to u8, f2, f4, f8, c8, c16, M8, m8, U, S and V1 to V1048576, "
             "after <, > or |, and lists of fields" +
             why);
    };
    if (auto const* const name = found.get_if<std::string>();
        name && (name->size() < 3 || std::string_view{"<>|"}.find((*name)[0]) == std::string_view::npos))
      unknown("");
    try {
      auto type = tessera::detail::read_numpy_type({found, "descr"});
      header.type = type.type;
      header.fields = std::move(type.fields);
      if (type.type.component() > 1) header.order = type.is_big ? std::endian::big : std::endian::little;
    } catch (tessera::MetadataError const& error) {
      unknown(found.get_if<std::string>() ? "" : text_of(error));
    }
  }
  static std::string text_of(tessera::MetadataError const& error) { return std::string{": "} + error.what(); }

  std::string_view rest_;
};

}  // namespace detail

/// Reads the header at the start of a file's bytes. Throws: StoreError.
inline NpyHeader read_npy_header(std::string_view file) {
  auto const byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(file[i])); };
  if (!file.starts_with("\x93NUMPY")) throw tessera::StoreError{"not a .npy file: it does not begin as one"};
  if (file.size() < 12) throw tessera::StoreError{"the header is cut short"};
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0)
    throw tessera::StoreError{
        tessera::to_text({"format version ", byte(6), ".", byte(7), " is not known; known are 1.0, 2.0 and 3.0"})};
  std::size_t const start = byte(6) == 1 ? 10 : 12;
  auto const length = byte(6) == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > file.size() - start)
    throw tessera::StoreError{
        tessera::to_text({"the header is cut short: found ", file.size() - start, " of ", length, " bytes"})};
  if (constexpr std::size_t most = 1 << 16; length > most)
    throw tessera::StoreError{tessera::to_text({"a header of ", length, " bytes; at most ", most, " are read"})};
  auto header = detail::NpyHeaderText{file.substr(start, length)}.read();
  header.size = start + length;
  return header;
}

/// The file and its header, checked against its size.
class NpyFile {
 public:
  /// "-" is the standard input. Throws: StoreError naming the file.
  explicit NpyFile(std::string const& path)
      : path_{path == "-" ? SpooledInput::name : path},
        input_{path == "-" ? std::make_unique<SpooledInput>() : nullptr},
        file_{input_ ? input_->path() : path, path_},
        header_{header_of(file_, path_)} {}

  NpyHeader const& header() const { return header_; }
  std::byte const* elements() const { return file_.data() + header_.size; }
  /// Bytes between neighbours.
  tessera::Strides strides() const {
    auto strides = tessera::Layout::c_order(header_.shape, header_.type.size).strides;
    std::uint64_t stride = header_.type.size;
    for (std::size_t d = 0; header_.fortran_order && d < strides.rank(); stride *= header_.shape[d++])
      strides[d] = static_cast<std::int64_t>(stride);
    return strides;
  }
  void let_go() const { file_.let_go(); }
  /// Runs f, which reads the elements. Throws: StoreError naming the file, if it changed meanwhile; exceptions of f,
  /// naming the file if they name no store.
  template <class F>
  void with_elements(F&& f) const {
    try {
      f();
    } catch (tessera::Error& error) {
      file_.expect_unchanged();  // otherwise that is why
      error.in_store(path_);
      throw;
    }
    file_.expect_unchanged();
  }
  bool is_swapped() const { return header_.order != std::endian::native && header_.type.component() > 1; }
  /// Copies elements of that shape that begin at `from` to `to`, one after the other and in the machine's byte order.
  void place(std::byte const* from, tessera::Extents const& shape, std::byte* to,
             tessera::Queue<tessera::space::Host>& on) const {
    using Host = tessera::space::Host;
    auto const size = header_.type.size;
    auto const runs = tessera::detail::components_of(header_.fields);
    std::vector<tessera::Placement<Host>> all_of_it{{from, to, shape}};
    auto const swapped = is_swapped() ? header_.type.component() : 1;
    tessera::PlacementForm form{size, swapped, {}, strides(), tessera::Layout::c_order(shape, size).strides};
    if (is_swapped() && runs.size() > 1) form.runs = runs;
    for (tessera::detail::PlacedRuns run{all_of_it, form}; run.next();)
      tessera::placer<Host>::place(all_of_it, run.form(), on);
  }

 private:
  static NpyHeader header_of(MappedFile const& file, std::string const& path) try {
    auto header = read_npy_header({reinterpret_cast<char const*>(file.data()), file.size()});
    auto const size = tessera::checked_size(
        tessera::checked_product(tessera::element_count(header.shape, "the shape"), header.type.size, "the shape"),
        "the shape");
    if (auto const found = file.size() - header.size; found != size)
      throw tessera::StoreError{tessera::to_text({"found ", found, " bytes of elements, expected ", size})};
    return header;
  } catch (tessera::Error& error) {
    error.in_store(path);
    throw;
  }

  std::string path_;  // its name
  std::unique_ptr<SpooledInput> input_;
  MappedFile file_;
  NpyHeader header_;
};

}  // namespace cli
