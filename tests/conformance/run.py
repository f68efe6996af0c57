"""Which test checks which statement.

    run.py [--write] STATEMENTS GOLDEN DOCUMENT PROGRAM...

Lists the test cases of every test program, collects the ids in the parentheses at the end of their names, and compares
them with STATEMENTS. Fails, if a statement in scope has no test, if a test names an unknown id, or if DOCUMENT differs
from the result; --write writes it. Statements out of scope are printed with their reason, and counted.
"""
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict


def ids_in(text):
    """The ids of a list: 'META-09, META-12', 'META-13, 14', 'CODEC-BLOSC-01..05'."""
    stem = ""
    for part in (part.strip() for part in text.split(",")):
        match = re.fullmatch(r"(?:([A-Z][A-Z0-9-]*)-)?([A-Z0-9]+)(?:\.\.(\d+))?", part)
        if not match or not (match[1] or stem):
            raise SystemExit(f"not an id: {part!r} in {text!r}")
        stem = match[1] or stem
        numbers = [match[2]]
        if match[3]:
            numbers = [f"{n:0{len(match[2])}}" for n in range(int(match[2]), int(match[3]) + 1)]
        yield from (f"{stem}-{number}" for number in numbers)


def read_statements(path):
    """[(section, id, scope, summary)], in the file's order."""
    statements, section = [], ""
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if line.startswith("= "):
            section = line[2:]
        elif line and not line.startswith("#"):
            ids, scope, summary = (field.strip() for field in line.split(" | "))
            if scope != "in" and not re.match(r"(later|not): .", scope):
                raise SystemExit(f"no scope: {line}")
            statements += [(section, one, scope, summary) for one in ids_in(ids)]
    return statements


def tests_of(program):
    """[(name of the program, name of the test case)]"""
    listing = subprocess.run([program, "--list-test-cases", "--no-version", "--no-colors"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    name = os.path.basename(program).removeprefix("test-")
    lines = [line for line in listing.splitlines() if line and not line.startswith(("[doctest]", "====="))]
    return [(name, line) for line in lines]


def document_of(statements, shown):
    text = ["# Conformance", "",
            "What the documents of Zarr ask for, statement by statement, and the tests that show it: the name before the",
            "colon is the test program's. The test `conformance` makes this page from `tests/conformance/statements.txt`",
            "and the tests' own names, and fails when it is not up to date. `G-..` are golden cases: bytes and values that",
            "other programs agree on."]
    section = None
    for heading, one, scope, summary in statements:
        if scope != "in":
            continue
        if heading != section:
            section = heading
            text += ["", f"## {section}", "", "| statement | | shown by |", "|---|---|---|"]
        tests = "<br>".join(f"{program}: {name}" for program, name in sorted(shown[one]))
        text.append(f"| {one} | {summary} | {tests.replace('|', '&#124;')} |")
    text += ["", "## Out of scope", "", "| statements | why |", "|---|---|"]
    for scope, ids in grouped(statements).items():
        text.append(f"| {', '.join(ids)} | {scope} |")
    count = Counter("in" if scope == "in" else "out" for _, one, scope, _ in statements)
    text += ["", f"{count['in']} in scope, {count['out']} out of scope.", ""]
    return "\n".join(text)


def grouped(statements):
    groups = defaultdict(list)
    for _, one, scope, _ in statements:
        if scope != "in":
            groups[scope].append(one)
    return groups


def main(arguments):
    write = arguments[:1] == ["--write"]
    statements_path, golden_path, document_path, *programs = arguments[write:]
    statements = read_statements(statements_path)
    known = [one for _, one, _, _ in statements]
    problems = [f"{one} is there {n} times" for one, n in Counter(known).items() if n > 1]
    golden = {case["id"] for case in json.load(open(golden_path, encoding="utf-8"))}
    problems += [f"{one} is no golden case, or not among the statements"
                 for one in golden ^ {one for one in known if one.startswith("G-")}]

    shown = defaultdict(set)
    for program in programs:
        for test in tests_of(program):
            ids = re.search(r"\(([A-Z][A-Z0-9]*-[^()]*)\)(<.*>)?$", test[1])
            for one in ids_in(ids[1]) if ids else ():
                shown[one].add((test[0], test[1][:ids.start()].strip()))
    problems += [f"a test names {one}, which is not among the statements" for one in sorted(set(shown) - set(known))]
    problems += [f"{one} is in scope and no test shows it: {summary}"
                 for _, one, scope, summary in statements if scope == "in" and one not in shown]

    for scope, ids in grouped(statements).items():
        print(f"{len(ids)} {scope}: {', '.join(ids)}")
    document = document_of(statements, shown)
    if write:
        open(document_path, "w", encoding="utf-8").write(document)
    elif not os.path.exists(document_path) or open(document_path, encoding="utf-8").read() != document:
        problems.append(f"{document_path} is not up to date: run the target conformance-page")
    print(f"{len(statements)} statements and golden cases, {len(shown)} of them with tests")
    for problem in problems:
        print(problem)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
