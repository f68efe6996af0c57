#!/usr/bin/env python3
"""public_names.py --check finds the names and members without a contract, and accepts those that its rules cover.

Among them are those of a header in detail/ that another one exports."""
import pathlib
import subprocess
import sys
import tempfile

header = """// Things of a test.
namespace tessera { inline namespace v0 {

/// Has a `named` member.
class Shape {
 public:
  using value_type = int;
  Shape() = default;
  explicit Shape(int rank);
  Shape(Shape const& other) : rank_{other.rank_} {}
  ~Shape();
  Shape& operator=(Shape const&) = delete;
  friend bool operator==(Shape const&, Shape const&) = default;
  int const* begin() const;

  int named() const;
  int rank() const { return rank_; }  ///< dimensions
  int rank(int) const;
  int bare() const { return 0; }  // missing

  /// Read and write one chunk.
  void read_chunk();
  void write_chunk();
  void erase_chunk();  // missing

  explicit operator int() const;  // missing

 private:
  int hidden() const;
  int rank_ = 0;
};

/// Units.
enum class Unit {
  generic,  // missing
  /// Counts of these.
  day,
  hour,

  none,  // missing
};

struct FreeOptions {  // missing
  /// In bytes.
  int size = 0;
  int count = 0;  // missing
};

namespace detail {
struct Inner {
  int member = 0;
};
}  // namespace detail
}}  // namespace tessera::v0
"""
expected = {number for number, line in enumerate(header.splitlines(), 1) if "// missing" in line}

with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder, "include/tessera/core")
    place.mkdir(parents=True)
    (place / "shape.hpp").write_text(header)
    script = pathlib.Path(__file__).with_name("public_names.py")
    done = subprocess.run([sys.executable, script, "--check", folder], text=True, capture_output=True)
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if "has no contract" in line}
    (place / "detail").mkdir()
    (place / "detail/unit.hpp").write_text("// Units.\nnamespace tessera {\nint unit();\n}\n")
    (place / "shape.hpp").write_text("// A test.\n#include <tessera/core/detail/unit.hpp>\n")
    apart = subprocess.run([sys.executable, script, "--check", folder], text=True, capture_output=True)
    (place / "shape.hpp").write_text("// A test.\n#include <tessera/core/detail/unit.hpp>  // IWYU pragma: export\n")
    exported = subprocess.run([sys.executable, script, "--check", folder], text=True, capture_output=True)
    (place / "shape.hpp").write_text("// shape: a test.\nnamespace tessera {\nint shape();\n}\n")
    clean = subprocess.run([sys.executable, script, "--check", folder], text=True, capture_output=True)

if done.returncode != 1 or found != expected or clean.returncode != 0:
    sys.exit(f"expected lines {sorted(expected)}, found {sorted(found)}:\n{done.stdout}{done.stderr}{clean.stdout}")
if apart.returncode != 0 or "detail/unit.hpp:3: function unit has no contract" not in exported.stdout:
    sys.exit(f"expected the names of a header in detail/ if it is exported:\n{apart.stdout}{exported.stdout}")
print(f"{len(found)} names and members without a contract are found")
