#!/usr/bin/env python3
"""Programs that must not compile: each fails with one error, the one its first line expects; corrected, it compiles.

    run.py [--wrong | --cured] PROGRAM.cpp... -- COMPILER [OPTIONS...]

--wrong: the wrong programs. Several are one unit. Those that its messages name must each have an error of their own;
the others are a unit again, and compiled alone if its messages name none of them, or if an error is missing. --cured:
the corrected ones, as one unit. Without an option nvcc compiles these as one unit, too.
All parts between ` ... ` are in that line, in this order: compilers name types differently. A second line
`// not with nvcc: why` leaves a program out there.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

at = sys.argv.index("--")
only = sys.argv[1] if sys.argv[1] in ("--wrong", "--cured") else None
programs, command = [pathlib.Path(path) for path in sys.argv[1 + bool(only) : at]], sys.argv[at + 1 :]
is_nvcc = pathlib.Path(command[0]).name == "nvcc"
if is_nvcc:
    programs = [program for program in programs if "// not with nvcc: " not in program.read_text()]
    command += ["-x", "cu", "-c", "-o", "/dev/null", "-Werror", "all-warnings"]
else:
    command += ["-fsyntax-only", "-Werror=unused-result"]
    if "clang" in command[0]:
        command.append("-ferror-limit=0")


def compile(program, *options):
    done = subprocess.run([*command, *options, program], text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def expected_of(program):
    first = program.read_text().splitlines()[0]
    expected = first.removeprefix("// expect: ")
    assert expected != first and expected.startswith(("tessera: ", "the_list_lacks<")), f"{program} expects nothing"
    return expected


def find(program, line):
    return re.search(".*".join(map(re.escape, expected_of(program).split(" ... "))) + ".*", line)


def errors_in(output):
    return [line for line in output.splitlines() if re.search(r"\berror( #[\w-]+)?: ", line)]


def report(program, found):
    print(f"{program.stem}: {found[0]}", flush=True)


def refuse(program):
    status, output = compile(program)
    errors = errors_in(output)
    if status == 0:
        return f"{program}: the wrong program compiles"
    found = len(errors) == 1 and find(program, errors[0])
    if not found:
        return f"{program}: expected one error with\n  {expected_of(program)}\nfound {len(errors)}:\n{output}"
    report(program, found)


def refuse_together(programs):
    """Compiles the programs as one unit; returns those that are still to be compiled.

    Messages do not name a program that causes no error there: it is correct, shares its error with another, or is cured
    by another's header. clang++ does not name some that do, either. nvcc leaves some errors to the host's compiler,
    which it runs if it has found none itself. Errors must be those of named programs, each its own, or be expected of
    one that is not named.
    """
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder, "wrong.cpp")
        unit.write_text(together(programs))
        _, output = compile(unit)
    errors = errors_in(output)
    named = [program for program in programs if re.search(rf"\b{program.stem}(\.cpp\b|::)", output)]
    others = [program for program in programs if program not in named]
    owner = {}  # of each error

    def give(program, seen):  # an error, if need be by another error for the program that had it
        for at in range(len(errors)):
            if at not in seen and find(program, errors[at]):
                seen.add(at)
                if at not in owner or give(owner[at], seen):
                    owner[at] = program
                    return True
        return False

    if not all(give(program, set()) for program in named):
        return programs
    left = [error for at, error in enumerate(errors) if at not in owner]
    if not all(any(find(program, error) for program in others) for error in left):
        return programs
    for at, program in owner.items():
        report(program, find(program, errors[at]))
    return others


def accept(program, name):
    status, output = compile(program, "-DCURED")
    if status != 0:
        return f"{name}: the cured program does not compile:\n{output}"


def together(programs):
    """The programs as one: their first includes, then each in a namespace of its own."""
    texts = [program.read_text() for program in programs]
    includes = sorted({line for text in texts for line in re.findall(r"^#include .*", text, re.M)})
    parts = [f'namespace {program.stem} {{\n#include "{program.resolve()}"\n}}\n' for program in programs]
    return "\n".join(includes) + "\n" + "".join(parts)


problems = []
if only != "--cured":
    alone, before = programs, []
    while only == "--wrong" and 1 < len(alone) != len(before):
        alone, before = refuse_together(alone), alone
    problems += [refuse(program) for program in alone]
if only == "--cured" or (only is None and is_nvcc):
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder, "cured.cpp")
        unit.write_text(together(programs))
        problems.append(accept(unit, ", ".join(program.stem for program in programs)))
elif only is None:
    problems += [accept(program, program) for program in programs]
if any(problems):
    sys.exit("\n".join(filter(None, problems)))
