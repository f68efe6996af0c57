#!/usr/bin/env python3
"""Makes the site, which needs no server: FOLDER/site/README.html, or index.html.

    build.py FOLDER

With mkdocs-material: pip install -r site/requirements.txt. A link to a missing page or section is an error.
"""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reference

root, work = pathlib.Path(__file__).resolve().parents[1], pathlib.Path(sys.argv[1]).resolve()
pages = work / "pages"
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#\s]+)(#[^)\s]*)?\)")


def tracked():
    names = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    return {name for name in names.split("\0") if name}


def collect(files):
    """Copies the pages, and each file that they link to."""
    folders = {str(parent) for name in files for parent in pathlib.PurePath(name).parents}
    texts, todo, done = [], sorted(name for name in files if re.fullmatch(r"[A-Z]+\.md|(docs|examples/python)/.*\.md", name)), set()
    while todo:
        name = todo.pop(0)
        if name in done:
            continue
        done.add(name)
        target = pages / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith(".md"):
            shutil.copy(root / name, target)
            continue

        def follow(link):
            what, to, section = link[1], link[2], link[3] or ""
            if "://" in to:
                return link[0]
            path = (root / name).parent.joinpath(to).resolve()
            relative = str(path.relative_to(root))
            if relative in folders:  # a folder: its page, if it has one
                relative = f"{relative}/README.md"
                if relative not in files:
                    return what.strip("[]")
                to = f"{to.rstrip('/')}/README.md"
            assert relative in files, f"{name}: the link to {to} names no file"
            todo.append(relative)
            return f"{what}({to}{section})"

        text = LINK.sub(follow, (root / name).read_text())
        text = re.sub(r"^```(cpp|python|sh) [\w -]+$", r"```\1", text, flags=re.M)  # marks for the tests of pages
        target.write_text(text)
        if name.startswith(("docs/", "README", "examples/")) and not name.startswith("docs/design"):
            texts.append((name, re.match(r"# *(.*)", text)[1].partition(":")[0], text))
    return texts


shutil.rmtree(work, ignore_errors=True)
for name in ("reference", "assets"):
    (pages / name).mkdir(parents=True)
shutil.copy(root / "site/iframe-worker.js", pages / "assets")
texts = collect(tracked())
count, references = reference.write(root, pages / "reference", texts)
configuration = (root / "site/mkdocs.yml").read_text()
for section, names in {"Codecs": sorted(pages.glob("docs/codecs/*.md")), "Design": [pages / "docs/design.md", *sorted(pages.glob("docs/design/*.md"))],
                       "Reference": [pages / name for name in references]}.items():  # fmt: skip
    configuration += f"  - {section}:\n" + "".join(f"      - {name.relative_to(pages)}\n" for name in names)
(work / "mkdocs.yml").write_text(configuration)
done = subprocess.run([pathlib.Path(sys.executable).parent / "mkdocs", "build", "--strict", "--quiet", "--config-file", work / "mkdocs.yml",
                       "--site-dir", work / "site"], text=True, capture_output=True)  # fmt: skip
lines = [line for line in (done.stdout + done.stderr).splitlines() if re.search("WARNING|ERROR|^  - |Abort", line)]
if done.returncode:
    sys.exit("\n".join(lines) or done.stdout + done.stderr)
print(f"{len(texts)} pages, {count} public names")
