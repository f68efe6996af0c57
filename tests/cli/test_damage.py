"""Documents and chunks that are cut short or have bits flipped end with one line and status 1, never with a crash.

Flips are drawn from a seed that is printed; TESSERA_SEED=n draws others.
"""
import os
import random
import shutil

from command import BRAIN, CommandTest, main, tessera

SEED = int(os.environ.get("TESSERA_SEED", "3"))
print(f"seed {SEED}")
FLIPS = int(os.environ.get("TESSERA_FLIPS", "40"))  # per document and chunk

DOCUMENTS = ("zarr.json", "t1/zarr.json", "t1_half/zarr.json")
CHUNKS = ("t1/c/0/0/0", "t1/c/2/3/1", "t1_half/c/0/0/0", "t1_half/c/1/1/1")
# One element, hence one chunk. Of zstd the last, because a chunk is decoded only up to the element that is read.
REGIONS = {"t1/c/0/0/0": "63,63,63", "t1/c/2/3/1": "191,232,127", "t1_half/c/1/1/1": "97,115,93"}


def lengths(size):
    """Where to cut: near both ends and in between."""
    return sorted({n for n in (0, 1, 2, 15, 16, 17, size - 2, size - 1) if 0 <= n < size} |
                  {size * i // 10 for i in range(10)})


def flipped(content, random_bits):
    damaged = bytearray(content)
    for at in random_bits.sample(range(len(content)), random_bits.randint(1, 3)):
        damaged[at] ^= 1 << random_bits.randrange(8)
    return bytes(damaged)


class Damage(CommandTest):
    def setUp(self):
        super().setUp()
        self.copy = self.folder / "copy.zarr"
        shutil.copytree(BRAIN, self.copy)

    def use(self, key):
        """The command that needs this key. Arrays are opened; a group is shown."""
        if key == "zarr.json":
            return tessera("info", self.copy, "--threads", 1)
        return tessera("read", self.copy / key.split("/")[0], "--threads", 1, "--output", self.folder / "out.bin",
                       "--region", REGIONS.get(key, "0,0,0"))

    def damage(self, key, damaged, must_fail):
        (self.copy / key).write_bytes(damaged)
        result = self.use(key)
        if must_fail or result.status != 0:
            # A wrong document can first show in a chunk.
            wrong = key if must_fail else key.removesuffix("zarr.json")
            self.assert_refused(result, 1, str(self.copy), f'key "{wrong}')
        else:
            self.assertEqual(result.errors, [])

    def each(self, keys):
        for key in keys:
            content = (BRAIN / key).read_bytes()
            for length in lengths(len(content)):
                with self.subTest(key=key, length=length):
                    self.damage(key, content[:length], must_fail=True)
            random_bits = random.Random(f"{SEED} {key}")
            for i in range(FLIPS):
                with self.subTest(key=key, flip=i, seed=SEED):
                    self.damage(key, flipped(content, random_bits), must_fail=False)
            (self.copy / key).write_bytes(content)
            self.assertEqual(self.use(key).status, 0)

    def test_documents(self):
        self.each(DOCUMENTS)

    def test_chunks(self):
        self.each(CHUNKS)

    def test_what_is_no_file(self):
        for key in ("t1/zarr.json", "t1/c/0/0/0"):
            (self.copy / key).unlink()
            os.mkfifo(self.copy / key)  # opening it must not wait
            self.assert_refused(self.use(key), 1, f'key "{key}"', "regular")
            (self.copy / key).unlink()
            shutil.copyfile(BRAIN / key, self.copy / key)


main()
