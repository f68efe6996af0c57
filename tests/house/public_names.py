#!/usr/bin/env python3
"""Lists the public names of the headers, with where each is declared and the first sentence of its contract.

    public_names.py [--members] [--messages] [--json] [--check] [PROJECT]

Without an option: the names of namespace tessera, then every option struct with its members and their defaults.
--members adds the public members of classes, and the enumerators. --messages lists the texts of static_asserts and of
errors instead. --json prints the names and the members, for site/reference.py. --check lists the names and members that
have no contract, and fails if there are any.

A contract is a `///` comment above a declaration, or a `///<` comment behind it. A name without one takes that of the
overload before it in the same header. The first line of a header, `// Name: ...` or `// a, b: ...`, is the contract of
these names if the header declares no others.

Names of a header in detail/ are public if another header includes it with `// IWYU pragma: export`: programs get them
from that header, or the first of several.

A member without a contract takes, in this order,
- that of the overload before it;
- that of the lines above it, without an empty one between: data and enumerators take the `///` comment at their head,
  functions one that has the first word of their name, as "Read and write one chunk" above write_chunk;
- that of its class, if it has the member's name as a word;
- in a codec, store or buffer: that of this member in the page about them, their concept, or another such class;
- as a constructor: that of its class.
None is needed by what means the same in every class: a type alias, a using declaration, a destructor, a default, copy
or move constructor, an assignment, what is defaulted or deleted, a comparison, an operator of arithmetic, `<<`, `*`,
`->`, begin and end. Members of option structs take none: each has its own.
"""
import argparse
import bisect
import json
import pathlib
import re
import sys
from dataclasses import dataclass, field

option_names = {"NewArray", "Conversion", "CacheBudget"}  # and names that end in Options
left_out = {"src.hpp", "src.cuh"}  # the compiled library

lexemes = re.compile(
    r"""(?P<space>[ \t\r\n]+|\\\n)
    |(?P<directive>(?m:^)[ \t]*\#(?:\\\n|//[^\n]*|[^\n])*)
    |(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<text>(?:u8|[uUL])?R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    |(?P<letter>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
    |(?P<number>\.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>\.\.\.|<=>|->\*?|::|\[\[|&&|\|\||\+\+|--|[<=!+\-*/%&|^]=|<<=?|.)""",
    re.X | re.S)
# Members that mean the same in every class.
common_members = {"begin", "end", *("operator" + one for one in (
    "=", "==", "!=", "<", ">", "<=", ">=", "<=>", "<<", "+", "-", "*", "/", "+=", "-=", "*=", "/=", "++", "--", "->"))}
# Kinds of types whose members have contracts in one place: the types, the page about them, and the concept.
kinds = [
    (r"(codec|nvcomp)::\w+$", ["docs/own-codec.md", "include/tessera/codec/concept.hpp",
                               "include/tessera/codec/detail/elementwise.hpp"]),
    (r"(\w+::)*\w+Store$", ["docs/own-store.md"]),
    (r"(\w+::)*\w+Buffer$", ["include/tessera/buffer/concept.hpp"]),
]
opening, closing = {"(": ")", "[": "]", "{": "}", "[[": "]"}, {")", "]", "}"}
specifiers = {"inline", "constexpr", "consteval", "constinit", "static", "explicit", "virtual", "extern", "friend",
              "mutable", "typename", "thread_local", "TESSERA_DECL", "TESSERA_HOST_DEVICE", "__host__", "__device__",
              "__global__", "__forceinline__"}


@dataclass
class Token:
    kind: str
    text: str
    line: int


@dataclass
class Declared:
    name: str  # without "tessera::"
    kind: str
    file: str
    line: int
    contract: str
    scope: str
    default: str = ""
    group: str = ""  # a member's: the comment at the head of its lines
    needs_none: bool = False
    first: int = 0  # line of the declaration, which the name may follow
    header: str = ""  # which programs include


@dataclass
class Header:
    path: str
    tokens: list
    above: dict = field(default_factory=dict)  # line that follows a `///` comment: its text
    behind: dict = field(default_factory=dict)  # line of a `///<` comment: its text
    deprecated: dict = field(default_factory=dict)  # line of a deprecated name's body or end: its text, the new name
    subject: str = ""


def joined_lines(lines):
    """The sentences of a comment. Code, which is indented, and an empty line end a paragraph."""
    text = ""
    for line in lines:
        text += ("" if not text else " " if line.strip() and not line.startswith("   ") else "\n") + line.strip()
    return text


def lex(path, text):
    starts = [0, *(one.end() for one in re.finditer("\n", text))]
    header = Header(path, [])
    first, run, last, renamed = "", [], -1, None
    for lexeme in lexemes.finditer(text):
        kind, found, line = lexeme.lastgroup, lexeme[0], bisect.bisect(starts, lexeme.start())
        if kind == "end":  # a raw text's
            kind = "text"
        if kind == "comment":
            if found.startswith("///<"):
                header.behind[line] = found[4:].strip()
            elif found.startswith("///"):
                run = run + [found[3:]] if line == last + 1 else [found[3:]]
                last = line
                header.above[line + 1] = joined_lines(run)
            elif not header.tokens and line == first.count("\n") + 1 and found.startswith("//"):
                first += found[2:] + "\n"
        elif kind not in ("space", "directive"):
            header.tokens.append(Token(kind, found, line))
            if found == "deprecated":
                renamed = re.match(r'\s*\(\s*"(.*?)"', text[lexeme.end():])
            elif found in ("{", ";") and renamed:
                header.deprecated[line], renamed = renamed[1], None
    header.subject = " ".join(first.split())
    return header


class Parser:
    """Reads the declarations of one header."""

    def __init__(self, header):
        self.header, self.tokens, self.at = header, header.tokens, 0
        self.found, self.members = [], []
        self.group, self.group_end = "", 0  # of members: the comment at the head of these lines, and the last line

    def text(self, ahead=0):
        place = self.at + ahead
        return self.tokens[place].text if place < len(self.tokens) else ""

    def skip_brackets(self):
        """From an opening bracket to behind its closing one."""
        depth = 0
        while True:
            text = self.text()
            assert text, f"{self.header.path}: a bracket is not closed"
            depth += 2 if text == "[[" else text in opening
            depth -= text in closing
            self.at += 1
            if depth == 0:
                return

    def skip_angles(self):
        """From `<` to behind its `>`. False, and nothing is skipped, where it is no bracket."""
        start, depth = self.at, 0
        while text := self.text():
            if text in opening:
                self.skip_brackets()
                continue
            if text in closing or text == ";":
                break
            depth += text == "<"
            depth -= text == ">"
            self.at += 1
            if depth == 0:
                return True
        self.at = start
        return False

    def skip_to(self, ends):
        while self.text() and self.text() not in ends:
            if self.text() in opening:
                self.skip_brackets()
            elif self.text() == "<" and self.tokens[self.at - 1].kind == "name" and self.skip_angles():
                pass
            else:
                self.at += 1

    def skip_requires(self):
        self.at += 1
        while True:
            while self.text() == "!":
                self.at += 1
            if self.text() == "requires":
                self.at += 1
                if self.text() == "(":
                    self.skip_brackets()
                self.skip_brackets()
            elif self.text() == "(":
                self.skip_brackets()
            else:
                while self.tokens[self.at].kind == "name" or self.text() == "::":
                    self.at += 1
                    if self.text() == "<":
                        self.skip_angles()
                    if self.text() != "::" and self.text(-1) != "::":
                        break
            if self.text() not in ("&&", "||"):
                return
            self.at += 1

    def contract(self, first, last):
        """Of a declaration on these lines. A comment behind it may go on in the lines below."""
        if first in self.header.above:
            return self.header.above[first]
        behind = []
        for line in range(first, last + 1):
            if line in self.header.behind:
                behind.append(self.header.behind[line])
        return " ".join(behind) or self.header.deprecated.get(last, "")

    def add(self, name, kind, first, scope, members, default=""):
        last = self.tokens[min(self.at, len(self.tokens)) - 1].line
        if kind in ("function", "class", "enum", "concept"):  # comments in a body are not its own
            last = self.body_line
        one = Declared(f"{scope}::{name}" if scope else name, kind, self.header.path, first,
                       self.contract(self.first_line, last), scope, default, first=self.first_line)
        if members:
            if self.first_line in self.header.above:
                self.group = self.header.above[self.first_line]
            elif self.first_line > self.group_end + 1:
                self.group = ""
            self.group_end = self.tokens[min(self.at, len(self.tokens)) - 1].line
            one.group = self.group
            one.needs_none = kind in ("alias", "using") or name.startswith("~") or name in common_members
        (self.members if members else self.found).append(one)

    def namespace(self, path, scope, is_public):
        while self.at < len(self.tokens) and self.text() != "}":
            if self.text() == "inline" and self.text(1) == "namespace" or self.text() == "namespace":
                is_inline = self.text() == "inline"
                self.at += 1 + is_inline
                names = []
                while self.text() not in ("{", "=", ";"):
                    if self.tokens[self.at].kind == "name":
                        names.append(self.text())
                    self.at += 1
                if self.text() != "{":
                    self.skip_to(";")
                    continue
                self.at += 1
                inner = path + ([] if is_inline else names)
                shown = "::".join(inner[1:])
                self.namespace(inner, shown, bool(inner) and inner[0] == "tessera" and "detail" not in inner)
                assert self.text() == "}", f"{self.header.path}: a namespace is not closed"
                self.at += 1
            elif self.text() == "extern" and self.text(1)[:1] == '"':
                self.at += 2
                if self.text() == "{":
                    self.skip_brackets()
            else:
                self.declaration(scope, is_public, False)

    def declaration(self, scope, is_public, in_class, class_name=""):
        if self.text() == ";":
            self.at += 1
            return
        start, self.first_line = self.at, self.tokens[self.at].line
        self.is_template = is_special = False
        while self.text() in ("template", "requires", "[[") or self.text() == "alignas" or self.text() in specifiers:
            if self.text() == "template":
                self.at += 1
                if self.text() != "<":  # an explicit instantiation
                    self.skip_to(";")
                    self.at += 1
                    return
                is_special = self.text(1) == ">"
                self.skip_angles()
                self.is_template = True
            elif self.text() == "requires":
                self.skip_requires()
            elif self.text() == "[[":
                self.skip_brackets()
            elif self.text() == "alignas":
                self.at += 1
                self.skip_brackets()
            else:
                self.at += 1
        is_friend = any(one.text == "friend" for one in self.tokens[start:self.at])
        shown = is_public and not is_special
        word = self.text()
        if word in ("static_assert", "typedef"):
            assert word != "typedef" or not shown, f"{self.header.path}:{self.first_line}: write using, not typedef"
            self.skip_to(";")
            self.at += 1
        elif word == "using":
            self.using(scope, shown, in_class)
        elif word == "concept":
            name, line = self.text(1), self.tokens[self.at + 1].line
            self.body_line = line
            self.skip_to(";")
            self.at += 1
            if shown:
                self.add(name, "concept", line, scope, in_class)
        elif word in ("class", "struct", "union", "enum") and self.is_class():
            self.type(scope, shown and not is_friend, in_class)
        else:
            self.function_or_variable(scope, shown, in_class, class_name, is_friend)

    def is_class(self):
        """Not a function or variable of such a type: a body, a base or the end follows the name."""
        start = self.at
        self.skip_to(("{", ";", ":", "(", "=")) if self.text() != "alignas" else None
        found = self.text()
        # `struct A b;` and `enum E f(...)` are not written here
        self.at = start
        return found in ("{", ";", ":")

    def using(self, scope, shown, in_class):
        self.at += 1
        if self.text() == "namespace":
            shown = False
        names, line = [], self.tokens[self.at].line
        while self.text() not in (";", "="):
            if self.tokens[self.at].kind == "name":
                names.append(self.text())
                line = self.tokens[self.at].line
            if self.text() == "<":
                self.skip_angles()
            elif self.text() == "[[":
                self.skip_brackets()
            else:
                self.at += 1
        is_alias = self.text() == "="
        self.skip_to(";")
        self.at += 1
        if shown and not (in_class and len(names) > 1 and names[-1] == names[-2]):  # constructors of a base
            self.add(names[-1], "alias" if is_alias else "using", line, scope, in_class)

    def type(self, scope, shown, in_class):
        word = self.text()
        self.at += 1
        if word == "enum" and self.text() in ("class", "struct"):
            self.at += 1
        name, line, is_special = "", 0, False
        while self.text() not in ("{", ";", ":"):
            if self.text() == "[[" or self.text() == "(":
                self.skip_brackets()
            elif self.text() == "<":
                is_special = True
                self.skip_angles()
            elif self.text() == "::":
                is_special = True
                self.at += 1
            else:
                if self.text() != "final":
                    name, line = self.text(), self.tokens[self.at].line
                self.at += 1
        self.body_line = line
        shown = shown and not is_special and bool(name)
        if self.text() == ":":
            self.skip_to(("{", ";"))
        if self.text() == ";":
            self.at += 1
            if shown and word != "enum":
                self.add(name, "declared", line, scope, in_class)
            return
        if shown:
            self.add(name, "enum" if word == "enum" else "class", line, scope, in_class)
        inner = f"{scope}::{name}" if scope else name
        self.at += 1
        if word == "enum":
            self.enumerators(inner, shown)
        else:
            self.members_of(inner, name, shown, word != "class")
        assert self.text() == "}", f"{self.header.path}:{self.tokens[self.at].line}: a type is not closed"
        self.at += 1
        self.first_line = self.tokens[self.at - 1].line
        if self.text() != ";":  # an object of the type
            self.skip_to(";")
        self.at += 1

    def enumerators(self, scope, shown):
        while self.text() != "}":
            self.first_line = self.tokens[self.at].line
            name, start = self.text(), self.at
            self.skip_to((",", "}"))
            default = self.joined(start + 2, self.at)
            if self.text() == ",":
                self.at += 1
            if shown:
                self.add(name, "enumerator", self.first_line, scope, True, default)

    def members_of(self, scope, name, shown, is_public):
        while self.text() != "}":
            if self.text() in ("public", "private", "protected") and self.text(1) == ":":
                is_public = self.text() == "public"
                self.at += 2
            else:
                self.declaration(scope, shown and is_public, True, name)

    def function_or_variable(self, scope, shown, in_class, class_name, is_friend):
        name, line, has_type, is_qualified = "", 0, False, False
        while True:
            text, token = self.text(), self.tokens[self.at]
            if text == "operator":
                has_type = has_type or bool(name)
                is_qualified = self.text(-1) == "::" and bool(name)
                start, line = self.at, token.line
                self.at += 1
                if self.text() == "(":
                    self.at += 2
                while self.text() != "(":
                    self.at += 1
                if self.tokens[start + 1].kind == "name":  # a conversion, new or delete
                    name = "operator " + self.joined(start + 1, self.at)
                else:
                    name = "".join(one.text for one in self.tokens[start:self.at])
                break
            if text in ("decltype", "noexcept", "explicit", "alignas", "__launch_bounds__", "__attribute__"):
                self.at += 1
                if self.text() == "(":
                    self.skip_brackets()
                has_type = has_type or text == "decltype"
            elif text == "requires":
                self.skip_requires()
            elif text == "<":
                assert self.skip_angles(), f"{self.header.path}:{token.line}: what is this <"
            elif text == "[[":
                self.skip_brackets()
            elif text in ("(", "=", ";", "{", "[", ":", ",", "}"):
                break
            elif token.kind == "name" and text not in specifiers:
                has_type = has_type or bool(name) and self.text(-1) != "::"
                is_qualified = self.text(-1) == "::" and bool(name)
                name, line = text, token.line
                self.at += 1
            elif text == "~":
                self.at += 1
                name, line = "~" + self.text(), token.line
                self.at += 1
            else:
                has_type = has_type or text in ("*", "&", "&&")
                self.at += 1
        assert self.text() not in ("}", ""), f"{self.header.path}:{line}: {name}: unexpected end"
        if self.text() == "(":
            self.function(name, line, scope, shown, in_class, is_friend, has_type, is_qualified)
        else:
            self.variable(name, line, scope, shown, in_class, is_qualified)

    def function(self, name, line, scope, shown, in_class, is_friend, has_type, is_qualified):
        start = self.at + 1
        self.skip_brackets()
        parameters = [one.text for one in self.tokens[start:self.at - 1]]
        of_class = [one for one in parameters if one not in ("const", "&", "&&", "noexcept")]
        is_common = name == scope.split("::")[-1] and of_class[:1] in ([], [name]) and len(of_class) <= 2
        is_guide = False
        while self.text() not in (";", "{"):
            if self.text() == "requires":
                self.skip_requires()
            elif self.text() == "=":
                is_common = is_common or self.text(1) in ("default", "delete")
                self.skip_to(";")
            elif self.text() == "->":
                is_guide = not in_class and not has_type and not name.startswith("operator")
                self.at += 1
            elif self.text() == ":":  # initialisers of members
                self.at += 1
                while True:
                    while self.text() not in ("(", "{"):
                        if self.text() != "<" or not self.skip_angles():
                            self.at += 1
                    self.skip_brackets()
                    if self.text() == "...":
                        self.at += 1
                    if self.text() != ",":
                        break
                    self.at += 1
                assert self.text() == "{", f"{self.header.path}:{line}: {name}: expected its body"
            elif self.text() in opening:
                self.skip_brackets()
            elif self.text() != "<" or not self.skip_angles():
                self.at += 1
        self.body_line = self.tokens[self.at].line
        if self.text() == "{":
            self.skip_brackets()
            while self.text() == "catch":  # of a body that is a try block
                self.at += 1
                self.skip_brackets()
                self.skip_brackets()
        else:
            self.at += 1
        if shown and not is_qualified and not is_guide:
            self.add(name, "friend" if is_friend else "function", line, scope, in_class)
            if in_class:
                self.members[-1].needs_none |= is_common

    def variable(self, name, line, scope, shown, in_class, is_qualified):
        names = []
        while True:
            while self.text() == "[":
                self.skip_brackets()
            start = self.at
            self.skip_to((",", ";"))
            begin = start + (self.tokens[start].text == "=")
            default = self.joined(begin, self.at)
            names.append((name, line, default))
            if self.text() == ";":
                break
            self.at += 1
            while self.text() in ("*", "&", "&&"):
                self.at += 1
            name, line = self.text(), self.tokens[self.at].line
            self.at += 1
        self.at += 1
        if shown and not is_qualified:
            for name, line, default in names:
                self.add(name, "variable", line, scope, in_class, default)

    def joined(self, start, end):
        text = " ".join(one.text for one in self.tokens[start:end])
        text = re.sub(r" ?(::|->|\.) ?|(?<=\w) (?=[({\[]|<(?!<))|(?<=[({<\[!]) | (?=[)}>\],;])", r"\1", text)
        return text if len(text) <= 60 else text[:57] + "..."


def first_sentence(text):
    return re.split(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s|\n", text, maxsplit=1)[0]


def subject_of(header):
    """The names that the first line of a header says it is about, and what it says of them."""
    names, colon, text = header.subject.partition(": ")
    words = re.split(r", | and ", names)
    if not colon or not all(re.fullmatch(r"(\w+::)*\w+(<[\w:]+>)?", one) for one in words):
        return set(), ""
    return {re.sub(r"<.*", "", one).split("::")[-1] for one in words}, text


def is_option_struct(name):
    last = name.split("::")[-1]
    return last.endswith("Options") or last in option_names


def give_contracts(root, names, members):
    """Gives members the contracts that the rules above say."""
    classes = {one.name: one for one in names + members if one.kind in ("class", "enum")}
    pages = {}
    for one in members:
        last = one.name.removeprefix(one.scope + "::")
        if one.contract or is_option_struct(one.scope):
            continue
        own = classes[one.scope].contract if one.scope in classes else ""
        word = re.match(r"\w[a-z0-9]*", last)
        if one.group and (one.kind in ("variable", "enumerator")
                          or word and re.search(rf"\b{word[0]}(\b|_)", one.group, re.I)):
            one.contract = one.group
        elif re.search(rf"(?<!\w){re.escape(last)}(?!\w)", own):
            one.contract = own
        elif last == one.scope.split("::")[-1]:  # a constructor
            one.contract = own
        for kind, sources in kinds:
            if one.contract or not re.match(kind, one.scope):
                continue
            for source in sources:
                if source not in pages:
                    pages[source] = (root / source).read_text() if (root / source).exists() else ""
                if re.search(rf"\b{re.escape(last)}\b", pages[source]):
                    one.contract = f"As {source} says."
                    break
            else:
                one.contract = next((other.contract for other in members if other.contract and re.match(
                    kind, other.scope) and other.name == f"{other.scope}::{last}"), "")


def read_headers(root):
    """The public names, and the public members of classes."""
    headers, names, members, files = [], [], [], {}  # files: each with the header that programs include
    for path in sorted([*root.glob("include/tessera/**/*.hpp"), *root.glob("include/tessera/**/*.cuh")]):
        if "detail" not in path.parts and path.name not in left_out:
            files[path] = path
            for one in re.findall(r"^#include <([^>]+)> *// IWYU pragma: export$", path.read_text(), re.M):
                files.setdefault(root / "include" / one, path)
    for path, header in files.items():
        shown = str(path.relative_to(root))
        parser = Parser(lex(shown, path.read_text()))
        parser.namespace([], "", False)
        assert parser.at == len(parser.tokens), f"{shown}: a bracket too many"
        for group in (parser.found, parser.members):
            before = {}
            for one in group:
                one.header = str(header.relative_to(root))
                before[one.name] = one.contract = one.contract or before.get(one.name, "")
        headers.append(parser)
    defined = {one.name: one for parser in headers for one in parser.found if one.kind == "class"}
    for parser in headers:
        own = []
        for one in parser.found:
            if one.kind != "declared" or one.name not in defined:
                own.append(one)
            else:
                defined[one.name].contract = defined[one.name].contract or one.contract
        subject, text = subject_of(parser.header)
        if {one.name.split("::")[-1] for one in own} <= subject:
            for one in own:
                one.contract = one.contract or text
        names += own
        members += parser.members
    give_contracts(root, names, members)
    return names, members


def plain(text):
    """The text of a string literal."""
    if raw := re.match(r'(?:u8|[uUL])?R"([^(\s]*)\((.*)\)\1"$', text, re.S):
        return raw[2]
    return re.sub(r"\\(.)", lambda one: "\\n" if one[1] == "n" else one[1], re.sub(r'^\w*"|"$', "", text))


def message(tokens):
    """The texts among tokens; an ellipsis for each part that the program computes."""
    parts, depth = [""], 0
    for token in tokens:
        depth += token.text in opening
        depth -= token.text in closing
        if token.kind == "text":
            parts.append(plain(token.text))
        elif token.kind in ("name", "number", "letter") and token.text != "text" and parts[-1] != "\u2026":
            parts.append("\u2026")
        elif token.text == "," and depth == 1:
            parts.append(": ")
    return "".join(parts)


def read_messages(root):
    """Of each static_assert, error that is made, and call of a function that never returns, the text, if it has one."""
    files = [one for one in sorted(root.glob("include/**/*")) if one.suffix in (".hpp", ".cuh", ".ipp", ".tpp")]
    headers = [lex(str(one.relative_to(root)), one.read_text()) for one in files]
    errors, failing = {"Error"}, set()
    for header in headers:
        texts = [one.text for one in header.tokens]
        for at, text in enumerate(texts):
            if text == "Located" and texts[at + 1] == "<" and texts[at - 1] in ("::", ":"):
                errors.add(texts[at + 2])
            if text in errors and texts[at - 1] == ":" and texts[at - 3] == "struct":  # derived from one
                errors.add(texts[at - 2])
            if text == "noreturn":
                failing.add(next(texts[n - 1] for n in range(at, len(texts)) if texts[n] == "("))
    found = []
    for header in headers:
        parser = Parser(header)
        while parser.at < len(parser.tokens):
            start, text = parser.at, parser.text()
            if text == "static_assert" or text in failing and parser.text(1) == "(":
                parser.at += 1
                parser.skip_brackets()
                kind = text
            elif text in errors and parser.text(1) in ("{", "(") and parser.text(-1) not in ("struct", "class", "~"):
                parser.at += 1
                parser.skip_brackets()
                kind = text
            elif text in errors and parser.tokens[parser.at + 1].kind == "name" and parser.text(2) in ("{", "("):
                parser.at += 2
                parser.skip_brackets()
                kind = text
            else:
                parser.at += 1
                continue
            used = parser.tokens[start:parser.at]
            if text == "static_assert":  # its condition may have texts too
                last = len(used) - 1
                while used[last - 1].kind == "text":
                    last -= 1
                used = used[last:]
            else:
                used = used[1:]  # without the name
                while used and used[0].kind == "name":
                    used = used[1:]
            if any(one.kind == "text" for one in used):
                found.append((header.path, parser.tokens[start].line, kind, message(used)))
    return found


parser = argparse.ArgumentParser()
for one in ("members", "messages", "json", "check"):
    parser.add_argument("--" + one, action="store_true")
parser.add_argument("project", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
asked = parser.parse_args()

names, members = read_headers(asked.project)
options = [one for one in names if one.kind == "class" and is_option_struct(one.name)]
structs = {one.name for one in options}
choices = [one for one in members if one.kind == "variable" and one.scope in structs]
missing = [one for one in names + members if not one.contract and not one.needs_none]


def line_of(one, is_whole=False):
    default = f" = {one.default}" if one.default and one.kind != "function" else ""
    contract = one.contract.replace("\n", " ") if is_whole else first_sentence(one.contract)
    contract = contract or "(no contract)"
    return f"{one.file}:{one.line}: {one.kind} {one.name}{default}: {contract}"


if asked.check:
    for one in missing:
        print(f"{one.file}:{one.line}: {one.kind} {one.name} has no contract: write `///` above it or `///<` behind it")
elif asked.messages:
    messages = read_messages(asked.project)
    for file, line, kind, text in messages:
        print(f"{file}:{line}: {kind}: {text}")
    print(f"{len(messages)} messages")
    sys.exit()
elif asked.json:
    print(json.dumps({"names": [vars(one) for one in names], "members": [vars(one) for one in members]}))
    sys.exit()
else:
    for one in names:
        print(line_of(one))
        if asked.members:
            for member in members:
                if member.scope == one.name and member.file == one.file:
                    print("  " + line_of(member))
    print("\nOptions:")
    for struct in options:
        print(line_of(struct))
        for one in choices:
            if one.scope == struct.name and one.file == struct.file:
                print("  " + line_of(one, is_whole=True))
print(f"{len(names)} public names, {len(members)} public members, {len(options)} option structs with {len(choices)} "
      f"options, {len(missing)} without a contract")
sys.exit(asked.check and bool(missing))
