"""What run.py says of its figures: ratios and their spread, tables and pictures.

  report.py RESULTS FILE.json...

puts together what several runs measured of arrays of one size. Of a work that two of them have, the later file counts.
"""
import json
import math
import pathlib
import statistics
import sys
from dataclasses import dataclass
from html import escape

from works import ALL_PEERS, Work, works_at


@dataclass
class Result:
    work: Work
    taken: dict  # program -> {"seconds": [...], "memory": [...]}, a figure for each repetition

    def seconds(self, name):
        return self.taken[name]["seconds"]

    def median(self, name):
        return statistics.median(self.seconds(name))

    def memory(self, name):
        return max(self.taken[name]["memory"])

    @property
    def loop(self):
        """The larger of the pair."""
        return max(self.median("loop"), self.median("loop again"))

    @property
    def pair(self):
        return self.median("loop again") / self.median("loop")

    @property
    def to_loop(self):
        return self.median("tessera") / self.loop

    @property
    def best_peer(self):
        return min((name for name in ALL_PEERS if name in self.taken), key=self.median, default=None)

    @property
    def to_peer(self):
        return self.median(self.best_peer) / self.median("tessera") if self.best_peer else None

    @property
    def to_libzarr(self):
        return self.median("libzarr") / self.median("tessera") if "libzarr" in self.taken else None

    def spread(self, ratio):
        """The minimum and the maximum of a ratio, over the repetitions."""
        names = list(self.taken)
        each = [ratio(dict(zip(names, row))) for row in zip(*(self.seconds(name) for name in names))]
        return min(each), max(each)

    def loop_spread(self):
        return self.spread(lambda s: s["tessera"] / max(s["loop"], s["loop again"]))

    def peer_spread(self):
        return self.spread(lambda s: min(s[name] for name in ALL_PEERS if name in s) / s["tessera"])

    def libzarr_spread(self):
        return self.spread(lambda s: s["libzarr"] / s["tessera"])

    def wants(self):
        """The target, and whether it is met."""
        work, mine = self.work, self.median("tessera")
        wanted = []
        if work.loop_limit:
            wanted.append((f"loop x {work.loop_limit:.2f}", self.to_loop <= work.loop_limit))
        if work.peer_limit and self.best_peer:
            wanted.append((f"{work.peer_limit:g} times as fast as peers", self.to_peer >= work.peer_limit))
        if self.to_libzarr:
            wanted.append(("not behind libzarr", self.to_libzarr >= 1))
        if work.over_loop:
            wanted.append((f"{units(work.over_loop)} over the codec", mine - self.loop <= work.over_loop))
        if work.most:
            wanted.append((f"under {units(work.most)}", mine <= work.most))
        return wanted

    def is_good(self):
        return all(good for _, good in self.wants())

    def line(self):
        peer = f", {self.to_peer:.2f} times as fast as {self.best_peer}" if self.best_peer else ""
        peer += f", {self.to_libzarr:.2f} times as fast as libzarr" if self.to_libzarr else ""
        wanted = "; ".join(f"{what}: {'yes' if good else 'NO'}" for what, good in self.wants())
        return (f"{self.work.name:22} loop {units(self.loop)} (pair {self.pair:.2f})  tessera {units(self.median('tessera'))}"
                f"  {self.to_loop:.2f} of the loop{peer}  [{wanted}]")

    def to_json(self):
        return {"name": self.work.name, "title": self.work.title, "taken": self.taken, "pair": self.pair,
                "to_loop": self.to_loop, "to_loop_spread": self.loop_spread(), "best_peer": self.best_peer,
                "to_peer": self.to_peer, "to_peer_spread": self.peer_spread() if self.best_peer else None,
                "to_libzarr": self.to_libzarr, "to_libzarr_spread": self.libzarr_spread() if self.to_libzarr else None,
                "wanted": {what: good for what, good in self.wants()}}


def units(seconds):
    if seconds < 1e-5:
        return f"{seconds * 1e6:.2f} µs"
    if seconds < 1e-2:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds:.3f} s"


def with_spread(ratio, spread):
    return f"{ratio:.2f} [{spread[0]:.2f} to {spread[1]:.2f}]"


def row(*cells):
    return "| " + " | ".join(cells) + " |\n"


def tables(about, results):
    cache = "cold" if about["cold"] else "warm"
    text = (f"{about['size']}^3 elements, {about['threads']} threads, {about['processors']} processors, "
            f"{about['repetitions']} repetitions, {cache} page cache. Ratios are of medians; in brackets the least and the "
            "most of one repetition.\n\n")
    text += row("work", "loop", "pair", "tessera", "of the loop", "best peer", "times as fast", "as libzarr", "wanted")
    text += row(*["---"] * 9)
    for result in results:
        to_loop = with_spread(result.to_loop, result.loop_spread())
        peer, faster = "", ""
        if result.best_peer:
            peer = f"{result.best_peer} {units(result.median(result.best_peer))}"
            faster = with_spread(result.to_peer, result.peer_spread())
        as_libzarr = with_spread(result.to_libzarr, result.libzarr_spread()) if result.to_libzarr else ""
        wanted = "; ".join(f"{what}: {'yes' if good else '**no**'}" for what, good in result.wants())
        text += row(result.work.title, units(result.loop), f"{result.pair:.2f}", units(result.median("tessera")), to_loop,
                    peer, faster, as_libzarr, wanted)
    names = ["loop", "loop, scratch kept", "loop, placed", "tessera", "libzarr", *ALL_PEERS]
    text += "\nMedian, and the most memory of the process, in MB.\n\n" + row("work", *names) + row(*["---"] * (len(names) + 1))
    for result in results:
        cells = [f"{units(result.median(name))}, {result.memory(name):.0f}" if name in result.taken else "" for name in names]
        text += row(result.work.title, *cells)
    return text


COLOURS = {"tessera": "#b5402a", "libzarr": "#7a5c9e", "zarrs": "#3b6ea5", "tensorstore": "#6b9a4d", "zarr-python": "#c9a227"}


def svg(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def label(x, y, text, anchor="start"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'


def bars(results):
    """The time of each program over the loop's, on a scale of powers of 2: left of 1 is faster than by hand."""
    left, right, thick, lowest, highest = 310, 900, 9, -3, 6
    def x_of(ratio):
        return left + (right - left) * (min(max(math.log2(ratio), lowest), highest) - lowest) / (highest - lowest)
    parts, y = [], 40
    for i, (name, colour) in enumerate(COLOURS.items()):
        parts.append(f'<rect x="{left + 130 * i}" y="8" width="10" height="10" fill="{colour}"/>')
        parts.append(label(left + 130 * i + 15, 18, name))
    for result in results:
        names = [name for name in COLOURS if name in result.taken]
        parts.append(label(left - 8, y + thick * len(names) / 2 + 4, result.work.title, "end"))
        for name in names:
            ratio = result.median(name) / result.loop
            begin, end = sorted((x_of(1), x_of(ratio)))
            parts.append(f'<rect x="{begin:.1f}" y="{y}" width="{end - begin:.1f}" height="{thick - 1}" fill="{COLOURS[name]}">'
                         f"<title>{name}: {ratio:.2f}</title></rect>")
            parts.append(f'<text x="{end + 4:.0f}" y="{y + thick - 1}" font-size="9">{ratio:.2f}</text>')
            y += thick
        y += 8
    for power in range(lowest, highest + 1):
        x = x_of(2**power)
        parts.insert(0, f'<line x1="{x:.1f}" y1="30" x2="{x:.1f}" y2="{y}" stroke="{"#444" if power == 0 else "#ddd"}"/>')
        parts.append(label(x, y + 16, f"{2.0**power:g}", "middle"))
    parts.append(label((left + right) / 2, y + 34, "time over the loop's (scale of powers of 2)", "middle"))
    return svg(right + 40, y + 44, parts)


def chunk_costs(results):
    """Microseconds of a tiny chunk over its codec's own, by how many there are."""
    points = sorted((result.work.grid**3, (result.median("tessera") - result.loop) * 1e6) for result in results
                    if result.work.action == "tiny-read" and result.work.kind == "zstd")
    left, bottom, width, height = 60, 260, 500, 220
    top = max([2.0, *(cost for _, cost in points)]) * 1.1
    at = [(left + width * (math.log10(n) - 2) / 4, bottom - height * max(cost, 0) / top) for n, cost in points]
    parts = [f'<line x1="{left}" y1="{bottom}" x2="{left + width}" y2="{bottom}" stroke="#444"/>',
             f'<line x1="{left}" y1="{bottom}" x2="{left}" y2="{bottom - height}" stroke="#444"/>',
             f'<polyline fill="none" stroke="{COLOURS["tessera"]}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in at)}"/>']
    for (x, y), (_, cost) in zip(at, points):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS["tessera"]}"/>')
        parts.append(label(x, y - 8, f"{cost:.2f}", "middle"))
    for cost in range(int(top) + 1):
        y = bottom - height * cost / top
        parts.insert(0, f'<line x1="{left}" y1="{y:.1f}" x2="{left + width}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(label(left - 8, y + 4, f"{cost}", "end"))
    for power in range(2, 7):
        parts.append(label(left + width * (power - 2) / 4, bottom + 16, f"10^{power}", "middle"))
    parts.append(label(left, 20, "µs over the codec, of a chunk of 4 KiB read from memory"))
    parts.append(label(left + width / 2, bottom + 34, "chunks", "middle"))
    return svg(left + width + 40, bottom + 44, parts)


def write(path, about, results):
    for end, text in {".json": json.dumps({**about, "works": [result.to_json() for result in results]}, indent=1) + "\n",
                      ".md": tables(about, results), ".svg": bars(results), "-chunks.svg": chunk_costs(results)}.items():
        path.with_name(path.name + end).write_text(text)


def join(files):
    """The head of the report, and all results."""
    runs = [json.loads(pathlib.Path(file).read_text()) for file in files]
    about = runs[0]
    if any(run[what] != about[what] for run in runs for what in ("size", "threads", "cold")):
        sys.exit("these runs differ in size, threads or cache")
    taken = {work["name"]: work["taken"] for run in runs for work in run["works"]}
    results = [Result(work, taken[work.name]) for work in works_at(about["size"]) if work.name in taken]
    counts = sorted({len(result.seconds("tessera")) for result in results})
    about = {name: value for name, value in about.items() if name != "works"}
    return about | {"repetitions": " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))}, results


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    write(pathlib.Path(sys.argv[1]), *join(sys.argv[2:]))
