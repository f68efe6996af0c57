"""Chunks decoded in device memory by nvCOMP: CTest's python-module has the emulated runtime's stand-in for it."""

import os
import pickle
import subprocess
import sys

import numcodecs
import numpy as np
import pytest
import zarr
from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ZstdCodec

import tessera

try:
    from tessera import _device
except ImportError as missing:
    pytest.skip(f"built without TESSERA_PYTHON_CUDA: {missing}", allow_module_level=True)
if not _device.has_nvcomp():
    pytest.skip("built without TESSERA_PYTHON_NVCOMP", allow_module_level=True)

LZ4 = {"name": "numcodecs.lz4", "configuration": {"acceleration": 1}}
ZLIB = {"name": "numcodecs.zlib", "configuration": {"level": 1}}
BLOSC_ZSTD = BloscCodec(cname="zstd", typesize=4, shuffle="shuffle")
UNCHECKED = {"zstd": [ZstdCodec()], "gzip": [GzipCodec(level=5)], "zlib": [ZLIB], "blosc zstd": [BLOSC_ZSTD]}
SAFE = {
    "lz4": [LZ4],
    "blosc lz4": [BloscCodec(cname="lz4", typesize=4, shuffle="bitshuffle")],
    "none": [],
    **{f"{name} crc32c": [*codecs, Crc32cCodec()] for name, codecs in UNCHECKED.items()},
}


def on_host(tensor):
    return np.from_dlpack(tensor, device="cpu", copy=True)


def stored(folder, compressors, **more):
    expected = np.arange(23 * 17, dtype="int32").reshape(23, 17)
    array = tessera.create_array(
        folder / "a.zarr", shape=(23, 17), dtype="int32", chunks=(5, 4), compressors=compressors, **more
    )
    array[...] = expected
    return folder / "a.zarr", expected


@pytest.mark.parametrize("shards", [None, (10, 8)])
@pytest.mark.parametrize("codecs", SAFE)
def test_safe_bytes(tmp_path, codecs, shards):
    path, expected = stored(tmp_path, SAFE[codecs], shards=shards)
    for decode in ("host", "auto", "device"):
        array = tessera.open(path, space="device", decode=decode)
        assert (on_host(array[...]) == expected).all() and (on_host(array[3:20, ::3]) == expected[3:20, ::3]).all()
        out = array.read((slice(5), 2))
        array.read((slice(5, 10), 2), out=out)
        assert (on_host(out) == expected[5:10, 2]).all()


@pytest.mark.parametrize("shards", [None, (10, 8)])
@pytest.mark.parametrize("codecs", UNCHECKED)
def test_bytes_that_nothing_checks(tmp_path, codecs, shards):
    path, expected = stored(tmp_path, UNCHECKED[codecs], shards=shards)
    with pytest.raises(tessera.MetadataError, match="undefined behaviour on damaged bytes.*; trusted=True"):
        tessera.open(path, space="device", decode="device")[...]
    for decode, trusted in (("auto", False), ("auto", True), ("device", True)):
        array = tessera.open(path, space="device", decode=decode, trusted=trusted)
        assert (on_host(array[...]) == expected).all(), (decode, trusted)


def test_what_nvcomp_lacks(tmp_path):
    path, expected = stored(tmp_path, [BloscCodec(cname="blosclz", typesize=4)])
    assert (on_host(tessera.open(path, space="device", decode="auto", trusted=True)[...]) == expected).all()
    with pytest.raises(tessera.MetadataError, match="blosclz"):
        tessera.open(path, space="device", decode="device", trusted=True)[...]


@pytest.mark.parametrize("is_checked", [False, True])
def test_who_decodes(tmp_path, is_checked):
    """Chunks of several zstd frames, which the host decodes and nvCOMP's codec refuses."""
    path, expected = stored(tmp_path, [ZstdCodec(), Crc32cCodec()] if is_checked else [ZstdCodec()])
    octets = np.ascontiguousarray(expected[:5, :4]).tobytes()
    frames = b"".join(bytes(numcodecs.Zstd().encode(part)) for part in (octets[:40], octets[40:]))
    if is_checked:
        frames = bytes(numcodecs.CRC32C(location="end").encode(frames))
    (path / "c" / "0" / "0").write_bytes(frames)
    by_device = {("auto", False): is_checked, ("auto", True): True, ("device", True): True, ("host", False): False}
    for (decode, trusted), is_refused in by_device.items():
        array = tessera.open(path, space="device", decode=decode, trusted=trusted)
        if is_refused:
            with pytest.raises(tessera.CodecError, match="c/0/0"):
                array[...].wait()
        else:
            assert (on_host(array[...]) == expected).all()


def test_the_host_encodes(tmp_path):
    """Levels that nvCOMP does not write."""
    path, expected = stored(tmp_path, [ZstdCodec(level=7), Crc32cCodec()])
    array = tessera.open(path, space="device", decode="device")
    array[5:10] = array[10:15]
    expected[5:10] = expected[10:15]
    assert (zarr.open_array(path)[...] == expected).all() and (on_host(array[...]) == expected).all()


def test_batches_and_groups(tmp_path):
    tessera.create_group(tmp_path / "g.zarr")
    path, expected = stored(tmp_path / "g.zarr", [ZstdCodec(), Crc32cCodec()])
    array = tessera.open(tmp_path / "g.zarr", space="device", decode="device")["a.zarr"]
    again = pickle.loads(pickle.dumps(array))
    assert again.space == "device" and again.space.decode == "device" and (on_host(again[...]) == expected).all()
    boxes = [np.s_[0:6, 2:8], np.s_[9:15, 11:17]]
    found = on_host(next(tessera.Loader(array, boxes, batch=2)))
    assert (found == np.stack([expected[box] for box in boxes])).all()
    assert (on_host(tessera.read_boxes(array, boxes)) == found).all()


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [({"decode": "gpu", "space": "device"}, ValueError, "'host', 'auto' or 'device'"),
     ({"decode": "auto"}, ValueError, "space='device'"),
     ({"device": 0}, ValueError, "space='device'"), ({"space": "device", "trusted": True}, ValueError, "decode='host'"),
     ({"space": "pinned", "decode": "device"}, ValueError, "space='device'"),
     ({"space": "device", "device": 9}, tessera.DeviceError, "device 9"),
     ({"space": "device", "device": -1}, tessera.DeviceError, "device -1")],
)  # fmt: skip
def test_wrong_arguments(tmp_path, given, error, match):
    path, _ = stored(tmp_path, [])
    with pytest.raises(error, match=match):
        tessera.open(path, **given)


def test_several_devices(tmp_path):
    path, _ = stored(tmp_path, [ZstdCodec(), Crc32cCodec()])
    code = f"""if True:
        import numpy as np, tessera
        arrays = [tessera.open({str(path)!r}, space="device", device=d, decode="device") for d in (1, 0, None)]
        tensors = [array[...] for array in arrays]
        assert [t.__dlpack_device__()[1] for t in tensors] == [1, 0, 0], [t.__dlpack_device__() for t in tensors]
        for t in tensors:
            assert (np.from_dlpack(t, device="cpu", copy=True) == np.arange(23 * 17).reshape(23, 17)).all()
        try:
            arrays[1].read(out=tensors[0])
        except tessera.ExchangeError as error:
            print(error)
    """
    two = os.environ | {"TESSERA_EMULATION_DEVICES": "2"}
    found = subprocess.run([sys.executable, "-c", code], env=two, check=True, capture_output=True, text=True)
    assert "device" in found.stdout
