#!/usr/bin/env python3
"""Whether each piece of code in the last column of a page's tables is in a source, which is compiled.

    tables.py PAGE.md SOURCE.cpp

White space counts as one space, and `...` on the page stands for any text of the source.
"""
import pathlib
import re
import sys

page, source = (pathlib.Path(path).read_text() for path in sys.argv[1:3])


def one_line(text):
    return re.sub(r"\s+", " ", text)


cells = [re.split(r"(?<!\\)\|", line)[-2] for line in page.splitlines() if re.match(r"\|(?!-)", line)]
pieces = [piece for cell in cells for piece in re.findall(r"`([^`]+)`", cell)]
code = one_line(source)
lacking = [piece for piece in pieces
           if not re.search(re.escape(one_line(piece)).replace(re.escape("..."), ".*?"), code)]
if not pieces or lacking:
    sys.exit(f"{sys.argv[2]} lacks {len(lacking)} of {len(pieces)} pieces of {sys.argv[1]}:\n" + "\n".join(lacking))
print(f"{len(pieces)} pieces of code of the tables are compiled")
