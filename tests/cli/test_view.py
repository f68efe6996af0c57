"""tessera view: PNG files pixel by pixel, and pictures in a terminal."""
import fcntl
import json
import math
import os
import pty
import re
import struct
import subprocess
import termios
import zlib

from command import BINARY, BRAIN, ENVIRONMENT, CommandTest, little_endian, main, make_array, tessera


def read_png(path):
    """Rows of an 8-bit greyscale PNG, or of one in colours."""
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, []
    while at < len(content):
        size, kind = struct.unpack(">I4s", content[at:at + 8])
        body = content[at + 8:at + 8 + size]
        assert struct.unpack(">I", content[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body), kind
        chunks.append((kind, body))
        at += 12 + size
    assert chunks[0][0] == b"IHDR" and chunks[-1] == (b"IEND", b"")
    width, height, *form = struct.unpack(">IIBBBBB", chunks[0][1])
    assert form in ([8, 0, 0, 0, 0], [8, 2, 0, 0, 0]), form
    size = 3 if form[1] == 2 else 1  # bytes of a pixel
    width *= size
    data = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    assert len(data) == height * (width + 1)
    rows, above = [], bytes(width)
    for y in range(height):
        kind, row = data[y * (width + 1)], bytearray(data[y * (width + 1) + 1:(y + 1) * (width + 1)])
        for x in range(width):
            left, up, corner = (row[x - size] if x >= size else 0), above[x], (above[x - size] if x >= size else 0)
            estimate = left + up - corner
            paeth = min((left, up, corner), key=lambda n: abs(estimate - n))
            row[x] = (row[x] + (0, left, up, (left + up) // 2, paeth)[kind]) % 256
        rows.append(bytes(row))
        above = row
    return rows


def greys(numbers):
    """The scaled plane: the smallest is 0, the largest 255, a constant plane 128. With NaN in it pixels are colours:
    NaN is magenta."""
    finite = [n for n in numbers if math.isfinite(n)]
    least, most = (min(finite), max(finite)) if finite else (0, 0)

    def grey(n):
        if math.isinf(n):
            return 255 if n > 0 else 0
        return 128 if least == most else math.floor((n - least) / (most - least) * 255 + 0.5)
    if not any(math.isnan(n) for n in numbers):
        return bytes(map(grey, numbers))
    return b"".join(b"\xff\0\xff" if math.isnan(n) else bytes([grey(n)] * 3) for n in numbers)


def in_terminal(*arguments, columns=80, **environment):
    """Status and output of a command whose standard output and error are a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                               env=ENVIRONMENT | environment)
    os.close(slave)
    output = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # how Linux reports that the other end is closed
            break
        if not part:
            break
        output += part
    os.close(master)
    return process.wait(timeout=60), output.decode()


class View(CommandTest):
    def png(self, path, *arguments):
        output = self.folder / "plane.png"
        result = self.run_ok("view", path, "--output", output, *arguments)
        return read_png(output), result.text

    def test_every_axis_of_the_volume(self):
        shapes = {"t1": ((197, 233, 189), "B"), "t1_half": ((98, 116, 94), "f")}
        for name, (shape, code) in shapes.items():
            for axis, index in ((0, None), (1, 17), (2, None), (None, None), (None, 93)):
                arguments = [f"--{option}={value}" for option, value in (("axis", axis), ("index", index))
                             if value is not None]
                cut = 2 if axis is None else axis
                at = shape[cut] // 2 if index is None else index
                region = ",".join(str(at) if d == cut else ":" for d in range(3))
                elements = self.read_bin(BRAIN / name, "--region", region)
                numbers = struct.unpack(f"<{len(elements) // struct.calcsize(code)}{code}", elements)
                rows, text = self.png(BRAIN / name, *arguments)
                height, width = (n for d, n in enumerate(shape) if d != cut)
                self.assertEqual((len(rows), len(rows[0])), (height, width))
                self.assertEqual(b"".join(rows), greys(numbers), (name, axis, index))
                self.assertIn(f"{'xyz'[cut]} {at}, {height} x {width}, min ", text)

    def test_the_coarsest_level_of_an_image(self):
        levels = [{"path": name} for name in ("fine", "coarse/1")]
        for format, attributes in (("0.5", {"ome": {"version": "0.5", "multiscales": [{"datasets": levels}]}}),
                                   ("0.4", {"multiscales": [{"datasets": levels, "version": "0.4"}]})):
            image = self.folder / format / "image"
            for group in (image.parent, image, image / "coarse"):
                group.mkdir()
                (group / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group",
                                                            "attributes": attributes if group == image else {}}))
            make_array(image / "fine", [4, 4], "uint8", [4, 4], {(0, 0): bytes(range(16))})
            make_array(image / "coarse/1", [2, 2], "uint8", [2, 2], {(0, 0): bytes([0, 1, 2, 51])})
            rows, text = self.png(image)
            self.assertEqual(b"".join(rows), bytes([0, 5, 10, 255]))
            self.assertIn("image, level coarse/1, 2 x 2, min 0, max 51", text)
            self.assertEqual(len(self.png(image / "fine")[0]), 4)
            self.assert_refused(tessera("view", image.parent), 1, "this is a group")
        (image / "coarse/1/zarr.json").unlink()
        self.assert_refused(tessera("view", image), 1, 'key "image/coarse/1/zarr.json"', "no array")

    def plane(self, data_type, code, numbers, columns=3, **document):
        shape = [len(numbers) // columns, columns]
        folder = self.folder / f"plane{len(os.listdir(self.folder))}"
        return make_array(folder, shape, data_type, shape, {(0, 0): little_endian(code, numbers)}, **document)

    def test_types_and_odd_numbers(self):
        nan, infinity = math.nan, math.inf
        cases = (("uint8", "B", [0, 1, 2, 253, 254, 255]), ("int8", "b", [-128, -1, 0, 1, 2, 127]),
                 ("int64", "q", [-2**63, -1, 0, 1, 2, 2**63 - 1]), ("uint64", "Q", [0, 1, 2**63, 2**64 - 1, 5, 6]),
                 ("float32", "f", [nan, -1.5, 0, 2.5, 1, nan]), ("float64", "d", [nan] * 6),
                 ("float64", "d", [infinity, -infinity, nan, 0, 1, 2]), ("float32", "f", [7, 7, nan, 7, 7, 7]),
                 ("uint16", "H", [9] * 6))
        for data_type, code, numbers in cases:
            rows, _ = self.png(self.plane(data_type, code, numbers))
            self.assertEqual(b"".join(rows), greys(numbers), (data_type, numbers))
        rows, _ = self.png(self.plane("float64", "d", [-1.7e308, 0, 1.7e308]))  # a difference beyond double
        self.assertEqual(rows, [bytes([0, 128, 255])])
        halves = [0x0001, 0x3c00, 0x4000, 0xc000, 0x7c00, 0x7e00]  # 2^-24, 1, 2, -2, infinity, NaN
        rows, _ = self.png(self.plane("float16", "H", halves))
        self.assertEqual(b"".join(rows), greys([2**-24, 1, 2, -2, infinity, nan]))
        rows, _ = self.png(self.plane("bool", "B", [0, 1, 1], fill_value=False))
        self.assertEqual(rows, [bytes([0, 255, 255])])

    def test_nan_has_a_colour_of_its_own(self):
        a = self.plane("float32", "f", [math.nan, 0, 4, math.nan, 2, 1, math.nan, math.nan, 0, math.nan, 0, 4], columns=3)
        rows, text = self.png(a)
        self.assertEqual(rows[0], b"\xff\0\xff" b"\0\0\0" b"\xff\xff\xff")
        self.assertIn("min 0, max 4, 5 NaN", text)
        self.assertEqual(self.run_ok("view", a).text.splitlines()[:-1], ["?:*", "? ="])  # half of them is not a pixel
        output = in_terminal("view", a)[1]
        self.assertEqual(output.count("38;5;201;") + output.count("48;5;201m"), 5)

    def test_planes_of_any_rank(self):
        shape, names = [2, 3, 4, 5], ["t", "c", "y", "x"]
        numbers = [(i * 7919) % 65521 for i in range(120)]
        a = make_array(self.folder / "a", shape, "uint16", shape, {(0,) * 4: little_endian("H", numbers)},
                       dimension_names=names)

        def at(*index):
            place = 0
            for i, n in zip(index, shape):
                place = place * n + i
            return numbers[place]
        cases = {(): [[at(1, 1, y, x) for x in range(5)] for y in range(4)],
                 ("--index", "t=0,c=2"): [[at(0, 2, y, x) for x in range(5)] for y in range(4)],
                 ("--index", "c=2"): [[at(1, 2, y, x) for x in range(5)] for y in range(4)],
                 ("--index", "y=3,3=1"): [[at(t, c, 3, 1) for c in range(3)] for t in range(2)],
                 ("--axis", "t", "--index", 0): [[at(0, 1, y, x) for x in range(5)] for y in range(4)],
                 ("--region", "0,:,1:3,2"): [[at(0, c, y, 2) for y in (1, 2)] for c in range(3)],
                 ("--region", "y=1:3,x=::2", "--index", "t=0"): [[at(0, 1, y, x) for x in (0, 2, 4)] for y in (1, 2)],
                 ("--index", "t=0,c=0,y=2"): [[at(0, 0, 2, x) for x in range(5)]]}
        for arguments, plane in cases.items():
            rows, text = self.png(a, *arguments)
            self.assertEqual(b"".join(rows), greys([n for row in plane for n in row]), arguments)
            self.assertEqual((len(rows), len(rows[0])), (len(plane), len(plane[0])), arguments)
        self.assertIn("t 0, c 2, 4 x 5, min", self.png(a, "--index", "t=0,c=2")[1])
        for rank in (0, 1, 2, 7):
            a = make_array(self.folder / f"rank{rank}", [2] * rank, "uint8", [2] * rank, {})
            self.assertEqual([len(row) for row in self.png(a)[0]], [[1], [2], [2, 2]][min(rank, 2)])

    def test_letters(self):
        lines = self.run_ok("view", BRAIN / "t1").text.splitlines()
        self.assertEqual(len(lines), 35)  # 197 x 233 in 80 columns, two pixels a line, and the line below
        self.assertTrue(all(len(line) <= 80 and line.isascii() for line in lines[:-1]))
        self.assertIn("@", "".join(lines))
        self.assertTrue(lines[-1].endswith("t1, z 94, 197 x 233, min 0, max 235"), lines[-1])

    def test_half_blocks(self):
        for columns in (100, 40, 233):
            status, output = in_terminal("view", BRAIN / "t1", columns=columns)
            lines = output.splitlines()
            self.assertEqual(status, 0)
            self.assertEqual({line.count("▀") for line in lines[:-1]}, {columns})
            self.assertEqual(len(lines) - 1, (math.floor(197 * columns / 233 + 0.5) + 1) // 2)
        status, output = in_terminal("view", BRAIN / "t1", NO_COLOR="1")
        self.assertEqual((status, "▀" in output, "\x1b" in output), (0, False, False))

    def test_extreme_planes(self):
        for shape in ([1, 100000], [100000, 1], [1, 1]):
            a = make_array(self.folder / f"a{shape[0]}-{shape[1]}", shape, "uint8", shape, {})
            self.assertLess(len(self.run_ok("view", a).text), 20000)
            self.assertEqual([len(row) for row in self.png(a)[0]], [shape[1]] * shape[0])

    def test_nothing_stays_of_a_png_that_fails(self):
        a = make_array(self.folder / "a", [2, 2], "uint8", [2, 2], {(0, 0): b"123"})
        self.assert_refused(tessera("view", a, "--output", self.folder / "x.png"), 1, 'key "c/0/0"')
        self.assert_refused(tessera("view", BRAIN / "t1", "--output", self.folder / "no/x.png"), 1, "no/x.png")
        self.assertEqual(os.listdir(self.folder), ["a"])

    def test_progress_only_where_it_is_slow(self):
        _, output = in_terminal("read", BRAIN / "t1", "--output", self.folder / "fast.npy")
        self.assertNotIn("%", output)
        slow = make_array(self.folder / "slow", [10**8], "uint8", [1], {})  # the same number of keys to look up
        master, slave = pty.openpty()
        process = subprocess.Popen([BINARY, "read", slow, "--output", self.folder / "slow.bin", "--threads", "1"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave, env=ENVIRONMENT)
        os.close(slave)
        shown = b""
        while b"%" not in shown:
            shown += os.read(master, 1000)
        process.terminate()
        self.assertEqual(process.wait(timeout=60), 128 + 15)
        self.assertEqual(sorted(os.listdir(self.folder)), ["fast.npy", "slow"])
        os.close(master)
        self.assertTrue(re.match(rb"\r\[#* *\] +\d+ %  reading", shown), shown)


main()
