"""The lines of Python of the pages run as they are typed, page by page, in a folder with the example's data."""

import pathlib
import re
import sys
import types

import numpy as np
import pytest
import zarr

ROOT = pathlib.Path(__file__).resolve().parents[3]
PIPELINE = "codec_pipeline.path"
# Blocks of each page, and those that need a GPU.
PAGES = {
    "README.md": (1, 0),
    "docs/coming-from.md": (1, 1),
    "docs/ipc.md": (1, 0),
    "docs/tensors.md": (1, 0),
    "docs/training.md": (1, 0),
    "examples/python/README.md": (9, 1),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page(tmp_path, monkeypatch, page):
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    runs = [block for block in blocks if not re.search(r'space="device"\)|enable_gpu', block)]
    assert (len(blocks), len(blocks) - len(runs)) == PAGES[page]
    if "torch.nn" in text:
        pytest.importorskip("torch", reason="PyTorch is not installed")
    else:  # what these use of it, NumPy has too
        stand_in = types.ModuleType("torch")
        stand_in.from_dlpack = np.from_dlpack
        monkeypatch.setitem(sys.modules, "torch", stand_in)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    known = {}
    with zarr.config.set({PIPELINE: zarr.config.get(PIPELINE)}):  # which a page changes
        for block in runs:
            here = re.sub(r"^tessera\.open\(\"\w+://.*\n", "", block, flags=re.MULTILINE)  # of no server
            exec(compile(here, page, "exec"), known)
