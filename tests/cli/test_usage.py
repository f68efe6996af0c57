"""What is asked wrongly ends with status 2 and one line; help and version with 0."""
import os

from command import BRAIN, CommandTest, main, make_array, tessera


class Usage(CommandTest):
    def refuse(self, *arguments, words=()):
        self.assert_refused(tessera(*arguments), 2, *words)

    def test_arguments(self):
        self.refuse()
        self.refuse("nonsense")
        self.refuse("info")
        self.refuse("info", BRAIN, "--bogus")
        self.refuse("info", BRAIN, "--threads", "0", words=["--threads"])
        self.refuse("info", BRAIN, "--threads", "many", words=["--threads"])
        self.refuse("read", BRAIN / "t1", words=["--output"])
        self.refuse("read", BRAIN / "t1", "--output", "x.tif", words=["x.tif", ".npy", ".bin"])
        self.refuse("view", BRAIN / "t1", "--output", "x.jpg", words=["x.jpg", ".png"])

    def test_help_and_version(self):
        self.assertRegex(self.run_ok("--version").text, r"^tessera \d+\.\d+\.\d+\n$")
        for arguments in ((), ("info",), ("read",), ("view",)):
            self.assertIn("Usage: tessera", self.run_ok(*arguments, "--help").text)
        self.assertIn("a:b:s", self.run_ok("read", "--help").text)

    def test_regions(self):
        output = self.folder / "x.npy"
        for region in ("1,2", ":,:,:,:", "5:3,:,:", ":,0:234,:", "197,:,:", ":,:,0:5:0"):
            self.refuse("read", BRAIN / "t1", "--output", output, f"--region={region}",
                        words=["--region", "[197, 233, 189]"])
        for region in ("a,:,:", "-1,:,:", ":,:,", "1:2:3:4,:,:", "1.5,:,:", " 1,:,:", "1:x,:,:", "99999999999999999999,:,:"):
            self.refuse("read", BRAIN / "t1", "--output", output, f"--region={region}", words=["--region"])
        self.refuse("read", BRAIN / "t1", "--output", output, "--region", ":,0:234,:", words=["dimension 1"])
        self.assertEqual(os.listdir(self.folder), [])

    def test_planes(self):
        for arguments in (("--axis", 3), ("--axis=-1",), ("--index", 189), ("--index=-1",), ("--axis", 0, "--index", 197)):
            self.refuse("view", BRAIN / "t1", *arguments)
        for rank in (0, 1, 4):
            a = make_array(self.folder / f"rank{rank}", [2] * rank, "uint8", [2] * rank, {})
            self.refuse("view", a, words=["--region", str([2] * rank)])
        a = make_array(self.folder / "plane", [2, 2], "uint8", [2, 2], {})
        self.refuse("view", a, "--axis", 0)
        self.refuse("view", a, "--index", 0)
        a = make_array(self.folder / "empty", [2, 0], "uint8", [2, 1], {})
        self.refuse("view", a)


main()
