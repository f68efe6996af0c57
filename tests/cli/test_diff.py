"""tessera diff: whether two arrays have the same elements, and if not where, how many and how far apart."""
import itertools
import json
import math
import os
import random
import struct

from command import BRAIN, CommandTest, little_endian, main, make_array, tessera


class Diff(CommandTest):
    def array(self, data_type, code, numbers, shape=None, chunks=None, **document):
        shape = shape or [len(numbers)]
        folder = self.folder / f"a{len(os.listdir(self.folder))}"
        make_array(folder, shape, data_type, shape, {(0,) * len(shape): little_endian(code, numbers)}, **document)
        if chunks:
            self.run_ok("copy", folder, f"{folder}c", "--chunks", chunks)
            return f"{folder}c"
        return folder

    def differ(self, one, other, *lines, arguments=()):
        result = tessera("diff", one, other, *arguments)
        self.assertEqual((result.status, result.errors), (1, []), result.text)
        self.assertEqual(result.text.splitlines(), [f"{one} and {other} differ{lines[0]}", *lines[1:]])

    def test_the_same_elements_stored_otherwise(self):
        said = self.run_ok("diff", BRAIN / "t1", BRAIN / "t1_sharded").text
        self.assertEqual(said, f"{BRAIN}/t1 and {BRAIN}/t1_sharded are the same: uint8 [197, 233, 189], 8675289 elements\n")
        said = self.run_ok("diff", BRAIN / "t1", BRAIN / "t1_sharded", "--region", "x=-3:", "--memory", 1).text
        self.assertIn(f"{3 * 233 * 189} elements", said)

    def test_where_they_differ(self):
        a = self.array("int16", "h", [1, 2, 3, 4, 5, 6], [2, 3], dimension_names=["y", "x"])
        b = self.array("int16", "h", [1, 2, 4, 4, 5, -6], [2, 3], chunks="1,2")
        self.differ(a, b, " in 2 of 6 elements", "first    [y=0,x=2]: 3, 4", "largest  [y=1,x=2]: 6, -6; 12 apart")
        self.differ(b, a, " in 2 of 6 elements", "first    [0,2]: 4, 3", "largest  [1,2]: -6, 6; 12 apart")
        self.differ(a, b, " in 1 of 2 elements", "first    [y=1,x=2]: 6, -6", "largest  [y=1,x=2]: 6, -6; 12 apart",
                    arguments=["--region", "x=-2:,y=-1"])
        self.assertIn("1 element\n", self.run_ok("diff", a, b, "--region", "y=0,x=0").text)
        self.assertIn("0 elements", self.run_ok("diff", a, b, "--region", "y=1:1").text)
        c = self.array("int16", "h", [1, 2, 3], [3])
        self.differ(a, c, ": int16 [2, 3], int16 [3]")
        d = self.array("uint16", "H", [1, 2, 3, 4, 5, 6], [2, 3])
        self.differ(a, d, ": int16 [2, 3], uint16 [2, 3]")

    def test_numbers_of_every_type(self):
        nan, infinity = math.nan, math.inf
        for data_type, code, one, other, first, largest in (
                ("bool", "B", [0, 1], [1, 1], "[0]: false, true", "1"), ("uint64", "Q", [2**64 - 1], [0], f"[0]: {2**64 - 1}, 0", str(2**64 - 1)),
                ("int64", "q", [2**63 - 1, 5], [2**63 - 2, 5], f"[0]: {2**63 - 1}, {2**63 - 2}", "1"),
                ("float32", "f", [nan, 0.5], [nan, 0.25], "[1]: 0.5, 0.25", "0.25"),
                ("float64", "d", [-0.0, infinity, 1], [0.0, infinity, -infinity], "[2]: 1, -inf", "inf"),
                ("float64", "d", [1, 1], [nan, 1], "[0]: 1, nan", None)):
            a, b = (self.array(data_type, code, numbers, fill_value=False if data_type == "bool" else 0) for numbers in (one, other))
            lines = [f" in 1 of {len(one)} element" + "s" * (len(one) > 1), "first    " + first]
            self.differ(a, b, *lines, *([f"largest  {first}; {largest} apart"] if largest else []))
        a, b = (self.array("complex64", "f", numbers, [2], fill_value=[0, 0]) for numbers in ([1, 2, 3, 4], [1, 2, 6, 8]))
        self.differ(a, b, " in 1 of 2 elements", "first    [1]: 3+4j, 6+8j", "largest  [1]: 3+4j, 6+8j; 5 apart")

    def test_elements_that_are_no_numbers(self):
        arrays = []
        for elements in (["a", "b"], ["a", "c"]):
            (self.folder / "x.json").write_text(json.dumps(elements))
            arrays.append(self.folder / f"s{len(arrays)}")
            self.run_ok("write", self.folder / "x.json", arrays[-1])
        self.differ(*arrays, " in 1 of 2 elements", 'first    [1]: "b", "c"')
        self.run_ok("diff", arrays[0], arrays[0])
        a, b = (make_array(self.folder / f"r{i}", [2], "r16", [2], {(0,): content}, fill_value=[0, 0])
                for i, content in enumerate((b"abcd", b"abce")))
        self.differ(a, b, " in 1 of 2 elements", "first    [1]: 6364, 6365")

    def test_random_arrays(self):
        draw = random.Random(int(os.environ.get("TESSERA_SEED", "5")))
        for _ in range(12):
            shape = [draw.randint(1, 7) for _ in range(draw.randint(1, 3))]
            one = [draw.randint(-99, 99) for _ in range(math.prod(shape))]
            other = [n if draw.random() < 0.8 else draw.randint(-99, 99) for n in one]
            chunks = ",".join(str(draw.randint(1, n)) for n in shape)
            a, b = self.array("int16", "h", one, shape), self.array("int16", "h", other, shape, chunks)
            wrong = [index for index, x, y in zip(itertools.product(*map(range, shape)), one, other) if x != y]
            apart = max((abs(x - y) for x, y in zip(one, other)), default=0)
            result = tessera("diff", b, a)  # the boxes are b's chunks
            self.assertEqual(result.status, 1 if wrong else 0, str(result))
            if wrong:
                self.assertIn(f"differ in {len(wrong)} of {len(one)} element", result.text)
                self.assertIn(f"first    [{','.join(map(str, wrong[0]))}]:", result.text)
                self.assertIn(f"; {apart} apart", result.text)

    def test_what_is_not_known_is_2(self):
        a = self.array("uint8", "B", [1, 2])
        self.assert_refused(tessera("diff", a, self.folder / "none"), 2, "none")
        self.assert_refused(tessera("diff", a, BRAIN), 2, "this is a group")
        self.assert_refused(tessera("diff", a), 2, "B")
        self.assert_refused(tessera("diff", a, a, "--region", "9"), 2, "--region")
        broken = make_array(self.folder / "broken", [2], "uint8", [2], {(0,): b"1"})
        self.assert_refused(tessera("diff", a, broken), 2, 'key "c/0"')


main()
