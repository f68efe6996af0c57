#!/usr/bin/env python3
"""The program of docs/c.md prints the page's text, and the declarations in Rust compile, link and open an array.

    page.py PAGE FOLDER LIBRARY COMPILER [RUSTC]

FOLDER is a working folder, LIBRARY the shared library, COMPILER that of C. Without RUSTC, Rust is not run.
"""
import pathlib
import re
import shutil
import subprocess
import sys

page, folder, library, compiler, *rustc = sys.argv[1:]
root, folder, library = pathlib.Path(__file__).resolve().parents[2], pathlib.Path(folder), pathlib.Path(library)
blocks = re.findall(r"^```(\w+)\n(.*?)^```$", pathlib.Path(page).read_text(), re.M | re.S)
texts = {language: text for language, text in blocks}
assert [language for language, _ in blocks] == ["cmake", "c", "text", "rust"], blocks

rust_main = """
fn main() {
    let mut error = Error { status: 0, message: [0; 1020] };
    let mut array = std::ptr::null_mut();
    unsafe {
        let path = |text: &'static [u8]| CStr::from_bytes_with_nul(text).unwrap().as_ptr();
        let folder = path(b"examples/data/brain.zarr\\0");
        assert_eq!(tessera_open_array(folder, path(b"t9\\0"), &mut array, &mut error), 2);
        assert!(CStr::from_ptr(error.message.as_ptr()).to_str().unwrap().contains("t9"));
        assert_eq!((tessera_open_array(folder, path(b"t1\\0"), &mut array, &mut error), error.status), (0, 0));
        tessera_close_array(array);
        println!("{}", CStr::from_ptr(tessera_version()).to_str().unwrap());
    }
}
"""


def run(*command):
    done = subprocess.run(command, cwd=root, text=True, capture_output=True)
    assert done.returncode == 0, f"{command}\nended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
(folder / "main.c").write_text(texts["c"])
run(compiler, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I", root / "include", folder / "main.c", library,
    f"-Wl,-rpath,{library.parent}", "-o", folder / "in_c")
found = run(folder / "in_c")
assert found == texts["text"], f"expected\n{texts['text']}\nfound\n{found}"
print("the program in C prints the page's text")
if not rustc:
    print("NOT RUN: Rust: there is no rustc")
    sys.exit()
(folder / "main.rs").write_text(texts["rust"] + rust_main)
run(rustc[0], "-D", "warnings", "-A", "dead_code", "-L", library.parent, "-C", f"link-arg=-Wl,-rpath,{library.parent}",
    "-o", folder / "in_rust", folder / "main.rs")
print("the declarations in Rust open an array with tessera", run(folder / "in_rust").strip())
