"""Pages of the public names, from the headers: each with its declaration, its contract and the pages that show it."""

import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys

ROOMS = {  # in the order of the data path
    "array": "Arrays: opening, reading, writing, converting",
    "node": "Nodes: making, listing, moving and erasing arrays and groups",
    "loader": "Batches for training",
    "ipc": "Arrays and columns between processes",
    "cache": "Chunks kept decoded",
    "parallel": "Arrays of many ranks",
    "with": "Other libraries: codecs, stores, tensors, Arrow",
    "plug_in": "Codecs in shared libraries",
    "pipeline": "Pipelines of codecs",
    "codec": "Codecs",
    "shard": "Shards",
    "store": "Stores",
    "cast": "Crossings between memory spaces",
    "transfer": "What a read or a write does",
    "place": "Placing chunks",
    "plan": "Plans of reads and writes",
    "view": "Views, boxes and selections",
    "buffer": "Buffers",
    "metadata": "Documents",
    "key": "Keys of chunks",
    "memory": "Queues, memory spaces and resources",
    "core": "Errors, types and numbers",
    "testing": "Tests for stores of your own",
    "c": "Tables of the C interface",
    "": "Headers that include others",
}


def declaration(lines, one):
    """The lines of a declaration, without its body."""
    text, depth, has_body = "", 0, one["kind"] in ("class", "enum", "function", "friend", "declared")
    for line in lines[one["first"] - 1 :]:
        code = re.sub(r'\s*//.*', "", line)
        for at, letter in enumerate(code):
            depth += (letter in "([") - (letter in ")]")
            is_body = letter == "{" and has_body
            if not has_body:
                depth += (letter == "{") - (letter == "}")
            is_initialiser = code[at : at + 3] == " : " and text.rstrip().endswith(")") and one["kind"] != "class"
            if depth == 0 and (is_body or is_initialiser or letter == ";" or (letter == "," and one["kind"] == "enumerator")):
                return text.rstrip() + (";" if one["kind"] != "class" else "")
            text += letter
        text += "\n"
    return text.rstrip()


def dedented(text):
    lines = text.split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines)


def shown_in(pages):
    """Of each word in the code of a page, the pages."""
    found = collections.defaultdict(list)
    for path, title, text in pages:
        for word in set(re.findall(r"\w+", " ".join(re.findall(r"^```c(?:pp|).*?^```", text, re.M | re.S)))):
            found[word].append((path, title))
    return found


def contract(text):
    """As Markdown: `<` of types is text, and lines that were code stay apart."""
    return re.sub(r"<(?=\w)", r"\\<", text).replace("\n", "\n\n")


def write(root, folder, pages):
    found = json.loads(subprocess.run([sys.executable, root / "tests/house/public_names.py", "--json", root], check=True,
                                      capture_output=True, text=True).stdout)  # fmt: skip
    sources, rooms, index = {}, collections.defaultdict(lambda: collections.defaultdict(list)), []
    members = collections.defaultdict(list)
    for one in found["members"]:
        members[one["file"], one["scope"]].append(one)
    for one in found["names"]:
        header = one["header"].removeprefix("include/tessera/")
        rooms[header.partition("/")[0] if "/" in header else ""][header].append(one)
    assert rooms.keys() <= ROOMS.keys(), f"no title for {rooms.keys() - ROOMS.keys()}"
    examples = shown_in(pages)

    def lines_of(one):
        if one["file"] not in sources:
            sources[one["file"]] = (root / one["file"]).read_text().split("\n")
        return sources[one["file"]]

    for room in (name for name in ROOMS if name in rooms):
        page = folder / f"{room or 'headers'}.md"
        text = [f"# {ROOMS[room]}", ""]
        for header, names in sorted(rooms[room].items()):
            text += [f"## `tessera/{header}`", ""]
            by_name = collections.defaultdict(list)
            for one in names:
                by_name[one["name"]].append(one)
            for name, ones in by_name.items():
                anchor = re.sub(r"\W+", "-", name)
                is_first = (name, page.name) not in (one[:2] for one in index)
                text += [f"### {name}" + (f" {{#{anchor}}}" if is_first else ""), "", "```cpp", *(dedented(declaration(lines_of(one), one)) for one in ones), "```", ""]
                text += [contract(one) + "\n" for one in dict.fromkeys(one["contract"] for one in ones if one["contract"])]
                shown = [one for one in members[ones[0]["file"], name] if one["contract"] or not one["needs_none"]]
                for same, group in itertools.groupby(shown, lambda one: one["contract"]):
                    short = (re.sub(r"\s+", " ", declaration(lines_of(one), one)).strip() for one in group)
                    said = "" if same in {one["contract"] for one in ones} else contract(same).replace("\n\n", " ")
                    said = re.sub(r"As docs/([\w-]+)\.md says\.", r"[what it means](../docs/\1.md)", said)
                    text += [("- " + ", ".join(f"`{one}`" for one in short) + f": {said}").rstrip(": ")]
                places = examples.get(name.rpartition("::")[2], [])[:4]
                if places:
                    text += ["", "Example: " + ", ".join(f"[{title}](../{path})" for path, title in places)]
                text += [""]
                index.append((name, page.name, anchor))
        page.write_text("\n".join(text))
    head = ["# Reference", "", "The public names of the headers, by folder:", ""]
    head += [f"- [{ROOMS[room]}]({room or 'headers'}.md): `tessera/{room}`" for room in ROOMS if room in rooms]
    (folder / "README.md").write_text("\n".join([*head, "", "## Every name", "", ", ".join(
        f"[{name}]({page}#{anchor})" for name, page, anchor in sorted(set(index), key=lambda one: one[0].lower())), ""]))
    pages = [f"reference/{room or 'headers'}.md" for room in ROOMS if room in rooms]
    return len(index), ["reference/README.md", *pages]
