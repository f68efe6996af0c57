#!/usr/bin/env python3
"""Compares the emulation's <cuda_runtime_api.h> with the one of an installed toolkit.

    real_header.py HEADER FOLDER COMPILER TOOLKIT_INCLUDE

A program that includes HEADER writes its declarations as static_assert's: the type of each function, the value of each
enumerator and constant, the members of each structure and their offsets. They are then compiled with the toolkit's
header. Ends with 77, which CTest treats as "skipped", without a toolkit of that version.
"""
import pathlib
import re
import subprocess
import sys

header, folder, compiler, toolkit = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:5]
if not (pathlib.Path(toolkit) / "cuda_runtime_api.h").exists():
    print("not run: there is no CUDA toolkit whose header the emulation's could be held to")
    sys.exit(77)


def version(of):
    return int(re.search(r"^#define CUDART_VERSION\s+(\d+)", of.read_text(), re.M)[1])


ours, theirs = version(header) // 1000, version(pathlib.Path(toolkit) / "cuda_runtime_api.h") // 1000
if ours != theirs:
    print(f"not run: the emulation's header is of CUDA {ours}, the toolkit's of {theirs}")
    sys.exit(77)

code = re.sub(r"//.*", "", header.read_text())
functions = re.findall(r"^(?:cudaError_t|char const\*) (cuda\w+)\(", code, re.M)
enums = {name: re.findall(r"(cuda\w+) =", body) for name, body in re.findall(r"^enum (\w+) \{(.*?)\};", code, re.M | re.S)}
macros = re.findall(r"^#define (cuda\w+) (\S.*)", code, re.M)
addresses = [name for name, text in macros if "cudaStream_t" in text]
constants = [name for name, text in macros if name not in addresses]
structures = {name: re.findall(r"(\w+)(?:\[\d+\])?;", body) for name, body in re.findall(r"^struct (\w+) \{(.*?)\};", code, re.M | re.S)}
handles = re.findall(r"^using (cuda\w+) =", code, re.M)
assert all([functions, enums, addresses, constants, structures, handles]), "the header is not written as it was"

lister = rf"""#include <cuda_runtime_api.h>
#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

template <class T>
std::string type() {{
  std::string const name = __PRETTY_FUNCTION__;
  auto const begin = name.find("T = ") + 4;
  return name.substr(begin, name.find_first_of(";]", begin) - begin);
}}
template <class T>
void same(char const* what) {{
  std::printf("static_assert(std::is_same_v<%s, %s>);\n", what, type<T>().c_str());
}}
void equal(char const* what, unsigned long long value) {{
  std::printf("static_assert(%s == %lluull);\n", what, value);
}}
#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)
void written(char const* what, char const* as) {{
  std::printf("static_assert(std::string_view{{TEXT(%s)}} == \"%s\");\n", what, as);
}}

int main() {{
{"".join(f'  same<decltype(&{name})>("decltype(&{name})");' + chr(10) for name in functions)}
{"".join(f'  same<{name}>("{name}");' + chr(10) for name in handles)}
{"".join(f'  equal("{name}", (unsigned long long){name});' + chr(10) for names in [*enums.values(), constants] for name in names)}
{"".join(f'  written("{name}", TEXT({name}));' + chr(10) for name in addresses)}
{"".join(f'  same<std::underlying_type_t<{name}>>("std::underlying_type_t<{name}>");' + chr(10) for name in enums)}
{"".join(f'  equal("sizeof({name})", sizeof({name}));' + chr(10) for name in structures)}
{"".join(f'  equal("offsetof({name}, {member})", offsetof({name}, {member}));' + chr(10) for name in structures for member in structures[name])}
}}
"""
head = """#include <cuda_runtime_api.h>
#include <cstddef>
#include <string_view>
#include <type_traits>
#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)
"""


def run(*command):
    done = subprocess.run(command, text=True, capture_output=True, cwd=folder)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


folder.mkdir(parents=True, exist_ok=True)
(folder / "lister.cpp").write_text(lister)
run(compiler, "-std=c++20", "-I", str(header.parent), "lister.cpp", "-o", "lister")
asserts = run("./lister")
(folder / "held.cpp").write_text(head + asserts)
run(compiler, "-std=c++20", "-I", toolkit, "-fsyntax-only", "held.cpp")
print(f"{asserts.count('static_assert')} facts of {header.name} are the toolkit's too")
